import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelEvent, ModelFailureKind, ModelPort, ModelRequest } from "@talaria/agent";
import { brandAs, type SessionKey, silentLog } from "@talaria/protocol";
import { createFailover, createLocalRests } from "./index.ts";
import { answerOf, cannedModel, request, testClock } from "./model.fixture.ts";

const says = (text: string): readonly ModelEvent[] => [
  { type: "delta", text },
  { type: "done", message: { role: "assistant", content: text, toolCalls: [] }, stop: "end", servedBy: text },
];
const fails = (kind: ModelFailureKind, more: object = {}): readonly ModelEvent[] => [
  { type: "failed", error: { kind, message: kind, visible: false, ...more } },
];

type Answer = (round: number) => readonly ModelEvent[];

/** Models by name, each with its window and what it answers; what it answers itself when nothing is said. */
function build(entries: Readonly<Record<string, readonly [contextTokens: number | undefined, answer?: Answer]>>) {
  const clock = testClock();
  const models = Object.entries(entries).map(([name, [contextTokens, answer]]) => ({
    name,
    model: cannedModel(answer ?? (() => says(name))),
    ...(contextTokens !== undefined && { contextTokens }),
  }));
  const rests = createLocalRests(clock);
  const model = createFailover(models, { clock, random: () => 0.5, log: silentLog, rests });
  const asked = () => Object.fromEntries(models.map((each) => [each.name, each.model.asked]));
  return { clock, rests, model, asked };
}

let sessions = 0;

async function ask(model: ModelPort, more: Partial<ModelRequest> = {}) {
  sessions += 1;
  const { text, end } = await answerOf(model, request({ cacheKey: brandAs<SessionKey>(`s${sessions}`), ...more }));
  if (end.type === "done") return text;
  const { kind, windowTokens, exhausted } = end.error;
  assert.equal(exhausted, true);
  return [kind, windowTokens];
}

it("does not ask a model whose window is smaller than the request", async () => {
  const { model, asked } = build({ small: [8_000], large: [200_000] });
  assert.equal(await ask(model, { estimatedTokens: 8_000 }), "small");
  assert.equal(await ask(model, { estimatedTokens: 8_001 }), "large");
  assert.equal(await ask(model), "small", "nobody knows what it takes");
  assert.deepEqual(asked(), { small: 2, large: 1 });
  const unknown = build({ unknown: [undefined] });
  assert.equal(await ask(unknown.model, { estimatedTokens: 9_000_000 }), "unknown");
});

it("says how long a request may be when none of those that may be asked now can take it", async () => {
  const { model, asked } = build({ small: [8_000], large: [200_000], middle: [32_000] });
  assert.deepEqual(await ask(model, { estimatedTokens: 300_000 }), ["context_full", 200_000]);
  assert.deepEqual(asked(), { small: 0, large: 0, middle: 0 });
});

it("counts on those alone that do not rest, and on all of them when all rest", async () => {
  const { model, rests, asked } = build({ large: [200_000], small: [8_000], middle: [32_000] });
  await rests.rest("model:large", 60_000);
  assert.deepEqual(await ask(model, { estimatedTokens: 100_000 }), ["context_full", 32_000]);
  assert.equal(await ask(model, { estimatedTokens: 10_000 }), "middle");
  await rests.rest("model:small", 60_000);
  await rests.rest("model:middle", 60_000);
  assert.equal(await ask(model, { estimatedTokens: 100_000 }), "large");
  assert.deepEqual(asked(), { large: 1, small: 0, middle: 1 });
});

it("says how long it may be when the one that could take it fails, and tells what a shorter one would not mend", async () => {
  for (const [kind, told] of [
    ["rate_limit", ["context_full", 8_000]],
    ["overloaded", ["context_full", 8_000]],
    ["refusal", ["refusal", undefined]],
    ["bad_request", ["context_full", 8_000]],
  ] as const) {
    const { model } = build({ large: [200_000, () => fails(kind)], small: [8_000] });
    assert.deepEqual(await ask(model, { estimatedTokens: 100_000 }), told, kind);
  }
});

it("asks larger ones alone after a refusal, and lets nobody rest for it", async () => {
  const full = () => fails("context_full");
  const { model, asked, rests } = build({ one: [32_000, full], two: [32_000], tiny: [8_000], large: [200_000] });
  assert.equal(await ask(model), "large");
  assert.deepEqual(asked(), { one: 1, two: 0, tiny: 0, large: 1 });
  assert.equal((await rests.resting(["model:one", "model:large"])).size, 0);
  assert.equal(await ask(model, { estimatedTokens: 100 }), "two", "what is refused may still be short for others");
  assert.equal(asked().one, 2, "it is the first again in another session");
});

it("believes what a server says of its window more than the configuration", async () => {
  const { model, asked } = build({
    one: [128_000, () => fails("context_full", { windowTokens: 8_192 })],
    two: [32_000],
  });
  assert.equal(await ask(model), "two");
  assert.deepEqual(asked(), { one: 1, two: 1 });
});

it("tells the window of the largest that refused", async () => {
  const refuses = (windowTokens?: number) => () =>
    fails("context_full", windowTokens === undefined ? {} : { windowTokens });
  const cases: readonly (readonly [Parameters<typeof build>[0], number | undefined])[] = [
    [{ one: [32_000, refuses()] }, 32_000],
    [{ one: [32_000, refuses(30_000)] }, 30_000],
    [{ one: [undefined, refuses(30_000)] }, 30_000],
    [{ one: [undefined, refuses()], two: [200_000] }, undefined],
    [{ one: [32_000, refuses()], two: [200_000, refuses()] }, 200_000],
    [{ one: [32_000, refuses()], two: [200_000, () => fails("quota")] }, 32_000],
    [{ two: [200_000, () => fails("quota")], one: [32_000, refuses()] }, 32_000],
    [{ one: [32_000, refuses(31_000)], two: [128_000, refuses(16_000)] }, 31_000],
  ];
  for (const [entries, windowTokens] of cases)
    assert.deepEqual(await ask(build(entries).model), ["context_full", windowTokens], JSON.stringify(entries));
});

