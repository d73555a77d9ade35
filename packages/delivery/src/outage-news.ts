import type { AccountId, Clock, DeliveryKey, GatewayError, Log } from "@talaria/protocol";
import { reasonOf } from "./last-failure.ts";

const remindMs = 15 * 60_000;
/** Texts that are told apart. */
const mostTexts = 10_000;

/**
 * Tells the log of an outage of one account's platform: when it begins, when it ends, and at times that it lasts. The single calls that
 * fail meanwhile are told at `debug`.
 */
export class OutageNews {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #log: Log;
  readonly #accountId: AccountId;
  readonly #texts = new Set<DeliveryKey>();
  #since: number | undefined;
  #remindAt = 0;

  constructor({ clock, log, accountId }: { readonly clock: Clock; readonly log: Log; readonly accountId: AccountId }) {
    this.#clock = clock;
    this.#log = log;
    this.#accountId = accountId;
  }

  /** A call for a text ended without a usable answer. */
  failed(error: GatewayError, text: DeliveryKey): void {
    const now = this.#clock.elapsed();
    if (this.#texts.size < mostTexts) this.#texts.add(text);
    if (this.#since !== undefined && now < this.#remindAt) return;
    const reason = reasonOf(error);
    const fields = { accountId: this.#accountId, code: error.code, ...(reason === undefined ? {} : { reason }) };
    this.#remindAt = now + remindMs;
    if (this.#since === undefined) {
      this.#since = now;
      this.#log.warn(fields, "the platform takes no messages; they wait and are tried again");
    } else {
      const durationMs = Math.round(now - this.#since);
      this.#log.warn({ ...fields, durationMs, texts: this.#texts.size }, "the platform still takes no messages");
    }
  }

  /** The platform took a message. */
  worked(): void {
    if (this.#since === undefined) return;
    const durationMs = Math.round(this.#clock.elapsed() - this.#since);
    this.#log.info(
      { accountId: this.#accountId, durationMs, texts: this.#texts.size },
      "the platform takes messages again",
    );
    this.#since = undefined;
    this.#texts.clear();
  }
}
