import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type Clock, systemClock } from "@talaria/protocol";

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
  | "slow answers"
  | "a page of 429"
  | "a page of 403"
  | "a page of 404"
  /** It shows a certificate that nobody trusts; for those that speak HTTPS. */
  | "a stranger's certificate";

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
const page = "<html><head><title>Something else</title></head><body>nginx</body></html>";
const pages: Readonly<Record<string, number>> = {
  "a page of 502": 502,
  "a page of 429": 429,
  "a page of 403": 403,
  "a page of 404": 404,
};

/** A private key and its certificate, as PEM. */
export interface Certified {
  readonly key: string;
  readonly cert: string;
}

export interface OutageOptions {
  /** What it is called; 127.0.0.1 unless told otherwise. */
  readonly host?: "localhost";
  /** What slow answers wait for; the machine's clock unless told otherwise. */
  readonly clock?: Pick<Clock, "sleep">;
  /** It speaks HTTPS with the first of these. */
  readonly certificates?: { readonly known: Certified; readonly stranger: Certified };
}

/** Stands between a client and an HTTP server on loopback, and fails on demand. Sockets that were upgraded are let through. */
export class OutageProxy implements AsyncDisposable {
  readonly #target: URL;
  readonly #options: OutageOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Those of requests that nobody answers. */
  readonly #silent = new Set<Socket>();
  #port = 0;
  #failing: Failing | undefined;
  #failed = 0;
  #sleeping = 0;

  private constructor(target: URL, options: OutageOptions) {
    this.#target = target;
    this.#options = options;
    const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void this.#serve(incoming, outgoing);
    const { certificates } = options;
    this.#server = certificates === undefined ? createServer(serve) : createSecureServer(certificates.known, serve);
    // A client keeps idle connections; if this side closed one first, a call could fail that no test means to fail.
    this.#server.keepAliveTimeout = 120_000;
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket)));
    });
    this.#server.on("upgrade", (incoming: IncomingMessage, client: Socket, head: Buffer) =>
      this.#tunnel(incoming, client, head),
    );
  }

  static async before(target: string, options: OutageOptions = {}): Promise<OutageProxy> {
    const proxy = new OutageProxy(new URL(target), options);
    await proxy.#listen();
    return proxy;
  }

  get origin(): string {
    const { certificates, host = "127.0.0.1" } = this.#options;
    return `${certificates === undefined ? "http" : "https"}://${host}:${this.#port}`;
  }

  /** Requests that met the failure since it began; with refused connections nobody can count them. */
  get failed(): number {
    return this.#failed;
  }

  /** How many requests it holds back for a while. */
  get sleeping(): number {
    return this.#sleeping;
  }

  async begin(failing: Failing): Promise<void> {
    this.#failed = 0;
    this.#failing = failing;
    if (failing === "refused connections") await this.#close();
    if (failing === "a stranger's certificate") this.#show("stranger");
  }

  /** Ends it, with the connections on which nothing was answered. */
  async end(): Promise<void> {
    if (this.#failing === "a stranger's certificate") this.#show("known");
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
    const status = pages[failing ?? ""];
    if (status !== undefined) return answer(outgoing, status, page, "text/html");
    switch (failing) {
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
        return void this.#passLater(incoming, body, outgoing);
      default:
        this.#pass(incoming, body, outgoing, failing);
    }
  }

  /** Whoever is connected has to connect again. */
  #show(which: "known" | "stranger"): void {
    const { certificates } = this.#options;
    if (certificates !== undefined) (this.#server as SecureServer).setSecureContext(certificates[which]);
    this.#hangUp();
  }

  async #passLater(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): Promise<void> {
    this.#sleeping += 1;
    await (this.#options.clock ?? systemClock).sleep(slowMs);
    this.#sleeping -= 1;
    this.#pass(incoming, body, outgoing);
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
        void this.#answerWith(from, outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    passed.end(body);
  }

  /** Addresses of the server itself lead through here, too. */
  async #answerWith(from: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { statusCode = 502, headers } = from;
    if (!String(headers["content-type"]).startsWith("application/json")) {
      outgoing.writeHead(statusCode, headers);
      from.on("error", () => outgoing.destroy()).pipe(outgoing);
      return;
    }
    const body = await readAll(from);
    if (body === undefined) return void outgoing.destroy();
    const told = body.toString().replaceAll(this.#target.origin, this.origin);
    const { "transfer-encoding": _, ...kept } = headers;
    outgoing.writeHead(statusCode, { ...kept, "content-length": Buffer.byteLength(told) });
    outgoing.end(told);
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
