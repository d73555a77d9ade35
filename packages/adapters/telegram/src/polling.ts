import { offerPauseMs } from "@talaria/adapter-kit";
import type { Clock, Log } from "@talaria/protocol";
import type { Args, TelegramClient } from "./client.ts";
import type { Intake } from "./intake.ts";
import type { updatesFor } from "./update.ts";

const batchSize = 100;
const longPollSeconds = 30;

export interface PollingDeps {
  readonly client: TelegramClient;
  /** The kinds of updates that are asked for. */
  readonly allowed: ReturnType<typeof updatesFor>;
  readonly clock: Clock;
  readonly log: Log;
  readonly intake: Pick<Intake, "foresee" | "offerParked" | "accept" | "giveUp">;
  /** Called after each answer of the server. */
  readonly connected: () => void;
  /** Decides the jitter of the waits. */
  readonly seed: string;
}

/** Whoever is not recorded within this time, since the row of a session is locked, keeps nobody else waiting. */
export const heldMs = 1_000;

/**
 * Fetches updates, at first without waiting, until `signal` is aborted or a call fails, which it throws. An update is confirmed to Telegram only
 * after it and everything before it was accepted. Chats do not wait for each other, and what others write is asked for while one
 * waits; one chat keeps its order, so after an update that was not accepted its chat's later ones wait too, until it is accepted or
 * put aside.
 */
export async function poll(deps: PollingDeps, signal: AbortSignal): Promise<void> {
  const { client, allowed, clock, log, intake, connected, seed } = deps;
  const accepting = new Accepting(intake);
  let offset: number | undefined;
  let failures = 0;
  let waitSeconds = 0;
  while (!signal.aborted) {
    const updates = await client.call("getUpdates", toArgs(offset, waitSeconds, allowed), signal);
    connected();
    waitSeconds = longPollSeconds;
    // After an answer without updates everything below the offset is confirmed. Without an offset the next call finds
    // new updates also when Telegram restarts its numbering below the old offset.
    if (updates.length === 0) offset = undefined;
    const ordered = [...updates].sort((a, b) => a.update_id - b.update_id);
    intake.foresee(ordered);
    await intake.offerParked();
    const chats = Map.groupBy(ordered, chatOf);
    accepting.begin(chats);
    const refusals = await accepting.settled((stop) => clock.sleep(heldMs, AbortSignal.any([stop, signal])));
    offset = accepting.confirmed([...ordered, ...refusals.map(({ update }) => update)], offset);
    if (refusals.length === 0) {
      failures = 0;
      continue;
    }
    failures += 1;
    log.warn({ failures }, "updates were not recorded and will be retried");
    const othersWait = updates.length >= batchSize && refusals.length < chats.size;
    const isParked = await Promise.all(refusals.map(({ update, error }) => intake.giveUp(update, error, othersWait)));
    if (isParked.includes(true)) continue;
    await clock.sleep(offerPauseMs(failures, seed), signal).catch(() => undefined);
  }
}

function toArgs(offset: number | undefined, waitSeconds: number, allowed: PollingDeps["allowed"]): Args<"getUpdates"> {
  return {
    limit: batchSize,
    timeout: waitSeconds,
    allowed_updates: allowed,
    ...(offset === undefined ? {} : { offset }),
  };
}

type Update = { readonly update_id: number };

interface Refusal {
  readonly update: Update;
  readonly error: unknown;
}

/** What the updates of one chat came to: undefined when all of them were accepted. */
type Outcome = Refusal | undefined;

/** The updates that are being accepted, chat by chat. A chat that takes long keeps its updates, and others go on. */
class Accepting {
  readonly #intake: PollingDeps["intake"];
  /** `left`: those that were not accepted yet. */
  readonly #chats = new Map<string, { readonly left: ReadonlySet<number>; readonly work: Promise<Outcome> }>();
  readonly #ended = new Map<string, Outcome>();
  /** Accepted, and not yet confirmed to Telegram, which sends them again while another chat waits. */
  readonly #accepted = new Set<number>();

  constructor(intake: PollingDeps["intake"]) {
    this.#intake = intake;
  }

  /** Begins with what is new of each chat, unless the chat still waits. */
  begin(chats: ReadonlyMap<string, readonly Update[]>): void {
    for (const [chat, all] of chats) {
      const updates = all.filter(({ update_id: id }) => !this.#accepted.has(id));
      if (updates.length === 0 || this.#chats.has(chat)) continue;
      const left = new Set(updates.map(({ update_id: id }) => id));
      const work = this.#inOrder(updates, left);
      this.#chats.set(chat, { left, work });
      void work.then((outcome) => this.#ended.set(chat, outcome));
    }
  }

  /** Waits for all of them, and no longer than `patience`, which is told to stop. Those that were refused. */
  async settled(patience: (stop: AbortSignal) => Promise<unknown>): Promise<readonly Refusal[]> {
    const all = Promise.all([...this.#chats.values()].map(({ work }) => work));
    const enough = new AbortController();
    await Promise.race([all, patience(enough.signal).catch(() => undefined)]);
    enough.abort("settled");
    const refusals = [...this.#ended.values()].filter((outcome) => outcome !== undefined);
    for (const chat of this.#ended.keys()) this.#chats.delete(chat);
    this.#ended.clear();
    return refusals;
  }

  /**
   * The first update that Telegram has to keep, among these and those of chats that wait: any that was not accepted, also one that its
   * chat has not come to. Where all were accepted, what is behind the last of them, and never before `former`.
   */
  confirmed(updates: readonly Update[], former: number | undefined): number | undefined {
    const ids = updates.map(({ update_id: id }) => id);
    const held = [...this.#chats.values()].flatMap(({ left }) => [...left]);
    const open = [...ids.filter((id) => !this.#accepted.has(id)), ...held];
    if (ids.length === 0 && open.length === 0) return former;
    const offset = open.length > 0 ? Math.min(...open) : Math.max(former ?? 0, ...ids.map((id) => id + 1));
    for (const id of this.#accepted) if (id < offset) this.#accepted.delete(id);
    return offset;
  }

  async #inOrder(updates: readonly Update[], left: Set<number>): Promise<Outcome> {
    for (const update of updates) {
      try {
        await this.#intake.accept(update);
      } catch (error) {
        return { update, error };
      }
      this.#accepted.add(update.update_id);
      left.delete(update.update_id);
    }
    return undefined;
  }
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
