import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server and takes the server away without touching it. */
export interface TcpGate {
  /** The target's URL with the gate's address in it. */
  readonly url: string;
  /** Cuts all connections and refuses new ones. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Connections stay and new ones are taken, but nothing passes any more. Thaw it by `shut` and `open`. */
  freeze(): void;
  /** Cuts all connections, and new ones as soon as they are made. The result says how many there were since. */
  slam(): () => number;
  close(): Promise<void>;
}

export async function openTcpGate(target: string): Promise<TcpGate> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let slammed: number | undefined;
  const server = createServer((near) => {
    if (slammed !== undefined) {
      slammed += 1;
      near.destroy();
      return;
    }
    if (isFrozen) {
      sockets.add(near);
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gate has no port");
  const url = new URL(target);
  url.port = String(address.port);

  async function shut(): Promise<void> {
    const closed = server.listening ? once(server, "close") : undefined;
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    url: url.href,
    shut,
    close: shut,
    async open() {
      isFrozen = false;
      slammed = undefined;
      if (server.listening) return;
      server.listen(address.port, "127.0.0.1");
      await once(server, "listening");
    },
    slam() {
      slammed = 0;
      for (const socket of sockets) socket.destroy();
      return () => slammed ?? 0;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
  };
}
