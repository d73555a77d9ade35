import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelEvent, ModelFailureKind, ModelPort } from "@talaria/agent";
import { brandAs, type Log, type SessionKey, silentLog } from "@talaria/protocol";
import { createFailover, createLocalRests, type SharedRests } from "./index.ts";
import { answerOf, cannedModel, request, testClock } from "./model.fixture.ts";

const says = (text: string): readonly ModelEvent[] => [
  { type: "delta", text },
  { type: "done", message: { role: "assistant", content: text, toolCalls: [] }, stop: "end", servedBy: text },
];
const fails = (kind: ModelFailureKind, more: object = {}): readonly ModelEvent[] => [
  { type: "failed", error: { kind, message: kind, visible: false, ...more } },
];

let sessions = 0;

/** Asks for a session that no model has served yet. */
function fresh(model: ModelPort) {
  sessions += 1;
  return answerOf(model, request({ cacheKey: brandAs<SessionKey>(`session ${sessions}`) }));
}

function build(first: (round: number) => readonly ModelEvent[], second = () => says("second")) {
  const clock = testClock();
  const [one, two] = [cannedModel(first), cannedModel(second)];
  const models = [
    { name: "one", model: one },
    { name: "two", model: two },
  ];
  return { clock, one, two, model: createFailover(models, { clock, random: () => 0.5, log: silentLog }) };
}

it("retries the first model, then asks the next, and leaves the first alone for a while", async () => {
  const { clock, one, two, model } = build((round) => (round <= 3 ? fails("overloaded") : says("first")));
  assert.equal((await fresh(model)).text, "second");
  assert.deepEqual([one.asked, two.asked], [3, 1]);
  assert.equal((await fresh(model)).text, "second");
  assert.equal(one.asked, 3);
  clock.nowMs += 30_000;
  assert.equal((await fresh(model)).text, "first");
  assert.deepEqual([one.asked, two.asked], [4, 2]);
});

it("asks another model in place of one whose answer was empty, and the same one where there is no other", async () => {
  const { one, two, model } = build(() => says(""));
  assert.equal((await answerOf(model, request({ emptyFrom: "one" }))).text, "second");
  assert.deepEqual([one.asked, two.asked], [0, 1]);
  const alone = createFailover([{ name: "one", model: one }], { clock: testClock(), random: () => 0, log: silentLog });
  assert.equal((await answerOf(alone, request({ emptyFrom: "one" }))).end.type, "done");
  assert.equal(one.asked, 1);
});

it("rests twice as long after each failed probe", async () => {
  const { clock, one, model } = build(() => fails("overloaded"));
  await fresh(model);
  clock.nowMs += 30_001;
  await fresh(model);
  assert.equal(one.asked, 6);
  clock.nowMs += 30_001;
  await fresh(model);
  assert.equal(one.asked, 6);
  clock.nowMs += 30_001;
  await fresh(model);
  assert.equal(one.asked, 9);
});

it("goes on at once where waiting does not help, and rests as long as it was told", async () => {
  for (const [kind, restMs] of [
    ["quota", 3_600_000],
    ["auth", 600_000],
    ["rate_limit", 60_000],
  ] as const) {
    const { clock, one, model } = build(() => fails(kind));
    assert.equal((await fresh(model)).text, "second");
    clock.nowMs += restMs - 1;
    await fresh(model);
    assert.equal(one.asked, 1, kind);
    clock.nowMs += 1;
    await fresh(model);
    assert.equal(one.asked, 2, kind);
  }
});

it("does not shop around after a refusal or a full context", async () => {
  for (const kind of ["refusal", "context_full"] as const) {
    const { two, model } = build(() => fails(kind));
    const { end } = await fresh(model);
    assert.equal(end.type === "failed" && end.error.kind, kind);
    assert.equal(two.asked, 0);
  }
});

it("asks the next one where an answer came to nothing or a request was rejected, and does not let the first one rest for that", async () => {
  for (const kind of ["thought_only", "runaway", "bad_request"] as const) {
    const { one, two, model } = build(() => fails(kind));
    assert.equal((await fresh(model)).text, "second");
    assert.equal((await fresh(model)).text, "second");
    assert.deepEqual([one.asked, two.asked], [2, 2], kind);
  }
});

it("takes back what a failed model had shown before another one answers", async () => {
  const half: readonly ModelEvent[] = [{ type: "delta", text: "half" }, ...fails("quota", { visible: true })];
  const { model } = build(() => half);
  const { events } = await fresh(model);
  assert.deepEqual(
    events.map((event) => event.type),
    ["delta", "restart", "delta", "done"],
  );
});

