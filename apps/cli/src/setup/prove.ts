import { setTimeout as delay } from "node:timers/promises";
import type { Adapter, AdapterHost, ConnectionState } from "@talaria/adapter";
import { startTrial } from "@talaria/app-gateway";
import type { TalariaConfig } from "@talaria/config";
import { brandAs, type DeliveryKey, type InboundEvent, type Log, type Sender } from "@talaria/protocol";
import { linkingText } from "../linking.ts";

export interface ProofOptions {
  readonly config: TalariaConfig;
  /** Tells the operator what to do, once the account is connected. */
  readonly greet: string;
  readonly say: (line: string) => void;
  /** Receives warnings from the adapter and the gateway's HTTP server. */
  readonly log: Log;
  readonly connectMs?: number;
  readonly messageMs?: number;
}

/**
 * Connects the account, waits for the first direct message of a person and answers it. Resolves with who wrote, after
 * the answer was sent. Throws a sentence when it can't connect, nobody writes, or the answer can't be sent.
 */
export async function proveRoundTrip(adapter: Adapter, options: ProofOptions): Promise<Sender> {
  const { config, greet, say, log, connectMs = 60_000, messageMs = 300_000 } = options;
  const connected = Promise.withResolvers<void>();
  const spoken = Promise.withResolvers<Spoken>();
  let shown = Promise.resolve();
  const giveUp = (reason: unknown) => {
    connected.reject(reason);
    spoken.reject(reason);
  };
  const show = async (state: ConnectionState) => {
    if (state.status === "needs-operator") return giveUp(new Error(state.hint));
    say((await linkingText(state)) ?? `  ${describe(state)}`);
    if (state.status === "connected") connected.resolve();
  };
  const host: AdapterHost = {
    accept: async (event) => {
      const isGreeting = event.type === "message.created" && event.conversation.kind === "direct";
      if (!isGreeting || event.sender.role !== "person") return "dropped";
      spoken.resolve(event);
      return "recorded";
    },
    isAllowed: async () => true,
    received: async () => undefined,
    kindChanged: async () => undefined,
    added: async () => undefined,
    heard: async () => undefined,
    leftOut: () => undefined,
    report: (state) => {
      shown = shown.then(() => show(state)).catch(giveUp);
    },
    receipt: async () => undefined,
  };
  for (const { promise } of [connected, spoken]) promise.catch(() => undefined);
  const trial = await startTrial(adapter, host, config, log).catch(async (error: unknown) => {
    await shown;
    giveUp(error);
    return { stop: async () => undefined };
  });
  try {
    await within(connected.promise, connectMs, "it did not connect: check the network and the keys").catch(refuse);
    const url = adapter.contactUrl?.();
    say(url === undefined ? greet : `${greet} It is at ${url}`);
    say(`Waiting for a message, at most ${Math.ceil(messageMs / 60_000)} min. Ctrl-C ends the setup.`);
    const event = await within(spoken.promise, messageMs, "no direct message came");
    await answer(adapter, event, AbortSignal.timeout(connectMs));
    return event.sender;
  } finally {
    await trial.stop();
    await shown;
  }
}

/** The account could not be connected with these keys; other keys may work. */
export class KeysRefused extends Error {}

function refuse(error: unknown): never {
  throw new KeysRefused(error instanceof Error ? error.message : String(error), { cause: error });
}

type Spoken = Extract<InboundEvent, { type: "message.created" }>;

async function answer(adapter: Adapter, { id, conversation, message }: Spoken, signal: AbortSignal): Promise<void> {
  const markdown = "Hello! This is the way there and back: Talaria is set up.";
  const deliveryKey = brandAs<DeliveryKey>(`setup-${id}`);
  const reply = { deliveryKey, conversation, markdown, attachments: [], replyTo: message.messageId };
  try {
    await adapter.send(reply, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`a message came, but the answer could not be sent: ${reason}`, { cause: error });
  }
}

function describe(state: Exclude<ConnectionState, { status: "needs-operator" }>): string {
  switch (state.status) {
    case "stopped":
    case "connecting":
    case "connected":
    case "linking":
      return state.status;
    case "reconnecting":
      return `trying again (${state.code})`;
    default:
      return state satisfies never;
  }
}

async function within<T>(work: Promise<T>, ms: number, problem: string): Promise<T> {
  const stop = new AbortController();
  const late = delay(ms, undefined, { signal: stop.signal }).then(() => {
    throw new Error(problem);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}
