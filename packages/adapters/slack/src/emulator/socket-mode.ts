import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Delivery, Transport } from "./deliveries.ts";

/** An app may have so many connections. */
const mostSockets = 10;

interface Waiting {
  readonly delivery: Delivery;
  readonly settle: (isTaken: boolean) => void;
}

/** Slack's side of Socket Mode: tickets, connections, envelopes, and what a test wants to go wrong with them. */
export class SocketMode implements Transport {
  /** Connections that were opened since the start, and the most at one time. */
  opened = 0;
  mostAtOnce = 0;
  /** Envelopes that came back with a wrong form. */
  readonly violations: string[] = [];
  readonly #url: string;
  readonly #appId: string;
  readonly #silenceMs: () => number;
  readonly #tickets = new Set<string>();
  readonly #sockets = new Set<WebSocket>();
  readonly #mute = new WeakSet<WebSocket>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #server = new WebSocketServer({ noServer: true });
  #greets = true;

  constructor(url: string, appId: string, silenceMs: () => number) {
    this.#url = url;
    this.#appId = appId;
    this.#silenceMs = silenceMs;
  }

  /** An address that can be used once. */
  ticket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return `${this.#url.replace("http", "ws")}/link/?ticket=${ticket}&app_id=${this.#appId}`;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "ws://localhost").searchParams.get("ticket") ?? "";
    if (!this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => this.#open(webSocket));
  }

  /** Connections that are open, the dead ones included. */
  get open(): number {
    return this.#sockets.size;
  }

  async post(delivery: Delivery, envelopeId: string, retry: { num: number; reason: string }): Promise<boolean> {
    const socket = [...this.#sockets].findLast((one) => one.readyState === one.OPEN);
    if (socket === undefined) return false;
    const isEvent = delivery.kind === "events_api";
    const envelope = {
      envelope_id: envelopeId,
      type: delivery.kind,
      payload: delivery.payload,
      accepts_response_payload: !isEvent,
      ...(isEvent ? { retry_attempt: retry.num, retry_reason: retry.num > 0 ? retry.reason : "" } : {}),
    };
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), this.#silenceMs());
      const gone = () => settle(false);
      const settle = (isTaken: boolean) => {
        clearTimeout(timer);
        socket.off("close", gone);
        resolve(isTaken);
      };
      this.#waiting.set(envelopeId, { delivery, settle });
      socket.once("close", gone);
      if (!this.#mute.has(socket)) socket.send(JSON.stringify(envelope));
    });
  }

  /** Sends whatever a test likes on every connection. */
  raw(text: string | Buffer): void {
    for (const socket of this.#sockets) socket.send(text);
  }

  /** Asks the app to come back, as Slack does every hour or so; the connection stays open for some seconds. */
  refresh(reason: "warning" | "refresh_requested" | "link_disabled" = "refresh_requested"): void {
    this.raw(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink" } }));
  }

  /** Cuts the connections without a farewell. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** The connections stay open and nothing comes through any more, in either direction. */
  becomeHalfOpen(): void {
    for (const socket of this.#sockets) {
      this.#mute.add(socket);
      socket.pause();
    }
  }

  /** Whether new connections are greeted; an app must not wait for the greeting for ever. */
  greet(greets: boolean): void {
    this.#greets = greets;
  }

  stop(): void {
    this.drop();
    this.#server.close();
  }

  #open(socket: WebSocket): void {
    this.#sockets.add(socket);
    this.opened += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#sockets.size);
    socket.on("error", () => socket.terminate());
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("message", (data) => this.#receive(String(data)));
    if (this.#sockets.size > mostSockets) {
      socket.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      socket.close();
      return;
    }
    if (!this.#greets) return;
    const hello = { type: "hello", num_connections: this.#sockets.size, connection_info: { app_id: this.#appId } };
    socket.send(JSON.stringify(hello));
  }

  #receive(text: string): void {
    const answer = parsed(text);
    const waiting = this.#waiting.get(String(answer?.envelope_id));
    if (waiting === undefined) {
      this.violations.push(text);
      return;
    }
    waiting.delivery.isAcknowledged = true;
    waiting.delivery.answer = answer?.payload;
    waiting.settle(true);
  }
}

function parsed(text: string): { readonly envelope_id?: unknown; readonly payload?: unknown } | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
