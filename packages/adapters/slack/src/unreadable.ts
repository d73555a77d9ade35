import type { AccountId, Log } from "@talaria/protocol";
import { faultsIn } from "./wire.ts";

/**
 * Events of a kind that we know, and could not read. They are acknowledged, since Slack would only repeat them, but neither
 * lost without a trace: each is logged with the fields at fault and with how many there were since the start.
 */
export class Unreadable {
  readonly #accountId: AccountId;
  readonly #log: Log;
  #count = 0;

  constructor(accountId: AccountId, log: Log) {
    this.#accountId = accountId;
    this.#log = log;
  }

  /** `kind` is Slack's name for the event. */
  note(kind: string, schema: Parameters<typeof faultsIn>[0], value: unknown): void {
    this.#count += 1;
    const facts = { accountId: this.#accountId, kind, fields: faultsIn(schema, value), unreadable: this.#count };
    this.#log.warn(facts, "an event of slack could not be read and is left out");
  }
}