it("takes back what was shown before a larger one answers", async () => {
  const half: readonly ModelEvent[] = [{ type: "delta", text: "half" }, ...fails("context_full", { visible: true })];
  const { model } = build({ one: [32_000, () => half], two: [64_000] });
  const { events } = await answerOf(model);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["delta", "restart", "delta", "done"],
  );
});

it("leaves the model that a session stayed with when the session outgrows it", async () => {
  const { model, clock, asked } = build({
    large: [200_000, (round) => (round === 1 ? fails("rate_limit") : says("large"))],
    small: [32_000, (round) => (round === 3 ? fails("context_full") : says("small"))],
  });
  const cacheKey = brandAs<SessionKey>("one");
  const talk = (estimatedTokens: number) => ask(model, { cacheKey, estimatedTokens });
  assert.equal(await talk(10_000), "small");
  clock.nowMs += 60_001;
  assert.equal(await talk(20_000), "small", "its cache is there");
  assert.equal(await talk(30_000), "large", "the small one refused");
  assert.equal(await talk(20_000), "large", "the session has left it");
  assert.deepEqual(asked(), { large: 3, small: 3 });
  const other = build({
    large: [200_000, (round) => (round === 1 ? fails("rate_limit") : says("large"))],
    small: [32_000],
  });
  const grow = (estimatedTokens: number) => ask(other.model, { cacheKey, estimatedTokens });
  assert.equal(await grow(10_000), "small");
  other.clock.nowMs += 60_001;
  assert.equal(await grow(50_000), "large", "the small one is not asked");
});

it("asks a silent model once more, and one that thought all the time not at all", async () => {
  for (const [more, times] of [
    [{}, 2],
    [{ exhausted: true }, 1],
  ] as const) {
    const { model, asked } = build({ one: [undefined, () => fails("stalled", more)], two: [undefined] });
    assert.equal(await ask(model), "two");
    assert.deepEqual(asked(), { one: times, two: 1 });
  }
});

it("asks no step in vain once a server has stated a smaller window than is configured, for ten minutes", async () => {
  const { clock, model, asked } = build({
    main: [24_000, (round) => (round === 1 ? fails("context_full", { windowTokens: 9_000 }) : says("main"))],
    big: [200_000],
  });
  assert.equal(await ask(model, { estimatedTokens: 12_000 }), "big");
  assert.equal(await ask(model, { estimatedTokens: 12_000 }), "big");
  assert.deepEqual(asked(), { main: 1, big: 2 });
  assert.equal(await ask(model, { estimatedTokens: 8_000 }), "main", "what fits goes to it");
  clock.nowMs += 600_000;
  assert.equal(await ask(model, { estimatedTokens: 12_000 }), "main", "it may have been started anew");
});

it("learns nothing from a stated window that can't be one", async () => {
  const { model } = build({
    only: [24_000, (round) => (round === 1 ? fails("context_full", { windowTokens: 100 }) : says("only"))],
  });
  assert.deepEqual(await ask(model, { estimatedTokens: 12_000 }), ["context_full", 100]);
  assert.equal(await ask(model, { estimatedTokens: 12_000 }), "only");
});

it("learns from a refusal without a number what was too much, for all its requests", async () => {
  const { model, asked } = build({
    one: [128_000, () => fails("context_full")],
    two: [128_000, () => fails("context_full", { windowTokens: 64_000 })],
  });
  assert.deepEqual(await ask(model, { estimatedTokens: 20_000 }), ["context_full", 64_000]);
  assert.deepEqual(asked(), { one: 1, two: 1 }, "as large as configured, it may be larger than that one");
  assert.deepEqual(await ask(model, { estimatedTokens: 70_000 }), ["context_full", 64_000]);
  assert.deepEqual(asked(), { one: 1, two: 1 });
});

it("does not believe a number that is smaller than what the server has taken, before or since", async () => {
  const takes = (tokens: number): readonly ModelEvent[] => {
    const usage = { inputTokens: tokens, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0 };
    return [
      {
        type: "done",
        message: { role: "assistant", content: "yes", toolCalls: [] },
        stop: "end",
        servedBy: "m",
        usage,
      },
    ];
  };
  const since = build({
    one: [32_000, (round) => (round === 1 ? fails("context_full", { windowTokens: 2_000 }) : takes(3_500))],
  });
  assert.deepEqual(await ask(since.model, { estimatedTokens: 3_500 }), ["context_full", 2_000]);
  await ask(since.model);
  assert.equal(await ask(since.model, { estimatedTokens: 3_500 }), "", "it has taken as much since");
  assert.deepEqual(since.asked(), { one: 3 });
  const before = build({
    one: [32_000, (round) => (round === 2 ? fails("context_full", { windowTokens: 2_000 }) : takes(3_500))],
  });
  await ask(before.model, { estimatedTokens: 3_500 });
  assert.deepEqual(await ask(before.model, { estimatedTokens: 3_500 }), ["context_full", 2_000]);
  await ask(before.model, { estimatedTokens: 3_500 });
  assert.deepEqual(before.asked(), { one: 3 });
});
