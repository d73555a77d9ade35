import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { assertSameWork, entriesIn, madeIn } from "./testing/assert-same-work.ts";
import type { Death } from "./testing/mortal-turns.ts";
import type { CallKind, Move, Plan, PlannedCall } from "./testing/plan.ts";
import { afterEach, deathsAt, type Plays, startPlays } from "./testing/plays.fixture.ts";

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

/** Turns of one step, so that the window is full when the next begins. */
const talk: typeof work = {
  answers: [calls("write", "read"), end, calls("read", "write"), end, calls("write", "read"), end, calls("read"), end],
  idle: Array.from({ length: 3 }, () => [{ kind: "say", mode: "queue" }]),
  ending: "settled",
};

const asked: typeof work = { ...talk, idle: talk.idle.map((moves) => [{ kind: "compact" }, ...moves]) };

const never = Number.POSITIVE_INFINITY;

interface Case {
  readonly plan: Plan;
  /** What is made among others. */
  readonly makes: readonly string[];
}

const plans: Readonly<Record<string, Case>> = {
  "that fills its window": {
    plan: { ...work, window: { tokens: 2_200, refusedChars: never, resultChars: 1_800 } },
    makes: ["checkpoint full in a turn"],
  },
  "that fills its window with results": {
    plan: { ...work, window: { tokens: 4_200, refusedChars: never, resultChars: 3_600 } },
    makes: ["cleared full in a turn"],
  },
  "that fills its window between turns": {
    plan: { ...talk, window: { tokens: 2_480, refusedChars: never, resultChars: 900 } },
    makes: ["cleared full before a turn", "checkpoint full in a turn"],
  },
  "that somebody wants to be shortened": {
    plan: { ...asked, window: { tokens: 2_200, refusedChars: never, resultChars: 1_800 } },
    makes: ["cleared asked before a turn", "checkpoint asked before a turn"],
  },
  "whose server refuses what is longer than it was said to take": {
    plan: { ...work, window: { tokens: 100_000, refusedChars: 5_000, resultChars: 1_800 } },
    makes: ["checkpoint refused in a turn"],
  },
  "whose server refuses results that are too long": {
    plan: { ...work, window: { tokens: 100_000, refusedChars: 12_000, resultChars: 1_800 } },
    makes: ["cleared refused in a turn"],
  },
};

describe("a worker that dies while a conversation is shortened", () => {
  let plays: Plays;
  before(async () => {
    plays = await startPlays();
  });
  after(() => plays?.[Symbol.asyncDispose]());

  async function play(plan: Plan, ...given: readonly Death[]) {
    const ended = await plays.play(plan, ...given);
    return [ended, await entriesIn(ended, plays.query)] as const;
  }

  for (const [name, { plan, makes }] of Object.entries(plans))
    it(`leaves the same work done and the same compressions, at each write of a conversation ${name}`, async () => {
      const calm = await play(plan);
      const [{ writes, shortenedAt }, entries] = calm;
      const made = madeIn(entries).map((entry) => described(entry, entries));
      for (const one of makes) assert.ok(made.includes(one), made.join());
      // Around a compression in every way, elsewhere in one of them: `journal-deaths.test.ts` has the others.
      const deaths = deathsAt(writes, (at) => shortenedAt.some((shortened) => Math.abs(shortened - at) <= 1));
      await afterEach(deaths, async (death) => assertSameWork(calm, await play(plan, death)));
    });
});

function described(made: ReturnType<typeof madeIn>[number], entries: readonly TranscriptEntry[]): string {
  const before = entries.slice(0, entries.indexOf(made)).findLast(({ kind }) => kind === "assistant");
  const isBetween = before?.kind === "assistant" && before.toolCalls.length === 0;
  return `${made.kind} ${made.reason} ${isBetween ? "before" : "in"} a turn`;
}
