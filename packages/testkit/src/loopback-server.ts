import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Clients keep idle connections; if the server closed one first, a new call could fail by chance. */
const keepAliveMs = 120_000;

/** An HTTP server on 127.0.0.1 that knows its connections, so that a test can cut them all. */
export class LoopbackServer {
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  #isReachable = true;
  #turnedAway = Promise.withResolvers<void>();

  private constructor(http: Server) {
    this.#http = http;
    http.keepAliveTimeout = keepAliveMs;
    http.on("connection", (socket: Socket) => this.#admit(socket));
  }

  /** Listens on the given port, or on any free one. Rejects when the port is taken. */
  static async listen(listener: RequestListener, port = 0): Promise<LoopbackServer> {
    const http = createServer(listener);
    const server = new LoopbackServer(http);
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject);
      http.listen(port, "127.0.0.1", resolve);
    });
    return server;
  }

  /** Without a slash at the end. */
  get url(): string {
    const { port } = this.#http.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Hands over connections that ask for another protocol, such as WebSocket. */
  onUpgrade(listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void {
    this.#http.on("upgrade", listener);
  }

  /** Cuts every connection, and each new one at once. */
  goOffline(): void {
    this.#isReachable = false;
    this.#turnedAway = Promise.withResolvers<void>();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves once a new connection has been cut since it went offline: the client has noticed. */
  turnedAway(): Promise<void> {
    return this.#turnedAway.promise;
  }

  goOnline(): void {
    this.#isReachable = true;
  }

  /** Cuts everything and frees the port. Safe to repeat. */
  async stop(): Promise<void> {
    this.goOffline();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  #admit(socket: Socket): void {
    if (!this.#isReachable) {
      socket.destroy();
      this.#turnedAway.resolve();
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}
