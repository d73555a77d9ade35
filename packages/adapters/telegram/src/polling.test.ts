import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, silentLog, systemClock } from "@talaria/protocol";
import fc from "fast-check";
import type { TelegramClient } from "./client.ts";
import { heldMs, poll } from "./polling.ts";

interface Update {
  readonly update_id: number;
  readonly message: { readonly chat: { readonly id: number } };
}

const update = (update_id: number, chat = 1): Update => ({ update_id, message: { chat: { id: chat } } });

/** Polls through the given answers of the server. `refused` are the ids that the host does not take the first time. */
async function play(answers: readonly (readonly Update[])[], refused: readonly number[] = []) {
  const waiting = [...answers];
  const calls: { offset?: number; timeout?: number }[] = [];
  const accepted: number[] = [];
  const toRefuse = new Set(refused);
  const client = {
    async call(_method: string, args: { offset?: number; timeout?: number }) {
      calls.push(args);
      const answer = waiting.shift();
      if (answer === undefined) throw new GatewayError("the script is over", { code: "unavailable" });
      return answer;
    },
  } as unknown as TelegramClient;
  const accept = async (raw: unknown) => {
    const { update_id } = raw as Update;
    if (toRefuse.delete(update_id)) throw new Error("the host refuses");
    accepted.push(update_id);
  };
  const clock = {
    now: systemClock.now,
    elapsed: systemClock.elapsed,
    sleep: (ms: number, stop?: AbortSignal) => (ms === heldMs ? ended(stop) : Promise.resolve()),
  };
  const nothing = () => undefined;
  const intake = { foresee: nothing, offerParked: async () => undefined, accept, giveUp: async () => false };
  const deps = { client, clock, log: silentLog, intake, allowed: [], connected: nothing, seed: "a" };
  await assert.rejects(poll(deps, new AbortController().signal), /script is over/);
  return { offsets: calls.map(({ offset }) => offset), timeouts: calls.map(({ timeout }) => timeout), accepted };
}

/** Patience without end, so that only what the host does decides. */
function ended(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
}

