import type { App, Receiver } from "@slack/bolt";
import { GatewayError, type Log } from "@talaria/protocol";
import { read } from "./wire.ts";

/** What Slack brings, by socket or by HTTP. The last two are set when it comes again. */
export interface Brought {
  readonly kind: "events_api" | "slash_commands" | "interactive";
  readonly payload: unknown;
  readonly retryNum?: number;
  readonly retryReason?: string;
}

/** What listeners find in Bolt's context: to be called when they have taken their place in a channel's lane. */
export type Arrival = { readonly arrived: () => void };

/**
 * Leads what Slack brings through a Bolt app. Bolt's own receivers acknowledge before a listener runs; here the caller
 * acknowledges when `take` has resolved. Listeners begin in the order of the calls, whatever their kind.
 */
export class DurableReceiver implements Receiver {
  readonly #log: Log;
  #app: Pick<App, "processEvent"> | undefined;
  #isOpen = false;
  #before: Promise<void> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
  }

  init(app: Pick<App, "processEvent">): void {
    this.#app = app;
  }

  async start(): Promise<void> {
    this.#isOpen = true;
  }

  async stop(): Promise<void> {
    this.#isOpen = false;
  }

  /** Resolves when nobody needs it again. Rejects with the listener's error when Slack should bring it again. */
  async take({ kind, payload, ...retry }: Brought): Promise<void> {
    const body = readBody[kind](payload);
    if (body === undefined) return this.#log.debug({ kind }, "what slack brought was not understood");
    const { promise, resolve: arrived } = Promise.withResolvers<void>();
    const before = this.#before;
    this.#before = promise;
    try {
      await before;
      if (this.#app === undefined || !this.#isOpen)
        throw new GatewayError("the account is not connected", { code: "unavailable", effect: "none" });
      const customProperties: Arrival = { arrived };
      await this.#app.processEvent({ body, ack: acknowledgedLater, customProperties, ...retry });
    } finally {
      arrived();
    }
  }
}

/** How often and why Slack repeats itself, where it says so understandably. */
export function retryOf(num: unknown, reason: unknown): Pick<Brought, "retryNum" | "retryReason"> {
  const count = typeof num === "string" ? Number(num) : num;
  return {
    ...(typeof count === "number" && Number.isInteger(count) && count > 0 ? { retryNum: count } : {}),
    ...(typeof reason === "string" && reason !== "" ? { retryReason: reason.slice(0, 100) } : {}),
  };
}

/** Bolt stumbles over odd bodies, so it gets only what has been checked. Undefined for what has no listener here. */
const readBody: Readonly<Record<Brought["kind"], (payload: unknown) => Record<string, unknown> | undefined>> = {
  events_api: read.outer,
  slash_commands: read.command,
  interactive: read.press,
};

/** Bolt calls this before it calls a listener for an event. */
async function acknowledgedLater(): Promise<void> {}
