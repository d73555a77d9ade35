import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { ImapSession } from "./imap-session.ts";
import type { ImapWorld } from "./imap-world.ts";

/** An IMAP4rev1 server on 127.0.0.1, without TLS, for one account. */
export class ImapServer {
  readonly #tcp: Server;
  readonly #sessions = new Map<Socket, ImapSession>();
  #isReachable = true;

  private constructor(tcp: Server) {
    this.#tcp = tcp;
  }

  static async listen(world: ImapWorld): Promise<ImapServer> {
    const tcp = createServer();
    const server = new ImapServer(tcp);
    tcp.on("connection", (socket) => server.#admit(socket, world));
    await new Promise<void>((resolve, reject) => {
      tcp.once("error", reject);
      tcp.listen(0, "127.0.0.1", resolve);
    });
    return server;
  }

  get port(): number {
    return (this.#tcp.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#sessions.size;
  }

  /** Whether a client waits for new mail. */
  get isIdling(): boolean {
    return [...this.#sessions.values()].some(({ isIdling }) => isIdling);
  }

  kick(): void {
    for (const session of this.#sessions.values()) session.kick();
  }

  cut(): void {
    for (const session of this.#sessions.values()) session.cut();
  }

  deafen(): void {
    for (const session of this.#sessions.values()) session.deafen();
  }

  goOffline(): void {
    this.#isReachable = false;
    this.cut();
  }

  goOnline(): void {
    this.#isReachable = true;
  }

  async stop(): Promise<void> {
    this.goOffline();
    await new Promise<void>((resolve) => this.#tcp.close(() => resolve()));
  }

  #admit(socket: Socket, world: ImapWorld): void {
    if (!this.#isReachable) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    this.#sessions.set(socket, new ImapSession(socket, world));
    socket.once("close", () => this.#sessions.delete(socket));
  }
}
