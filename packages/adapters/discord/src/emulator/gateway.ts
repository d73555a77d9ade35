import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { eventFor } from "./gateway-events.ts";
import { GatewaySession, type SessionSocket } from "./gateway-session.ts";
import { GatewaySocket } from "./gateway-socket.ts";
import { toWireGuild } from "./wire.ts";
import type { World, WorldEvent } from "./world.ts";

export interface GatewayOptions {
  readonly token: string;
  readonly heartbeatMs: number;
  /** Intents the bot may ask for, as bits. Others end the connection with 4014. */
  readonly allowedIntents: number;
  /** How many new sessions may be opened; see `session_start_limit`. */
  readonly sessionStarts: { readonly total: number; readonly resetAfterMs: number };
}

/** The WebSocket side of Discord: sessions, events, and what a test wants to go wrong with them. */
export class Gateway {
  /** New sessions and resumed ones since the start. */
  identifies = 0;
  resumes = 0;
  remainingStarts: number;
  readonly world: World;
  readonly options: GatewayOptions;
  readonly url: string;
  readonly #sessions = new Map<string, GatewaySession>();
  readonly #sockets = new Set<GatewaySocket>();
  readonly #server = new WebSocketServer({ noServer: true });
  #isAdmitting = true;
  #shuffled: WorldEvent[] | undefined;

  constructor(world: World, options: GatewayOptions, url: string) {
    this.world = world;
    this.options = options;
    this.url = url;
    this.remainingStarts = options.sessionStarts.total;
    world.onEvent = (event) => this.dispatch(event);
  }

  /** Takes over an HTTP connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.#isAdmitting) {
      socket.destroy();
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
      const query = new URL(request.url ?? "/", "ws://localhost").searchParams;
      const connection = new GatewaySocket(webSocket, this, query, () => this.#sockets.delete(connection));
      this.#sockets.add(connection);
      connection.open();
    });
  }

  /** Opens a session and tells it who and where the bot is. */
  identify(socket: SessionSocket, intents: number): GatewaySession {
    this.identifies += 1;
    this.remainingStarts -= 1;
    const session = new GatewaySession(randomUUID().replaceAll("-", ""), intents, this.world, this.url);
    this.#sessions.set(session.id, session);
    session.socket = socket;
    const { bot, guilds } = this.world;
    session.push("READY", {
      v: 10,
      user: { ...bot, verified: true, mfa_enabled: false, flags: 0 },
      guilds: [...guilds.keys()].map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.url,
      session_type: "normal",
      shard: [0, 1],
      application: { id: bot.id, flags: this.world.seesContent ? 1 << 19 : 0 },
      private_channels: [],
    });
    for (const guild of guilds.values()) session.push("GUILD_CREATE", toWireGuild(guild, bot));
    return session;
  }

  /** The session, or undefined when it is gone. */
  resume(socket: SessionSocket, sessionId: string): GatewaySession | undefined {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return undefined;
    session.socket?.close(4_000, "resumed elsewhere");
    session.socket = socket;
    return session;
  }

  end(session: GatewaySession): void {
    this.#sessions.delete(session.id);
  }

  /** Hands an event to every session whose intents cover it, connected or not. */
  dispatch(event: WorldEvent): void {
    if (this.#shuffled !== undefined) {
      this.#shuffled.push(event);
      return;
    }
    for (const session of this.#sessions.values()) {
      const packet = eventFor(event, session);
      if (packet !== undefined) session.push(packet.name, packet.data);
    }
  }

  /** Until `inReverse` has run, events wait; then they come with the newest first. */
  inReverse(work: () => void): void {
    const shuffled: WorldEvent[] = [];
    this.#shuffled = shuffled;
    work();
    this.#shuffled = undefined;
    for (const event of shuffled.reverse()) this.dispatch(event);
  }

  /** Sends an event that a client must survive, well-formed or not. */
  raw(name: string, data: unknown): void {
    for (const session of this.#sessions.values()) session.push(name, data);
  }

  /** Sessions with a live connection. */
  get connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== undefined).length;
  }

  /** Cuts the connections without a farewell; the sessions can be resumed. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Op 7: asks clients to come back. */
  askToReconnect(): void {
    for (const socket of this.#sockets) socket.send({ op: 7, d: null, s: null, t: null });
  }

  /** Op 9. Unless it says that it can be resumed, the session is gone with everything it still had to say. */
  invalidateSessions(isResumable = false): void {
    if (!isResumable) this.forgetSessions();
    for (const socket of this.#sockets) socket.send({ op: 9, d: isResumable, s: null, t: null });
  }

  /** Forgets the sessions, so that the next attempt to resume meets op 9. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  /** The connections stay open and nothing comes through any more, no event and no acknowledgement. */
  becomeZombie(): void {
    for (const socket of this.#sockets) socket.isZombie = true;
  }

  /** Closes the connections with one of Discord's codes. */
  closeConnections(code: number): void {
    for (const socket of this.#sockets) socket.close(code, "");
  }

  /** Whether new connections get through. */
  admit(isAdmitting: boolean): void {
    this.#isAdmitting = isAdmitting;
  }

  stop(): void {
    this.#isAdmitting = false;
    this.dropConnections();
    this.#server.close();
  }
}
