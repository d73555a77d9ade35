import type { Lanes } from "@talaria/adapter-kit";
import type { Clock, Log } from "@talaria/protocol";
import { missedIn } from "./backfill.ts";
import type { SlackClient } from "./client.ts";
import type { Cursors } from "./cursors.ts";
import type { Recorder } from "./recorder.ts";
import { read, type SlackSelf } from "./wire.ts";

export interface CatchUpDeps {
  readonly client: SlackClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly lanes: Lanes;
  readonly cursors: Cursors;
  readonly recorder: Recorder;
  readonly catchUpMs: number;
}

/**
 * Slack repeats by itself what was missed in a shorter time, but late: then the places used last are enough, so that
 * nothing newer overtakes it there.
 */
const shortGapMs = 60_000;
const mostPlaces = { short: 10, long: 100 };
const mostBackfillTries = 3;

/** Fetches what was said in the places we know while no event could reach us. */
export class CatchUp {
  readonly #deps: CatchUpDeps;
  #aliveAt = Number.NEGATIVE_INFINITY;
  #hasBegun = false;

  constructor(deps: CatchUpDeps) {
    this.#deps = deps;
  }

  /** Events come from now on, to us as `self`. What was missed until now is queued before them. */
  begin(self: SlackSelf): void {
    const { clock, cursors, recorder } = this.#deps;
    recorder.become(self);
    const now = clock.now();
    const most = clock.elapsed() - this.#aliveAt > shortGapMs ? mostPlaces.long : mostPlaces.short;
    for (const [place, ts] of cursors.places().slice(0, most)) this.#queueMissed(place, ts, now);
    this.#aliveAt = clock.elapsed();
    this.#hasBegun = true;
  }

  /** Events can flow. */
  alive(): void {
    this.#aliveAt = this.#deps.clock.elapsed();
  }

  /** The connection is over. Events could flow until now, if they ever could. */
  end(): void {
    if (this.#hasBegun) this.alive();
    this.#hasBegun = false;
  }

  #queueMissed(place: string, ts: string, now: number): void {
    const { lanes, catchUpMs, cursors, log } = this.#deps;
    const [channel = ""] = place.split("/");
    const oldest = `${Math.floor((now - catchUpMs) / 1_000)}.000000`;
    const after = ts > oldest ? ts : oldest;
    let tries = 0;
    lanes.addOnce(channel, place, async (signal) => {
      tries += 1;
      try {
        await this.#recordMissed(place, after, signal);
      } catch (error) {
        if (signal.aborted || tries < mostBackfillTries) throw error;
        log.warn({ conversationId: channel, error }, "what was missed in a channel could not be fetched");
        cursors.forget(place);
      }
    });
  }

  async #recordMissed(place: string, after: string, signal: AbortSignal): Promise<void> {
    const { client, recorder } = this.#deps;
    const [channel = ""] = place.split("/");
    for (const value of await missedIn({ client, place, after }, signal)) {
      const message = read.spoken({ ...(value as object), channel });
      if (message !== undefined) await recorder.recordMessage(message, place, signal);
    }
  }
}
