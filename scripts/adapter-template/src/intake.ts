import type { AdapterHost } from "@talaria/adapter";
import { handOver } from "@talaria/adapter-kit";
import type { AccountId, Clock, Log } from "@talaria/protocol";
import type { LoopbackUpdate } from "./client.ts";
import { toEvent } from "./inbound.ts";

export interface IntakeDeps {
  readonly id: AccountId;
  readonly host: AdapterHost;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes what the platform sends, converts it and hands it to the host. */
export class Intake {
  readonly #deps: IntakeDeps;
  #selfId = "";

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** A connection begins; who we are, as the platform says. */
  begin(selfId: string): void {
    this.#selfId = selfId;
  }

  /** Resolves when the host has the update: only then may the platform hear so. Rejects when `signal` is aborted before. */
  async accept(update: LoopbackUpdate, signal: AbortSignal): Promise<void> {
    const { id, clock } = this.#deps;
    const event = toEvent(update, { id, selfId: this.#selfId }, clock.now());
    if (event !== undefined) await handOver(event, this.#deps, signal);
  }
}
