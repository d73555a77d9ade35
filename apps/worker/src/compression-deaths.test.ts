import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Pool } from "pg";
import { assertSameWork, entriesIn, madeIn } from "./testing/assert-same-work.ts";
import { assertSound } from "./testing/assert-sound.ts";
import { ConversationPlay, type Ended, type Query } from "./testing/conversation-play.ts";
import type { Death } from "./testing/mortal-turns.ts";
import type { CallKind, Move, Plan, PlannedCall } from "./testing/plan.ts";
import { createTestStore, type TestStore } from "./worker.fixture.ts";

/** Conversations that are played at the same time. */
const atOnce = 4;

function call(kind: CallKind, meanwhile?: Move): PlannedCall {
  return { kind, fate: "approved", lingers: 1, meanwhile };
}

function calls(...kinds: readonly CallKind[]) {
  return { calls: kinds.map((kind) => call(kind)), meanwhile: [] };
}

const end = { calls: [], meanwhile: [] };

/** Work that fills the window in the middle of a turn and at the beginning of one, with calls that are answered late. */
const work: Pick<Plan, "answers" | "idle" | "ending"> = {
  answers: [
    calls("read", "write", "read"),
    { calls: [call("read", { kind: "say", mode: "steer" }), call("write"), call("write")], meanwhile: [] },
    calls("ask", "read"),
    calls("read", "write", "write"),
    calls("read", "read", "write"),
    end,
    calls("write", "read", "read"),
    end,
    calls("ask", "read", "write"),
    end,
  ],
  idle: [
    [{ kind: "decide" }],
    [{ kind: "say", mode: "queue" }],
    [{ kind: "say", mode: "queue" }],
    [{ kind: "decide" }],
  ],
  ending: "settled",
};

const never = Number.POSITIVE_INFINITY;

const plans: Readonly<Record<string, { readonly plan: Plan; readonly makes: readonly string[] }>> = {
  "that fills its window": {
    plan: { ...work, window: { tokens: 2_200, refusedChars: never, resultChars: 630 } },
    makes: ["checkpoint full"],
  },
  "that fills its window with results": {
    plan: { ...work, window: { tokens: 4_200, refusedChars: never, resultChars: 990 } },
    makes: ["cleared full"],
  },
  "whose server refuses what is longer than it was said to take": {
    plan: { ...work, window: { tokens: 100_000, refusedChars: 8_000, resultChars: 630 } },
    makes: ["checkpoint refused"],
  },
};

describe("a worker that dies while a conversation is shortened", () => {
  let test: TestStore;
  let pool: Pool;

  before(async () => {
    test = await createTestStore();
    pool = new Pool({ connectionString: test.url, max: atOnce });
  });
  after(async () => {
    await pool.end();
    await test[Symbol.asyncDispose]();
  });

  const query: Query = async <Row>(text: string, values: readonly unknown[]) =>
    (await pool.query(text, [...values])).rows as readonly Row[];

  async function play(plan: Plan, ...given: readonly Death[]) {
    const ended: Ended = await new ConversationPlay(test, query, plan, given).play();
    await assertSound(plan, ended, query);
    return [ended, await entriesIn(ended, query)] as const;
  }

  for (const [name, { plan, makes }] of Object.entries(plans))
    it(`leaves the same work done and the same compressions, at each write of a conversation ${name}`, async () => {
      const calm = await play(plan);
      const made = madeIn(calm[1]).map(({ kind, reason }) => `${kind} ${reason}`);
      for (const one of makes) assert.ok(made.includes(one), made.join());
      const all = Array.from({ length: calm[0].writes }, (_, index) => index + 1).flatMap((at) =>
        (["before", "after", "asleep"] as const).map((when): Death => ({ at, when })),
      );
      while (all.length > 0)
        await Promise.all(
          all.splice(0, atOnce).map(async (death) => {
            try {
              assertSameWork(plan, calm, await play(plan, death));
            } catch (cause) {
              throw new Error(`${death.when} at write ${death.at} of ${calm[0].writes}`, { cause });
            }
          }),
        );
    });
});
