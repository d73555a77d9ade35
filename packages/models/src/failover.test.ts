import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelEvent, ModelFailureKind } from "@talaria/agent";
import { silentLog } from "@talaria/protocol";
import { createFailover } from "./index.ts";
import { answerOf, cannedModel, request, testClock } from "./model.fixture.ts";

const says = (text: string): readonly ModelEvent[] => [
  { type: "delta", text },
  { type: "done", message: { role: "assistant", content: text, toolCalls: [] }, stop: "end", servedBy: text },
];
const fails = (kind: ModelFailureKind, more: object = {}): readonly ModelEvent[] => [
  { type: "failed", error: { kind, message: kind, visible: false, ...more } },
];

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
  assert.equal((await answerOf(model)).text, "second");
  assert.deepEqual([one.asked, two.asked], [3, 1]);
  assert.equal((await answerOf(model)).text, "second");
  assert.equal(one.asked, 3);
  clock.nowMs += 30_000;
  assert.equal((await answerOf(model)).text, "first");
  assert.deepEqual([one.asked, two.asked], [4, 2]);
});

it("rests twice as long after each failed probe", async () => {
  const { clock, one, model } = build(() => fails("overloaded"));
  await answerOf(model);
  clock.nowMs += 30_001;
  await answerOf(model);
  assert.equal(one.asked, 6);
  clock.nowMs += 30_001;
  await answerOf(model);
  assert.equal(one.asked, 6);
  clock.nowMs += 30_001;
  await answerOf(model);
  assert.equal(one.asked, 9);
});

it("goes on at once where waiting does not help, and rests as long as it was told", async () => {
  for (const [kind, restMs] of [
    ["quota", 3_600_000],
    ["auth", 600_000],
    ["rate_limit", 60_000],
  ] as const) {
    const { clock, one, model } = build(() => fails(kind));
    assert.equal((await answerOf(model)).text, "second");
    clock.nowMs += restMs - 1;
    await answerOf(model);
    assert.equal(one.asked, 1, kind);
    clock.nowMs += 1;
    await answerOf(model);
    assert.equal(one.asked, 2, kind);
  }
});

it("does not shop around after a refusal, a bad request or a full context", async () => {
  for (const kind of ["refusal", "bad_request", "context_full"] as const) {
    const { two, model } = build(() => fails(kind));
    const { end } = await answerOf(model);
    assert.equal(end.type === "failed" && end.error.kind, kind);
    assert.equal(two.asked, 0);
  }
});

it("takes back what a failed model had shown before another one answers", async () => {
  const half: readonly ModelEvent[] = [{ type: "delta", text: "half" }, ...fails("quota", { visible: true })];
  const { model } = build(() => half);
  const { events } = await answerOf(model);
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
  const { end } = await answerOf(model);
  assert.equal(end.type === "failed" && end.error.exhausted, true);
  await answerOf(model);
  assert.deepEqual([one.asked, two.asked], [2, 2]);
  const empty = createFailover([], { clock: testClock(), random: () => 0, log: silentLog });
  assert.equal((await answerOf(empty)).end.type, "failed");
});

it("lets one request probe a rested model while the others pass it by", async () => {
  const gate = Promise.withResolvers<void>();
  const { clock, one, two, model } = build((round) => (round <= 3 ? fails("network") : says("first")));
  await answerOf(model);
  clock.nowMs += 60_000;
  const probing = model.stream(request(), new AbortController().signal)[Symbol.asyncIterator]();
  await probing.next();
  assert.equal((await answerOf(model)).text, "second");
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