describe("polling", () => {
  it("confirms what was accepted with the next call", async () => {
    const { offsets, accepted } = await play([[update(10), update(11)], [update(12)]]);
    assert.deepEqual(accepted, [10, 11, 12]);
    assert.deepEqual(offsets, [undefined, 12, 13]);
  });

  it("asks without waiting first, so that a bad connection shows at once", async () => {
    const { timeouts } = await play([[], []]);
    assert.deepEqual(timeouts, [0, 30, 30]);
  });

  it("never confirms an update that was not accepted, nor takes its chat's later ones", async () => {
    const batch = [update(10), update(11, 2), update(12), update(13, 2)];
    const { offsets, accepted } = await play([batch, batch.slice(1)], [11]);
    assert.deepEqual(offsets, [undefined, 11, 14]);
    assert.deepEqual(accepted, [10, 12, 11, 13]);
  });

  it("takes updates that come in another order by their ids", async () => {
    const { offsets, accepted } = await play([[update(12), update(10), update(11)]]);
    assert.deepEqual(accepted, [10, 11, 12]);
    assert.deepEqual(offsets, [undefined, 13]);
  });

  it("does not go back to an update that comes again", async () => {
    const { offsets } = await play([[update(10)], [update(7)]]);
    assert.deepEqual(offsets, [undefined, 11, 11]);
  });

  it("finds new updates also when their ids start anew after a quiet time", async () => {
    const { offsets, accepted } = await play([[update(1_000)], [], [update(5)]]);
    assert.deepEqual(accepted, [1_000, 5]);
    assert.deepEqual(offsets, [undefined, 1_001, undefined, 6]);
  });

  it("asks on while the row of one chat is locked, and confirms nothing of it", async () => {
    const locked = Promise.withResolvers<void>();
    const answers = [[update(10), update(11, 2)], [update(10), update(11, 2), update(12, 2), update(13)], []];
    const offsets: (number | undefined)[] = [];
    const accepted: number[] = [];
    const client = {
      async call(_method: string, { offset }: { offset?: number }) {
        offsets.push(offset);
        if (offsets.length === 3) locked.resolve();
        const answer = answers.shift();
        if (answer === undefined) throw new GatewayError("the script is over", { code: "unavailable" });
        return answer;
      },
    } as unknown as TelegramClient;
    const accept = async (raw: unknown) => {
      const { update_id } = raw as Update;
      if (update_id === 10) await locked.promise;
      accepted.push(update_id);
    };
    const sleep = (ms: number) => (ms === heldMs ? systemClock.sleep(20) : Promise.resolve());
    const nothing = () => undefined;
    const intake = { foresee: nothing, offerParked: async () => undefined, accept, giveUp: async () => false };
    const clock = { ...systemClock, sleep };
    const deps = { client, clock, log: silentLog, intake, allowed: [], connected: nothing, seed: "a" };
    await assert.rejects(poll(deps, new AbortController().signal), /script is over/);
    assert.deepEqual(offsets.slice(0, 3), [undefined, 10, 10]);
    assert.deepEqual(accepted, [11, 12, 10]);
  });

  it("confirms nothing that a chat has not come to, when what it waited for ends at last", async () => {
    const locked = Promise.withResolvers<void>();
    const batch = [update(10), update(11), update(12), update(13, 2)];
    const offsets: (number | undefined)[] = [];
    const accepted: number[] = [];
    const client = {
      async call(_method: string, { offset }: { offset?: number }) {
        offsets.push(offset);
        const first = offsets.length === 1;
        if (offsets.length === 5) throw new GatewayError("the script is over", { code: "unavailable" });
        return batch.filter(({ update_id: id }) => id >= (offset ?? 0) && (!first || id === 10));
      },
    } as unknown as TelegramClient;
    const accept = async (raw: unknown) => {
      const { update_id } = raw as Update;
      if (update_id === 10) await locked.promise;
      accepted.push(update_id);
    };
    // The first look ends while the chat waits, the second one when it does no more.
    const sleep = (ms: number, stop?: AbortSignal) => {
      if (ms !== heldMs || offsets.length === 1) return Promise.resolve();
      locked.resolve();
      return ended(stop);
    };
    const nothing = () => undefined;
    const intake = { foresee: nothing, offerParked: async () => undefined, accept, giveUp: async () => false };
    const deps = {
      client,
      clock: { ...systemClock, sleep },
      log: silentLog,
      intake,
      allowed: [],
      connected: nothing,
      seed: "a",
    };
    await assert.rejects(poll(deps, new AbortController().signal), /script is over/);
    assert.deepEqual(accepted.toSorted(), [10, 11, 12, 13]);
    assert.deepEqual(offsets, [undefined, 10, 11, 14, undefined]);
  });

  it("has everything accepted in its chat's order before it is confirmed, however long chats take and whatever is refused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ chat: fc.integer({ min: 1, max: 3 }), takes: fc.nat(12), refusals: fc.nat(2) }), {
          minLength: 1,
          maxLength: 260,
        }),
        fc.infiniteStream(fc.nat(8)),
        async (all, patience) => {
          const queue = all.map(({ chat }, index) => update(100 + index, chat));
          const refusals = new Map(all.map((each, index) => [100 + index, each.refusals]));
          const accepted: number[] = [];
          const client = {
            async call(_method: string, { offset = 0, limit }: { offset?: number; limit: number }) {
              const open = queue.filter(({ update_id: id }) => id >= offset);
              const lost = queue.filter(({ update_id: id }) => id < offset && !accepted.includes(id));
              assert.deepEqual(lost, []);
              if (open.length === 0) throw new GatewayError("the script is over", { code: "unavailable" });
              return open.slice(0, limit);
            },
          } as unknown as TelegramClient;
          const accept = async (raw: unknown) => {
            const { update_id: id } = raw as Update;
            await moments(all[id - 100]?.takes ?? 0);
            const left = refusals.get(id) ?? 0;
            refusals.set(id, left - 1);
            if (left > 0) throw new Error("the host refuses");
            accepted.push(id);
          };
          const sleep = (ms: number) => moments(ms === heldMs ? (patience.next().value ?? 0) : 0);
          const nothing = () => undefined;
          const intake = { foresee: nothing, offerParked: async () => undefined, accept, giveUp: async () => false };
          const deps = {
            client,
            clock: { ...systemClock, sleep },
            log: silentLog,
            intake,
            allowed: [],
            connected: nothing,
            seed: "a",
          };
          await assert.rejects(poll(deps, new AbortController().signal), /script is over/);
          for (const chat of [1, 2, 3])
            assert.deepEqual(
              accepted.filter((id) => all[id - 100]?.chat === chat),
              all.flatMap((each, index) => (each.chat === chat ? [100 + index] : [])),
            );
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function moments(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
}
