import { offerPauseMs } from "@talaria/adapter-kit";
import type { Clock, Log } from "@talaria/protocol";
import type { Args, TelegramClient } from "./client.ts";
import type { Intake } from "./intake.ts";
import { allowedUpdates } from "./update.ts";

const batchSize = 100;
const longPollSeconds = 30;

export interface PollingDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly intake: Pick<Intake, "foresee" | "offerParked" | "accept" | "giveUp">;
  /** Called after each answer of the server. */
  readonly connected: () => void;
  /** Decides the jitter of the waits. */
  readonly seed: string;
}

/**
 * Fetches updates, at first without waiting, until `signal` is aborted or a call fails, which it throws. An update is confirmed to Telegram only
 * after it and everything before it was accepted. Chats do not wait for each other; one chat keeps its order, so after
 * an update that was not accepted its chat's later ones wait too, until it is accepted or put aside.
 */
export async function poll(deps: PollingDeps, signal: AbortSignal): Promise<void> {
  const { client, clock, log, intake, connected, seed } = deps;
  let offset: number | undefined;
  let failures = 0;
  let waitSeconds = 0;
  while (!signal.aborted) {
    const updates = await client.call("getUpdates", toArgs(offset, waitSeconds), signal);
    connected();
    waitSeconds = longPollSeconds;
    // After an answer without updates everything below the offset is confirmed. Without an offset the next call finds
    // new updates also when Telegram restarts its numbering below the old offset.
    if (updates.length === 0) offset = undefined;
    const ordered = [...updates].sort((a, b) => a.update_id - b.update_id);
    intake.foresee(ordered);
    await intake.offerParked();
    const chats = Map.groupBy(ordered, chatOf);
    const refusals = await acceptAll([...chats.values()], intake);
    if (refusals.length === 0) {
      failures = 0;
      const last = ordered.at(-1);
      if (last !== undefined) offset = Math.max(offset ?? 0, last.update_id + 1);
      continue;
    }
    offset = Math.min(...refusals.map(({ update }) => update.update_id));
    failures += 1;
    log.warn({ failures }, "updates were not recorded and will be retried");
    const othersWait = updates.length >= batchSize && refusals.length < chats.size;
    const isParked = await Promise.all(refusals.map(({ update, error }) => intake.giveUp(update, error, othersWait)));
    if (isParked.includes(true)) continue;
    await clock.sleep(offerPauseMs(failures, seed), signal).catch(() => undefined);
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

type Update = { readonly update_id: number };

interface Refusal {
  readonly update: Update;
  readonly error: unknown;
}

/** Returns the first update of each chat that was not accepted. */
async function acceptAll(
  chats: readonly (readonly Update[])[],
  intake: PollingDeps["intake"],
): Promise<readonly Refusal[]> {
  const refusals = await Promise.all(chats.map((updatesOfChat) => acceptInOrder(updatesOfChat, intake)));
  return refusals.filter((refusal) => refusal !== undefined);
}

async function acceptInOrder(updates: readonly Update[], intake: PollingDeps["intake"]): Promise<Refusal | undefined> {
  for (const update of updates) {
    try {
      await intake.accept(update);
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
