import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type ProcessId, type TurnId, turnIdOf } from "@talaria/protocol";
import fc from "fast-check";
import type { SessionEffect } from "../ports/inbox.ts";
import type { MemoryEffect } from "../ports/memory-effect.ts";
import {
  answered,
  claim,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newWorker,
  said,
  startOf,
  type TestStore,
} from "../test-store.ts";

type Step =
  | { readonly kind: "say" | "stopped" | "new" | "branch" | "retry" | "late" }
  | { readonly kind: "undo" | "branchAt" | "resume"; readonly n: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "say" } as const) },
  fc.constantFrom(...(["stopped", "new", "branch", "retry", "late"] as const).map((kind) => ({ kind }))),
  fc.record({ kind: fc.constantFrom("undo", "branchAt", "resume"), n: fc.nat(5) }),
);

interface Said {
  readonly turnId: TurnId;
  readonly label: string;
  readonly isAnswered: boolean;
}

/** What people would expect of memories, each a list of turns of its own. */
class Model {
  /** The last used first; the first is the current one. */
  memories: { number: number; turns: Said[] }[] = [{ number: 1, turns: [] }];
  /** Every turn there ever was. */
  readonly ever: Said[] = [];

  get current() {
    const [first] = this.memories;
    assert.ok(first);
    return first;
  }

  get history() {
    return this.current.turns.flatMap(({ label, isAnswered }) => [
      said(label),
      ...(isAnswered ? [answered(label)] : []),
    ]);
  }

  add(turn: Said): void {
    this.current.turns.push(turn);
    this.ever.push(turn);
  }

  begin(number: number, turns: readonly Said[]): void {
    this.memories.unshift({ number, turns: [...turns] });
  }
}

