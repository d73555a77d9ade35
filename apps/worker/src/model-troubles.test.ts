import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelFailureKind, ModelPort } from "@talaria/agent";
import { modelTroublesOf } from "@talaria/store";
import { ModelTroubles } from "./model-troubles.ts";

type End = ModelFailureKind | "done";

/** What a worker reports after its model's requests ended so, a second apart. */
async function reportAfter(ends: readonly End[], startMs = 0): Promise<ModelTroubles> {
  const clock = { now: () => startMs } as never;
  const troubles = new ModelTroubles(clock);
  for (const end of ends) {
    startMs += 1_000;
    const model = {
      async *stream() {
        if (end === "done") yield { type: "done" };
        else yield { type: "failed", error: { kind: end, message: "key sk-secret refused", visible: false } };
      },
    } as unknown as ModelPort;
    for await (const _ of troubles.watch("main", model).stream({} as never, AbortSignal.timeout(10_000)));
  }
  return troubles;
}

const linesOf = (...workers: readonly ModelTroubles[]) =>
  modelTroublesOf(workers.map((worker) => ({ stats: { models: worker.list() } }))).map(({ line }) => line);

it("says of a refused key since when, how often, and the remedy; nothing of what the provider said", async () => {
  assert.deepEqual(linesOf(await reportAfter(["done", "auth", "overloaded", "auth"])), [
    "model main: its provider refuses the key or login, since 1970-01-01T00:00:02Z (2 requests failed): put a working one where models.main takes it from, or run `talaria setup model` or `talaria model login`",
  ]);
});

for (const [kind, words] of [
  ["quota", /its credit or quota is used up, since .*: add credit/],
  ["not_found", /does not know it, since .*: correct models\.main\.model/],
] as const)
  it(`says of ${kind} what to do`, async () => assert.match(linesOf(await reportAfter([kind])).join(), words));

it("has nothing to say of a model that answers again, whichever worker saw it, or that only is overloaded", async () => {
  assert.deepEqual(linesOf(await reportAfter(["auth", "done"])), []);
  assert.deepEqual(linesOf(await reportAfter(["overloaded", "network", "done"])), []);
  const [early, late] = [await reportAfter(["quota"]), await reportAfter(["quota", "done"], 60_000)];
  assert.deepEqual(linesOf(late, early), []);
  assert.deepEqual(linesOf(early, late), []);
});
