import { backoffMs, type Patience } from "@talaria/adapter-kit";
import type { Clock } from "@talaria/protocol";
import type { Args, TelegramClient } from "./client.ts";
import { allowedUpdates } from "./update.ts";

const batchSize = 100;
const longPollSeconds = 30;

/** The wait before updates are fetched again that the host did not take. */
const hostPatience: Patience = { firstMs: 500, longestMs: 30_000, stableMs: 0 };

export interface PollingDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
  /** Shown each batch before its updates are handed over, whatever their order. */
  readonly preview: (updates: readonly unknown[]) => void;
  /** Hands over one update. Resolves when nobody needs it again; rejects when it has to come back. */
  readonly accept: (update: unknown) => Promise<void>;
  /** Told of each update that was not accepted. Resolves with true when it is put aside and need not come back. */
  readonly giveUp: (update: Update, error: unknown, othersWait: boolean) => Promise<boolean>;
  /** Called after each answer of the server, before its updates are handed over. */
  readonly inBetween: () => Promise<void>;
  /** Called after each answer of the server. */
  readonly connected: () => void;
  /** Called before a wait, with the number of batches in a row that the host did not take whole. */
  readonly refused: (failures: number) => void;
  readonly seed: string;
}

/**
 * Fetches updates, at first without waiting, until `signal` is aborted or a call fails, which it throws. An update is confirmed to Telegram only
 * after it and everything before it was accepted. Chats do not wait for each other; one chat keeps its order, so after
 * an update that was not accepted its chat's later ones wait too, until it is accepted or put aside.
 */
export async function poll(deps: PollingDeps, signal: AbortSignal): Promise<void> {
  const { client, clock, connected, refused, seed, preview, giveUp, inBetween } = deps;
  let offset: number | undefined;
  let failures = 0;
  let waitSeconds = 0;
  while (!signal.aborted) {
    const updates = await client.call("getUpdates", toArgs(offset, waitSeconds), signal);
    connected();
    waitSeconds = longPollSeconds;
    // After an answer without updates everything below the offset is confirmed. Without an offset the next call finds
    // new updates also when Telegram starts to number them anew, below the old offset.
    if (updates.length === 0) offset = undefined;
    const ordered = [...updates].sort((a, b) => a.update_id - b.update_id);
    preview(ordered);
    await inBetween();
    const chats = Map.groupBy(ordered, chatOf);
    const refusals = await acceptAll([...chats.values()], deps.accept);
    if (refusals.length === 0) {
      failures = 0;
      const last = ordered.at(-1);
      if (last !== undefined) offset = Math.max(offset ?? 0, last.update_id + 1);
      continue;
    }
    offset = Math.min(...refusals.map(({ update }) => update.update_id));
    failures += 1;
    refused(failures);
    const othersWait = updates.length >= batchSize && refusals.length < chats.size;
    const isParked = await Promise.all(refusals.map(({ update, error }) => giveUp(update, error, othersWait)));
    if (isParked.includes(true)) continue;
    await clock.sleep(backoffMs(failures, hostPatience, seed), signal).catch(() => undefined);
  }
}

function toArgs(offset: number | undefined, waitSeconds: number): Args<"getUpdates"> {
  return {
    limit: batchSize,
    timeout: waitSeconds,
    allowed_updates: allowedUpdates,
    ...(offset === undefined ? {} : { offset }),
  };
}

export type Update = { readonly update_id: number };

interface Refusal {
  readonly update: Update;
  readonly error: unknown;
}

/** Returns the first update of each chat that was not accepted. */
async function acceptAll(
  chats: readonly (readonly Update[])[],
  accept: PollingDeps["accept"],
): Promise<readonly Refusal[]> {
  const refusals = await Promise.all(chats.map((updatesOfChat) => acceptInOrder(updatesOfChat, accept)));
  return refusals.filter((refusal) => refusal !== undefined);
}

async function acceptInOrder(updates: readonly Update[], accept: PollingDeps["accept"]): Promise<Refusal | undefined> {
  for (const update of updates) {
    try {
      await accept(update);
    } catch (error) {
      return { update, error };
    }
  }
  return undefined;
}

/** Names the chat of an update, whatever kind of update it is. */
function chatOf(update: Update): string {
  for (const content of Object.values(update) as unknown[]) {
    if (typeof content !== "object" || content === null) continue;
    const { chat, message } = content as { chat?: { id?: unknown }; message?: { chat?: { id?: unknown } } };
    const id = chat?.id ?? message?.chat?.id;
    if (id !== undefined) return String(id);
  }
  return "";
}