describe("the memories of a session, in any order of commands", () => {
  let test: TestStore;
  let worker: ProcessId;
  let sessions = 0;
  before(async () => {
    test = await createTestStore();
    worker = await newWorker(test.store);
  });
  after(() => test[Symbol.asyncDispose]());

  it("hold what a list of turns for each of them would hold", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        sessions += 1;
        await runModel(`model-${sessions}`, steps);
      }),
      { numRuns: Number(process.env.HISTORIES ?? 25) },
    );
  });

  async function runModel(session: string, steps: readonly Step[]): Promise<void> {
    const model = new Model();
    const { store } = test;
    const key = keyOf(session);
    let events = 0;
    const record = async () => {
      events += 1;
      await store.inbox.record(entryOf(`${session}-e${events}`, session));
    };
    const effect = async (what: SessionEffect | { readonly kind: MemoryEffect["kind"] }) => {
      const settled = await store.inbox.settle({
        event: eventOf(`command-${randomUUID()}`, session),
        outcome: "command",
        reason: `command:${what.kind}`,
        effect: { ...what, sessionKey: key } as SessionEffect,
      });
      assert.equal(settled.outcome, "settled");
      return settled.outcome === "settled" && settled.applied;
    };
    const number = async () => (await store.memories.current(key))?.memory.number ?? 0;

    /** Takes what waits; `meanwhile` happens between claim and begin. */
    async function turn(outcome: "completed" | "aborted", meanwhile?: () => Promise<unknown>): Promise<void> {
      const found = await claim(store, session, worker);
      assert.deepEqual(found.history, model.history, "what the worker sees");
      const { current } = model;
      const first = found.pending[0];
      assert.ok(first);
      const label = `turn of ${first.seq}`;
      await meanwhile?.();
      const turnId = turnIdOf(key, first.seq);
      await store.turns.begin(found.lease, { ...startOf(found), turnId, entries: [said(label)] });
      const entries = outcome === "completed" ? [answered(label)] : [];
      const { released } = await store.turns.commit(found.lease, { turnId, outcome, entries, outbox: [] });
      if (!released) await store.turns.release(found.lease);
      const one = { turnId, label, isAnswered: outcome === "completed" };
      current.turns.push(one);
      model.ever.push(one);
    }

    /** Looks as a worker would. */
    async function look(): Promise<void> {
      await record();
      const found = await claim(store, session, worker);
      assert.deepEqual(found.history, model.history);
      await store.turns.drop(
        found.lease,
        found.pending.map(({ seq }) => ({ seq, reason: "looked" })),
      );
      await store.turns.release(found.lease);
      const listed = await store.memories.list(key, 50);
      const shown = model.memories.filter(({ turns }) => turns.length > 0);
      assert.deepEqual(
        listed.map(({ number: known, turns }) => [known, turns]),
        shown.map(({ number: known, turns }) => [known, turns.length]),
      );
      const newest = await store.memories.turns(key, 50);
      assert.deepEqual(
        newest.map(({ turnId }) => turnId),
        model.current.turns.map(({ turnId }) => turnId).reverse(),
      );
    }

    const carryOut: Record<Step["kind"], (n: number) => Promise<void>> = {
      say: async () => {
        await record();
        await turn("completed");
      },
      stopped: async () => {
        await record();
        await turn("aborted");
      },
      late: async () => {
        // A turn that was claimed before the memory changed.
        await record();
        await turn("aborted", async () => {
          assert.ok(await effect({ kind: "stop", sessionKey: key }));
          const isEmpty = model.current.turns.length === 0;
          assert.equal(await effect({ kind: "branch", sessionKey: key, title: "late" }), !isEmpty);
          if (!isEmpty) model.begin(await number(), model.current.turns);
        });
      },
      new: async () => {
        const isEmpty = model.current.turns.length === 0;
        assert.equal(await effect({ kind: "reset", sessionKey: key }), !isEmpty);
        if (!isEmpty) model.begin(await number(), []);
      },
      branch: async () => {
        const isEmpty = model.current.turns.length === 0;
        assert.equal(await effect({ kind: "branch", sessionKey: key, title: "a branch" }), !isEmpty);
        if (!isEmpty) model.begin(await number(), model.current.turns);
      },
      branchAt: async (n) => {
        const point = model.ever[n % Math.max(1, model.ever.length)];
        if (point === undefined) return;
        const holder = model.memories.find(({ turns }) => turns.includes(point));
        const call = { kind: "branch", sessionKey: key, turnId: point.turnId, title: "earlier" } as const;
        assert.equal(await effect(call), holder !== undefined);
        if (holder !== undefined) model.begin(await number(), holder.turns.slice(0, holder.turns.indexOf(point) + 1));
      },
      resume: async (n) => {
        const chosen = model.memories[n % model.memories.length];
        assert.ok(chosen);
        const isPossible = chosen !== model.current && chosen.turns.length > 0;
        assert.equal(await effect({ kind: "resume", sessionKey: key, number: chosen.number }), isPossible);
        if (isPossible) model.memories = [chosen, ...model.memories.filter((one) => one !== chosen)];
      },
      undo: async (n) => {
        const { turns } = model.current;
        const last = turns.slice(-(n + 1)).reverse();
        const undo = { kind: "undo", sessionKey: key, turns: last.map(({ turnId }) => turnId) } as const;
        assert.equal(await effect(undo), last.length > 0);
        turns.splice(turns.length - last.length);
      },
      retry: async () => {
        const { turns } = model.current;
        const last = turns.at(-1);
        // What stopped turns after it have said stays where they are this memory's alone: the model has it simpler.
        if (last !== undefined && !last.isAnswered) return;
        assert.equal(await effect({ kind: "retry", sessionKey: key }), last !== undefined);
        if (last === undefined) return;
        turns.pop();
        await turn("completed");
      },
    };

    for (const one of steps) {
      await carryOut[one.kind]("n" in one ? one.n : 0);
      await look();
    }
    for (const { number: known, turns } of [...model.memories]) {
      if (known === model.current.number || turns.length === 0) continue;
      await carryOut.resume(model.memories.findIndex((memory) => memory.number === known));
      await look();
    }
  }
});
