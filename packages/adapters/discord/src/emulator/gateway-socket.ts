import type { WebSocket } from "ws";
import type { GatewaySession, SessionSocket } from "./gateway-session.ts";
import { intentBits } from "./wire.ts";

interface ClientPacket {
  readonly op: number;
  readonly d: unknown;
}

/** Clients may send this much per minute before 4008. */
const packetsPerMinute = 120;
const privilegedIntents = intentBits.guildMembers | intentBits.guildPresences | intentBits.messageContent;

type Refusal = readonly [code: number, reason: string];

/** Discord's close codes. A bot without session starts left loses its token, so it looks like a bad one. */
const refusals = {
  unknownOpcode: [4_001, "Unknown opcode."],
  undecodable: [4_002, "Error while decoding payload."],
  notAuthenticated: [4_003, "Not authenticated."],
  badToken: [4_004, "Authentication failed."],
  alreadyAuthenticated: [4_005, "Already authenticated."],
  flooding: [4_008, "You are being rate limited."],
  invalidIntents: [4_013, "Invalid intent(s)."],
  disallowedIntents: [4_014, "Disallowed intent(s)."],
} as const satisfies Record<string, Refusal>;

const everyIntent = 0x3_3f_ff_ff;

/** What the gateway does for its connections. */
export interface SessionDesk {
  readonly options: { readonly token: string; readonly heartbeatMs: number; readonly allowedIntents: number };
  readonly remainingStarts: number;
  resumes: number;
  identify(socket: SessionSocket, intents: number): GatewaySession;
  resume(socket: SessionSocket, sessionId: string): GatewaySession | undefined;
  end(session: GatewaySession): void;
}

/** One connection of a client. Holds it to the protocol and closes it with Discord's codes. */
export class GatewaySocket {
  /** Open, and silent for ever. */
  isZombie = false;
  readonly #socket: WebSocket;
  readonly #gateway: SessionDesk;
  readonly #query: URLSearchParams;
  readonly #arrivals: number[] = [];
  #session: GatewaySession | undefined;
  #watchdog: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, gateway: SessionDesk, query: URLSearchParams, closed: () => void) {
    this.#socket = socket;
    this.#gateway = gateway;
    this.#query = query;
    socket.on("message", (data, isBinary) => this.#receive(String(data), isBinary));
    socket.on("error", () => socket.terminate());
    socket.on("close", (code) => {
      clearTimeout(this.#watchdog);
      if (this.#session?.socket === this) this.#session.socket = undefined;
      if (this.#session !== undefined && (code === 1_000 || code === 1_001)) gateway.end(this.#session);
      closed();
    });
  }

  open(): void {
    if (this.#query.get("v") !== "10" || this.#query.get("encoding") !== "json" || this.#query.has("compress")) {
      this.close(4_012, "Invalid API version");
      return;
    }
    this.send({ op: 10, d: { heartbeat_interval: this.#gateway.options.heartbeatMs, _trace: [] }, s: null, t: null });
    this.#expectHeartbeat();
  }

  send(packet: object): void {
    if (!this.isZombie && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(packet));
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #receive(text: string, isBinary: boolean): void {
    if (this.isZombie) return;
    const refusal = this.#isFlooding() ? refusals.flooding : this.#answer(isBinary ? undefined : readPacket(text));
    if (refusal !== undefined) this.close(...refusal);
  }

  #isFlooding(): boolean {
    const now = performance.now();
    this.#arrivals.push(now);
    while ((this.#arrivals[0] ?? now) < now - 60_000) this.#arrivals.shift();
    return this.#arrivals.length > packetsPerMinute;
  }

  /** Does what the packet asks, or returns why the connection ends. */
  #answer(packet: ClientPacket | undefined): Refusal | undefined {
    switch (packet?.op) {
      case undefined:
        return refusals.undecodable;
      case 1:
        this.#expectHeartbeat();
        this.send({ op: 11, d: null, s: null, t: null });
        return undefined;
      case 2:
        return this.#identify(objectOf(packet?.d));
      case 6:
        return this.#resume(objectOf(packet?.d));
      case 3:
      case 4:
      case 8:
        return this.#session === undefined ? refusals.notAuthenticated : undefined;
      default:
        return refusals.unknownOpcode;
    }
  }

  #identify({ token, intents, properties }: Record<string, unknown>): Refusal | undefined {
    const { options, remainingStarts } = this.#gateway;
    if (this.#session !== undefined) return refusals.alreadyAuthenticated;
    if (typeof properties !== "object" || properties === null) return refusals.undecodable;
    if (token !== options.token || remainingStarts <= 0) return refusals.badToken;
    if (typeof intents !== "number" || !Number.isInteger(intents) || (intents & ~everyIntent) !== 0)
      return refusals.invalidIntents;
    if ((intents & privilegedIntents & ~options.allowedIntents) !== 0) return refusals.disallowedIntents;
    this.#session = this.#gateway.identify(this, intents);
    return undefined;
  }

  #resume({ token, session_id, seq }: Record<string, unknown>): Refusal | undefined {
    if (this.#session !== undefined) return refusals.alreadyAuthenticated;
    if (token !== this.#gateway.options.token) return refusals.badToken;
    const session = this.#gateway.resume(this, String(session_id));
    this.#session = session;
    if (session?.replay(Number(seq))) {
      this.#gateway.resumes += 1;
      return undefined;
    }
    if (session !== undefined) this.#gateway.end(session);
    this.#session = undefined;
    this.send({ op: 9, d: false, s: null, t: null });
    return undefined;
  }

  /** A client that misses its heartbeat for long is gone. */
  #expectHeartbeat(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.close(4_009, "Session timed out."), 2 * this.#gateway.options.heartbeatMs);
  }
}

function readPacket(text: string): ClientPacket | undefined {
  try {
    const packet = objectOf(JSON.parse(text));
    return Number.isInteger(packet.op) ? { op: packet.op as number, d: packet.d } : undefined;
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
