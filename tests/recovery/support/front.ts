import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What stands before several gateways: a connection goes to the first of them that accepts it. */
export class Front implements AsyncDisposable {
  /** URLs of the gateways. */
  targets: readonly string[] = [];
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => void this.#join(socket));
  }

  static async open(): Promise<Front> {
    const server = createServer({ allowHalfOpen: false }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Front(server);
  }

  async #join(socket: Socket): Promise<void> {
    this.#keep(socket);
    for (const target of this.targets) {
      const other = this.#keep(connect(Number(new URL(target).port), "127.0.0.1"));
      if (!(await once(other, "connect").catch(() => false))) continue;
      socket.pipe(other).pipe(socket);
      socket.once("close", () => other.destroy());
      other.once("close", () => socket.destroy());
      return;
    }
    socket.destroy();
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on("error", () => socket.destroy()).once("close", () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }
}
