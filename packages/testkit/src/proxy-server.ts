import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A proxy on loopback: opens tunnels, forwards plain requests, and remembers what it was asked. */
export interface ProxyServer extends AsyncDisposable {
  readonly url: URL;
  /** Of every request, in order: `CONNECT 127.0.0.1:80` or `GET http://127.0.0.1:80/x`. */
  readonly asked: readonly string[];
  /** Ends all connections. Safe to repeat. */
  stop(): Promise<void>;
}

export async function startProxy(): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url = "", headers } = incoming;
    asked.push(`${method} ${url}`);
    const passed = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  server.on("connection", (socket: Socket) => void sockets.add(socket));
  server.on("connect", ({ url = "" }: IncomingMessage, client: Socket) => {
    asked.push(`CONNECT ${url}`);
    const [host = "", port = ""] = url.split(":");
    const target = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.pipe(client).pipe(target);
    });
    sockets.add(target);
    for (const socket of [client, target])
      socket
        .on("error", () => undefined)
        .on("close", () => {
          client.destroy();
          target.destroy();
        });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    asked,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
