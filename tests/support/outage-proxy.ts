import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** How a server, or what stands before it, fails. `after`: what was asked for has happened. */
export type Failing =
  | "a page of 502"
  | "502 as JSON"
  | "503 without a word"
  | "refused connections"
  | "connections that close before anything happens"
  | "connections that close after it happened"
  | "half an answer after it happened"
  | "silence"
  | "429 without a number"
  | "bytes that are no HTTP"
  | "slow answers";

export const failings: readonly Failing[] = [
  "a page of 502",
  "502 as JSON",
  "503 without a word",
  "refused connections",
  "connections that close before anything happens",
  "connections that close after it happened",
  "half an answer after it happened",
  "silence",
  "429 without a number",
  "bytes that are no HTTP",
  "slow answers",
];

const slowMs = 3_000;
/** How the platforms are listened to. It goes on, so that what people say meanwhile arrives at once. */
const listening = /\/getUpdates|\/sync(\?|$)/;
const page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";

/** Stands between a client and an HTTP server on loopback, and fails on demand. Sockets that were upgraded are let through. */
export class OutageProxy implements AsyncDisposable {
  readonly #target: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Those of requests that nobody answers. */
  readonly #silent = new Set<Socket>();
  #port = 0;
  #failing: Failing | undefined;
  #failed = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing));
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket)));
    });
    this.#server.on("upgrade", (incoming: IncomingMessage, client: Socket, head: Buffer) =>
      this.#tunnel(incoming, client, head),
    );
  }

  static async before(target: string): Promise<OutageProxy> {
    const proxy = new OutageProxy(new URL(target));
    await proxy.#listen();
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Requests that met the failure since it began; with refused connections nobody can count them. */
  get failed(): number {
    return this.#failed;
  }

  async begin(failing: Failing): Promise<void> {
    this.#failed = 0;
    this.#failing = failing;
    if (failing === "refused connections") await this.#close();
  }

  /** Ends it, with the connections on which nothing was answered. */
  async end(): Promise<void> {
    this.#failing = undefined;
    for (const socket of this.#silent) socket.destroy();
    this.#silent.clear();
    if (!this.#server.listening) await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#hangUp();
    await closed;
  }

  #hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const failing = listening.test(incoming.url ?? "") ? undefined : this.#failing;
    const body = await readAll(incoming);
    if (body === undefined) return;
    if (failing !== undefined) this.#failed += 1;
    switch (failing) {
      case "a page of 502":
        return answer(outgoing, 502, page, "text/html");
      case "502 as JSON":
        return answer(outgoing, 502, '{"ok":false,"error":"bad_gateway","message":"Bad Gateway"}');
      case "503 without a word":
        return answer(outgoing, 503, "", "text/plain");
      case "429 without a number":
        return answer(outgoing, 429, "{}");
      case "silence":
        return void this.#silent.add(incoming.socket);
      case "bytes that are no HTTP":
        return void incoming.socket.end("\u0016\u0003\u0001 this is something else\n\n");
      case "connections that close before anything happens":
        return void incoming.socket.destroy();
      case "slow answers":
        setTimeout(() => this.#pass(incoming, body, outgoing), slowMs).unref();
        return;
      default:
        this.#pass(incoming, body, outgoing, failing);
    }
  }

  #pass(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, failing?: Failing): void {
    const { hostname, port } = this.#target;
    const { method, url: path, headers } = incoming;
    const passed = request(
      { hostname, port, method, path, headers: { ...headers, host: this.#target.host } },
      (from) => {
        if (failing === "connections that close after it happened") return void incoming.socket.destroy();
        if (failing === "half an answer after it happened") {
          outgoing.writeHead(from.statusCode ?? 200, { ...from.headers, "content-length": "100000" });
          outgoing.write("{");
          return void setTimeout(() => incoming.socket.destroy(), 50).unref();
        }
        outgoing.writeHead(from.statusCode ?? 502, from.headers);
        from.on("error", () => outgoing.destroy()).pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    passed.end(body);
  }

  #tunnel(incoming: IncomingMessage, client: Socket, head: Buffer): void {
    const target = connect(Number(this.#target.port), this.#target.hostname, () => {
      const lines = incoming.rawHeaders.flatMap((name, n, all) => (n % 2 === 0 ? [`${name}: ${all[n + 1]}`] : []));
      target.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      target.write(head);
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target])
      socket
        .on("error", () => undefined)
        .on("close", () => {
          client.destroy();
          target.destroy();
        });
  }
}

function answer(outgoing: ServerResponse, status: number, body: string, type = "application/json"): void {
  outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  outgoing.end(body);
}

/** Undefined: the client has gone. */
async function readAll(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of incoming) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  } catch {
    return undefined;
  }
}
