import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type TranscriptEntry, visibleEntries } from "@talaria/agent";
import type { Store } from "@talaria/store";
import fc from "fast-check";
import {
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  keyOf,
  limits,
  newWorker,
  type RunningTurn,
  startOf,
  type TestStore,
} from "../../../packages/store/src/test-store.ts";

/** One entry: a call with a long result, or a compression that keeps up to so many entries of its turn. */
type Step =
  | { readonly kind: "call"; readonly chars: number }
  | { readonly kind: "checkpoint"; readonly keeps: number; readonly keptTokens?: number | undefined }
  | { readonly kind: "cleared"; readonly keeps: number; readonly results: number };

interface Turn {
  readonly steps: readonly Step[];
  readonly isRetracted: boolean;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("call" as const), chars: fc.constantFrom(20, 500, 2_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("checkpoint" as const),
      keeps: fc.nat(8),
      keptTokens: fc.option(fc.constantFrom(100, 300), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("cleared" as const), keeps: fc.nat(4), results: fc.nat(3) }),
  },
);

const talks: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    steps: fc.array(step, { maxLength: 7 }),
    isRetracted: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 1, maxLength: 5 },
);

/** As the turn's journal has them. Ids of calls come again in each turn. */
function entriesOf({ steps }: Turn, earlier: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  const about = { at: "2026-11-20T10:00:00.000Z", reason: "full", tokens: { before: 9, after: 1 } } as never;
  for (const [index, one] of steps.entries()) {
    // What is said and what is journaled of its own turn: no compression keeps more.
    const keeps = one.kind === "call" ? 0 : Math.min(one.keeps, entries.length + 1);
    if (one.kind === "call") {
      const call = { callId: `c${index}`, name: "look", arguments: "{}" };
      entries.push({ kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tool_calls" });
      const content = `${index}`.padEnd(one.chars, ".");
      entries.push({ kind: "tool.result", callId: call.callId, name: "look", content, isError: false });
    } else if (one.kind === "checkpoint") {
      const { keptTokens } = one;
      const empty = { said: [], files: [], commands: [], open: [], calls: [], whole: [], known: [] };
      const fit = keptTokens === undefined ? {} : { keptTokens };
      entries.push({ ...(about as object), kind: "checkpoint", keeps, ...fit, ...empty } as unknown as TranscriptEntry);
    } else {
      const all = [...earlier, ...entries].slice(0, -keeps || undefined);
      const results = all.filter((entry) => entry.kind === "tool.result").slice(-one.results || all.length);
      const places = results.map(({ callId, content }) => ({ callId, chars: content.length }));
      entries.push({ ...(about as object), kind: "cleared", keeps, results: places } as unknown as TranscriptEntry);
    }
  }
  return entries;
}

async function begin(store: Store, session: string, markdown: string): Promise<RunningTurn> {
  const found = await claim(store, session, await newWorker(store));
  const user = { kind: "user", markdown, attachments: [], sender: { userId: "42" } };
  const start = { ...startOf(found), entries: [user] };
  await store.turns.begin(found.lease, start);
  return { lease: found.lease, claim: found, start };
}

/** With the parts of which it depends. */
function asEntries(entries: readonly object[]): readonly TranscriptEntry[] {
  return entries as readonly TranscriptEntry[];
}

describe("what the database gives of a shortened conversation", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("shows the model the same as all that was ever written", async () => {
    let number = 0;
    let shorter = 0;
    await fc.assert(
      fc.asyncProperty(talks, async (turns) => {
        number += 1;
        const session = `talk-${number}`;
        const whole: TranscriptEntry[] = [];
        for (const [index, turn] of turns.entries()) {
          const { store } = test;
          await store.inbox.record(entryOf(`${session}-${index}`, session));
          const begun = await begin(store, session, `${number}.${index} ${"so ".repeat(400)}`);
          const entries = entriesOf(turn, whole);
          await store.turns.append(begun.lease, begun.start.turnId, entries);
          if (turn.isRetracted) {
            const { turnId } = begun.start;
            const end = { turnId, outcome: "completed", entries: [], outbox: [], retract: true } as const;
            await store.turns.commit(begun.lease, end);
            continue;
          }
          await completeTurn(store, begun);
          const answer = { kind: "assistant", text: `answer to ${begun.start.turnId}` };
          whole.push(...asEntries([...begun.start.entries, ...entries, answer]));
        }
        await test.store.inbox.record(entryOf(`${session}-last`, session));
        const found = await test.store.turns.claim(keyOf(session), await newWorker(test.store), limits);
        const history = asEntries(found?.history ?? []);
        if (history.length < whole.length) shorter += 1;
        assert.deepEqual(visibleEntries(history), visibleEntries(whole));
      }),
      { numRuns: 200, seed: 20_261_123 },
    );
    assert.ok(shorter > 50, String(shorter));
  });

  it("has the newest checkpoint also where all behind it is too long", async () => {
    const { store } = test;
    const session = "cut";
    const turns = [
      [{ kind: "checkpoint", keeps: 1 }],
      ...Array.from({ length: 6 }, () => [{ kind: "call", chars: 20 }]),
    ];
    for (const [index, steps] of turns.entries()) {
      await store.inbox.record(entryOf(`${session}-${index}`, session));
      const begun = await begin(store, session, `words ${index}`);
      const entries = entriesOf({ steps: steps as readonly Step[], isRetracted: false }, []);
      await store.turns.append(begun.lease, begun.start.turnId, entries);
      await completeTurn(store, begun);
    }
    for (const last of [1, 2]) {
      await store.inbox.record(entryOf(`${session}-last-${last}`, session));
      const found = await store.turns.claim(keyOf(session), await newWorker(store), { ...limits, historyEntries: 12 });
      const [first, ...rest] = asEntries(found?.history ?? []);
      assert.equal(first?.kind, "checkpoint");
      assert.ok(rest.length > 0 && rest.length <= 12, String(rest.length));
      assert.deepEqual(visibleEntries([first, ...rest]), [first, ...rest]);
      if (found !== undefined) await store.turns.handOver(found.lease);
    }
  });
});
