import { type Clock, GatewayError, isGatewayError } from "@talaria/protocol";
import type { CloudClient } from "./client.ts";

/** How long a good answer is believed. */
const intervalMs = 5 * 60_000;

export interface ProbeDeps {
  readonly client: CloudClient;
  readonly phoneNumberId: string;
  readonly clock: Clock;
}

/** Finds out whether a platform that is only called, never listened to, would take our calls. */
export class Probe {
  readonly #deps: ProbeDeps;
  #hurry: (() => void) | undefined;
  #isHurried = false;

  constructor(deps: ProbeDeps) {
    this.#deps = deps;
  }

  /** Asks at once, then every five minutes, and whenever a call went wrong. Ends by throwing when we are refused or not answered. */
  async session(connected: () => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isHurried = false;
      await this.#check(signal);
      connected();
      if (!this.#isHurried) await this.#wait(signal);
    }
  }

  /** A call went wrong: ask now. */
  hurry(): void {
    this.#isHurried = true;
    this.#hurry?.();
  }

  /** Whether the token may use the number. */
  async #check(signal: AbortSignal): Promise<void> {
    const { client, phoneNumberId } = this.#deps;
    try {
      await client.call({ action: "check", path: `${phoneNumberId}?fields=id` }, signal);
    } catch (error) {
      if (!isGatewayError(error, "not_found")) throw error;
      throw new GatewayError("whatsapp knows no such number", { code: "invalid_request", cause: error });
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const early = new AbortController();
    this.#hurry = () => early.abort();
    await this.#deps.clock.sleep(intervalMs, AbortSignal.any([signal, early.signal])).catch(() => undefined);
    this.#hurry = undefined;
  }
}
