import { SocketModeClient } from "@slack/socket-mode";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import type { CatchUp } from "./catch-up.ts";
import { quiet, type SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { toGatewayError } from "./errors.ts";
import { type DurableReceiver, retryOf } from "./receiver.ts";
import type { SlackSelf } from "./wire.ts";

/** A connection without a `hello` within this time is closed. */
const openWithinMs = 60_000;
const closeWithinMs = 1_000;
/** Slack asks for a new connection every hour or so. More often than this is a fault, and waits its turn. */
const refreshes = { most: 5, withinMs: 10 * 60_000 };

export interface SocketDeps {
  readonly config: SlackConfig;
  readonly appToken: string;
  readonly client: SlackClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Who we are in Slack. */
  readonly self: SlackSelf;
  /** Begins when the first socket of the session is greeted: what is said from then on comes over it. */
  readonly catchUp: CatchUp;
  readonly receiver: DurableReceiver;
}

/**
 * One session of Socket Mode; when Slack asks for a new connection, it is opened before the old one closes. Envelopes
 * are acknowledged after the receiver has taken them. Ends by throwing, or when `signal` is aborted.
 */
export async function runSocketSession(deps: SocketDeps, connected: () => void, signal: AbortSignal): Promise<void> {
  const { clock } = deps;
  const renewals: number[] = [];
  let socket = await openSocket(deps, () => deps.catchUp.begin(deps.self), signal);
  try {
    while (!signal.aborted) {
      connected();
      const end = await Promise.race([socket.ended, aborted(signal)]);
      if (end === "aborted") return;
      if (end === "link_disabled")
        throw new GatewayError("Socket Mode was switched off", { code: "forbidden", details: { error: end } });
      const now = clock.elapsed();
      while ((renewals[0] ?? now) < now - refreshes.withinMs) renewals.shift();
      renewals.push(now);
      const isOrdinary = end === "refresh_requested" || end === "warning";
      if (!isOrdinary || renewals.length > refreshes.most)
        throw new GatewayError(`slack ended the connection (${end})`, { code: "unavailable", details: { end } });
      const next = await openSocket(deps, () => undefined, signal);
      await closeSocket(socket, clock);
      socket = next;
    }
  } finally {
    await closeSocket(socket, clock);
  }
}

interface OpenSocket {
  readonly client: SocketModeClient;
  /** Why it has ended or is about to. Never rejects. */
  readonly ended: Promise<string>;
}

/** What the library makes of a message; the last two come from outside unchecked. */
interface Envelope {
  readonly ack: () => Promise<void>;
  readonly type: string;
  readonly body: unknown;
  readonly retry_num?: unknown;
  readonly retry_reason?: unknown;
}

async function openSocket(deps: SocketDeps, greeted: () => void, signal: AbortSignal): Promise<OpenSocket> {
  const { config, appToken, client, clock, log, receiver } = deps;
  const opening = new AbortController();
  const whole = AbortSignal.any([signal, opening.signal]);
  const ended = Promise.withResolvers<string>();
  const socket = new DurableSocket(
    {
      appToken,
      // The library's own reconnection dies of a refused apps.connections.open with an unhandled rejection.
      autoReconnectEnabled: false,
      clientPingTimeout: config.pingTimeoutMs,
      logger: quiet(log),
      clientOptions: {
        ...client.options,
        fetch: (url, init) => client.options.fetch(url, { ...init, signal: whole }),
      },
      ...(client.dispatcher === undefined ? {} : { dispatcher: client.dispatcher }),
    },
    { greeted, ending: ended.resolve },
  );
  socket.on("disconnected", () => ended.resolve("lost"));
  socket.on("slack_event", ({ ack, type, body, retry_num, retry_reason }: Envelope) => {
    if (type !== "events_api" && type !== "slash_commands" && type !== "interactive") return;
    receiver
      .take({ kind: type, payload: body, ...retryOf(retry_num, retry_reason) })
      .then(() => ack())
      .catch((error: unknown) => log.debug({ error }, "an envelope was not acknowledged and comes again"));
  });
  const opened = { client: socket, ended: ended.promise };
  try {
    const late = clock.sleep(openWithinMs, whole).then(
      () => Promise.reject(new GatewayError("slack did not greet in time", { code: "unavailable" })),
      () => Promise.reject(new GatewayError("a connection was not opened", { code: "aborted" })),
    );
    await Promise.race([socket.start(), late]);
    return opened;
  } catch (error) {
    opening.abort();
    await closeSocket(opened, clock);
    throw toGatewayError(error, "apps.connections.open", signal);
  } finally {
    opening.abort();
  }
}

/** Closes the socket; a peer that does not answer the close frame is cut off. */
async function closeSocket({ client, ended }: OpenSocket, clock: Clock): Promise<void> {
  const waiting = new AbortController();
  const closed = client.disconnect().catch(() => undefined);
  await Promise.race([closed, clock.sleep(closeWithinMs, waiting.signal).catch(() => undefined)]);
  waiting.abort();
  // The second time the library does not wait for the close frame.
  await client.disconnect().catch(() => undefined);
  await ended;
}

/** Names that the library uses for itself on the same emitter. */
const reserved: ReadonlySet<string> = new Set([
  "close",
  "error",
  "connected",
  "connecting",
  "disconnected",
  "disconnecting",
  "reconnecting",
  "authenticated",
  "ws_message",
  "outgoing_message",
  "slack_event",
]);

interface Told {
  readonly greeted: () => void;
  readonly ending: (reason: string) => void;
}

/** Drops what would make the library throw, and leaves a connection open that is to be replaced. */
class DurableSocket extends SocketModeClient {
  readonly #told: Told;

  constructor(options: ConstructorParameters<typeof SocketModeClient>[0], told: Told) {
    super(options);
    this.#told = told;
  }

  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    const envelope = isBinary ? undefined : parsed(String(data));
    if (envelope === undefined || typeof envelope.type !== "string") return;
    if (envelope.type === "disconnect") {
      this.#told.ending(typeof envelope.reason === "string" ? envelope.reason.slice(0, 50) : "unknown");
      return;
    }
    if (envelope.type === "hello") this.#told.greeted();
    const payload = envelope.payload as { event?: { type?: unknown } } | null | undefined;
    const inner = envelope.type === "events_api" ? payload?.event?.type : envelope.type;
    if (typeof inner !== "string" || reserved.has(inner)) return;
    await super.onWebSocketMessage(data, isBinary);
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function aborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}
