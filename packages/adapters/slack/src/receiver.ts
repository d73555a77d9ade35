import type { App, Receiver } from "@slack/bolt";
import { GatewayError } from "@talaria/protocol";
import type { Unreadable } from "./unreadable.ts";
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
  readonly #unreadable: Pick<Unreadable, "note">;
  #app: Pick<App, "processEvent"> | undefined;
  #isOpen = false;
  #before: Promise<void> = Promise.resolve();

  constructor(unreadable: Pick<Unreadable, "note">) {
    this.#unreadable = unreadable;
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
    if (body === undefined) {
      const schema = schemaOf(kind, payload);
      if (schema !== undefined) this.#unreadable.note(kind, schema, payload);
      return;
    }
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

/** How a body should have looked; undefined for windows and shortcuts, of which we have none. */
function schemaOf(kind: Brought["kind"], payload: unknown): "outer" | "command" | "press" | undefined {
  if (kind === "events_api") return "outer";
  if (kind === "slash_commands") return "command";
  const isPress = typeof payload === "object" && payload !== null && "type" in payload;
  return isPress && payload.type === "block_actions" ? "press" : undefined;
}

/** Bolt calls this before it calls a listener for an event. */
async function acknowledgedLater(): Promise<void> {}
