import type { Lanes } from "@talaria/adapter-kit";
import type { Clock } from "@talaria/protocol";
import { backfill } from "./backfill.ts";
import type { DiscordClient } from "./client.ts";
import { type Cursors, firstIdAt } from "./cursors.ts";
import type { Places } from "./places.ts";
import type { Recorder } from "./recorder.ts";

export interface CatchUpDeps {
  readonly client: DiscordClient;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly cursors: Cursors;
  readonly places: Places;
  readonly recorder: Recorder;
  /** What happened longer ago is not fetched. */
  readonly catchUpMs: number;
}

/** Fetches what channels missed, each in its lane. */
export class CatchUp {
  readonly #deps: CatchUpDeps;
  /** The first id that could be given out after we joined a server. */
  readonly #joined = new Map<string, bigint>();

  constructor(deps: CatchUpDeps) {
    this.#deps = deps;
  }

  /** What was said in a server before is not for us. */
  joined(guildId: string, atMs: number): void {
    this.#joined.set(guildId, firstIdAt(atMs));
  }

  /** Of every channel that we know, from its events or from before. */
  queueAll(): void {
    const { cursors, places } = this.#deps;
    this.queueMissed(new Set([...cursors.channels(), ...places.ids()]));
  }

  /** Those of the channels that missed something. Of channels known from before also those whose last message Discord does not tell. */
  queueMissed(channelIds: Iterable<string>): void {
    const { cursors, places } = this.#deps;
    for (const id of channelIds) {
      const last = places.get(id)?.last_message_id;
      const isBehind = last === undefined ? cursors.knows(id) : BigInt(last) > this.#lastSeenIn(id);
      if (isBehind) this.queue(id);
    }
  }

  /** A channel of which nothing is known yet. */
  queueNew(channelId: string): void {
    if (!this.#deps.cursors.knows(channelId)) this.queue(channelId);
  }

  /** One channel. A fetch that has not begun will find everything until then. */
  queue(channelId: string): void {
    this.#deps.lanes.addOnce(channelId, channelId, (signal) => this.#fetch(channelId, signal));
  }

  async #fetch(channelId: string, signal: AbortSignal): Promise<void> {
    const { cursors, places } = this.#deps;
    const outcome = await backfill({ ...this.#deps, channelId, after: this.#lastSeenIn(channelId) }, signal);
    if (outcome === "done") return;
    places.forget(channelId);
    await cursors.forget(channelId);
  }

  /** After which message of a channel we want everything: not from before we joined its server. */
  #lastSeenIn(channelId: string): bigint {
    const { cursors, places } = this.#deps;
    const joined = this.#joined.get(places.get(channelId)?.guild_id ?? "") ?? 0n;
    const seen = cursors.of(channelId);
    return seen > joined ? seen : joined;
  }
}
