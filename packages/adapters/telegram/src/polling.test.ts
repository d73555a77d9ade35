import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, silentLog, systemClock } from "@talaria/protocol";
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
  const deps = { client, clock, log: silentLog, intake, connected: nothing, seed: "a" };
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
    const deps = { client, clock, log: silentLog, intake, connected: nothing, seed: "a" };
    await assert.rejects(poll(deps, new AbortController().signal), /script is over/);
    assert.deepEqual(offsets.slice(0, 3), [undefined, 10, 10]);
    assert.deepEqual(accepted, [11, 12, 10]);
  });
});