it("says when all have failed that asking again does not help, and asks the earliest first when all rest", async () => {
  const { one, two, model } = build(
    () => fails("quota"),
    () => fails("rate_limit"),
  );
  const { end } = await fresh(model);
  assert.equal(end.type === "failed" && end.error.exhausted, true);
  await fresh(model);
  assert.deepEqual([one.asked, two.asked], [2, 2]);
  const empty = createFailover([], { clock: testClock(), random: () => 0, log: silentLog });
  assert.equal((await answerOf(empty)).end.type, "failed");
});

it("lets one request probe a rested model while the others pass it by", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, one, two, model } = build((round) => (round <= 3 ? fails("network") : says("first")));
  await fresh(model);
  clock.nowMs += 60_000;
  const probing = model.stream(request(), new AbortController().signal)[Symbol.asyncIterator]();
  await probing.next();
  assert.equal((await fresh(model)).text, "second");
  gate.resolve();
  assert.deepEqual([one.asked, two.asked], [4, 2]);
  await probing.return?.();
});

it("stops with the abort, without asking the next model", async () => {
  const { two, model } = build(() => fails("network"));
  const { end } = await answerOf(model, request(), AbortSignal.abort());
  assert.equal(end.type === "failed" && end.error.kind, "aborted");
  assert.equal(two.asked, 0);
});

it("keeps a session with the model that took it over while its cache lasts, and others go back", async () => {
  const { clock, one, two, model } = build((round) => (round === 1 ? fails("rate_limit") : says("first")));
  const ask = async () => (await answerOf(model)).text;
  assert.equal(await ask(), "second");
  clock.nowMs += 60_001;
  assert.equal(await ask(), "second");
  assert.equal((await fresh(model)).text, "first", "the first is awake for everybody else");
  for (const _ of [1, 2, 3]) {
    clock.nowMs += 5 * 60_000;
    assert.equal(await ask(), "second");
  }
  clock.nowMs += 5 * 60_000 + 1;
  assert.equal(await ask(), "first");
  assert.deepEqual([one.asked, two.asked], [3, 5]);
});

it("leaves a sticky model that fails", async () => {
  const second = [says("second"), fails("quota")];
  const { clock, model } = build(
    (round) => (round === 1 ? fails("rate_limit") : says("first")),
    () => second.shift() ?? says("second"),
  );
  await answerOf(model);
  clock.nowMs += 60_001;
  assert.equal((await answerOf(model)).text, "first");
});

it("logs every choice with its reason", async () => {
  const lines: unknown[] = [];
  const write = (fields: object, sentence: string) => {
    if (sentence === "model chosen") lines.push(Object.values(fields));
  };
  const log: Log = { ...silentLog, debug: write, info: write };
  const clock = testClock();
  const one = cannedModel((round) => (round === 1 ? fails("quota") : says("first")));
  const models = [
    { name: "one", model: one },
    { name: "two", model: cannedModel(() => says("second")) },
  ];
  const model = createFailover(models, { clock, random: () => 0.5, log });
  await answerOf(model);
  await answerOf(model);
  clock.nowMs += 3_600_001;
  await answerOf(model);
  assert.deepEqual(lines, [
    ["one", "session", "first"],
    ["two", "session", "one failed: quota"],
    ["two", "session", "it holds the session's cache"],
    ["one", "session", "first"],
  ]);
});

it("shares rests with others, lets one of them probe, and goes on alone when they cannot be reached", async () => {
  const clock = testClock();
  const rests = createLocalRests(clock);
  const worker = (shared: SharedRests) => {
    const [one, two] = [cannedModel(() => fails("quota")), cannedModel(() => says("second"))];
    const models = [
      { name: "one", model: one },
      { name: "two", model: two },
    ];
    return { one, model: createFailover(models, { clock, random: () => 0.5, log: silentLog, rests: shared }) };
  };
  const [ours, theirs] = [worker(rests), worker(rests)];
  await fresh(ours.model);
  await fresh(theirs.model);
  assert.deepEqual([ours.one.asked, theirs.one.asked], [1, 0], "one failure is enough for both");
  clock.nowMs += 3_600_001;
  assert.equal(await rests.probe("model:one", 30_000), true);
  await fresh(theirs.model);
  assert.equal(theirs.one.asked, 0, "somebody else tries it");
  const broken = async () => Promise.reject(new Error("gone"));
  const alone = worker({ rest: broken, resting: broken, probe: broken, recovered: broken });
  assert.equal((await fresh(alone.model)).text, "second");
});
