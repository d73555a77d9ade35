import { setTimeout as delay } from "node:timers/promises";
import type { Adapter, AdapterHost, ConnectionState } from "@talaria/adapter";
import { startTrial } from "@talaria/app-gateway";
import type { TalariaConfig } from "@talaria/config";
import { brandAs, type DeliveryKey, type InboundEvent, type Sender, silentLog } from "@talaria/protocol";
import { linkingText } from "../linking.ts";

export interface ProofOptions {
  readonly config: TalariaConfig;
  /** Tells the operator what to do, once the account is connected. */
  readonly greet: string;
  readonly say: (line: string) => void;
  readonly connectMs?: number;
  readonly messageMs?: number;
}

/**
 * Connects the account, waits for the first direct message of a person and answers it. Resolves with who wrote, after
 * the answer was sent. Throws a sentence when it can't connect, nobody writes, or the answer can't be sent.
 */
export async function proveRoundTrip(adapter: Adapter, options: ProofOptions): Promise<Sender> {
  const { config, greet, say, connectMs = 60_000, messageMs = 300_000 } = options;
  const connected = Promise.withResolvers<void>();
  const spoken = Promise.withResolvers<Extract<InboundEvent, { type: "message.created" }>>();
  let shown = Promise.resolve();
  const show = async (state: ConnectionState) => {
    say((await linkingText(state)) ?? `  ${describe(state)}`);
    if (state.status === "connected") connected.resolve();
    if (state.status === "needs-operator") connected.reject(new Error(state.hint));
  };
  const host: AdapterHost = {
    accept: async (event) => {
      const isGreeting = event.type === "message.created" && event.conversation.kind === "direct";
      if (!isGreeting || event.sender.role !== "person") return "dropped";
      spoken.resolve(event);
      return "recorded";
    },
    report: (state) => {
      shown = shown.then(() => show(state)).catch(connected.reject);
    },
    receipt: async () => undefined,
  };
  connected.promise.catch(() => undefined);
  const trial = await startTrial(adapter, host, config, silentLog);
  try {
    await within(connected.promise, connectMs, "it did not connect: check the network and the keys");
    say(greet);
    const event = await within(spoken.promise, messageMs, "no direct message came");
    const { conversation, message, sender } = event;
    const markdown = "Hello! This is the way there and back: Talaria is set up.";
    const deliveryKey = brandAs<DeliveryKey>(`setup-${event.id}`);
    const answer = { deliveryKey, conversation, markdown, attachments: [], replyTo: message.messageId };
    await adapter.send(answer, AbortSignal.timeout(connectMs));
    return sender;
  } finally {
    await trial.stop();
    await shown;
  }
}

function describe(state: ConnectionState): string {
  switch (state.status) {
    case "stopped":
    case "connecting":
    case "connected":
    case "linking":
      return state.status;
    case "reconnecting":
      return `trying again (${state.code})`;
    case "needs-operator":
      return `it needs you: ${state.hint}`;
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
