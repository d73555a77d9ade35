import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type Server as SecureServer } from "node:tls";
import { systemClock } from "@talaria/protocol";
import type { OutageOptions } from "./outage-proxy.ts";

export type SmtpFailing =
  | "refused connections"
  | "421 instead of a greeting"
  | "connections that close at once"
  | "silence"
  | "connections that close before the mail is taken"
  | "connections that close after the mail was taken"
  | "half an answer after the mail was taken"
  | "bytes that are no SMTP"
  | "451 to the mail"
  | "slow answers"
  /** For those that speak TLS from the start. */
  | "a stranger's certificate";

export const smtpFailings: readonly SmtpFailing[] = [
  "refused connections",
  "421 instead of a greeting",
  "connections that close at once",
  "silence",
  "connections that close before the mail is taken",
  "connections that close after the mail was taken",
  "half an answer after the mail was taken",
  "bytes that are no SMTP",
  "451 to the mail",
  "slow answers",
];

const slowMs = 3_000;
/** A line with a dot alone ends a mail (RFC 5321, section 4.1.1.4). */
const mailEnd = "\r\n.\r\n";

/** Stands between a client and an SMTP server on loopback, and fails on demand. */
export class SmtpOutage implements AsyncDisposable {
  readonly #target: number;
  readonly #options: OutageOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #failing: SmtpFailing | undefined;
  #failed = 0;
  #sleeping = 0;

  private constructor(target: number, options: OutageOptions) {
    this.#target = target;
    this.#options = options;
    const serve = (client: Socket) => void this.#serve(client);
    const { certificates } = options;
    this.#server = certificates === undefined ? createServer(serve) : createSecureServer(certificates.known, serve);
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
  }

  static async before(port: number, options: OutageOptions = {}): Promise<SmtpOutage> {
    const outage = new SmtpOutage(port, options);
    await outage.#listen();
    return outage;
  }

  get port(): number {
    return this.#port;
  }

  /** Connections that met the failure since it began; nobody can count those that were refused. */
  get failed(): number {
    return this.#failed;
  }

  /** How many connections it holds back for a while. */
  get sleeping(): number {
    return this.#sleeping;
  }

  async begin(failing: SmtpFailing): Promise<void> {
    this.#failed = 0;
    this.#failing = failing;
    if (failing === "refused connections") await this[Symbol.asyncDispose]();
    if (failing === "a stranger's certificate") this.#show("stranger");
  }

  async end(): Promise<void> {
    if (this.#failing === "a stranger's certificate") this.#show("known");
    const isWaitedFor = this.#failing === "slow answers";
    this.#failing = undefined;
    if (!isWaitedFor) this.#hangUp();
    if (!this.#server.listening) await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#hangUp();
    await closed;
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #show(which: "known" | "stranger"): void {
    const { certificates } = this.#options;
    if (certificates !== undefined) (this.#server as SecureServer).setSecureContext(certificates[which]);
  }

  async #serve(client: Socket): Promise<void> {
    client.on("error", () => undefined);
    switch (this.#failing) {
      case "421 instead of a greeting":
        client.end("421 4.3.2 come back later\r\n");
        break;
      case "connections that close at once":
        client.destroy();
        break;
      case "silence":
        break;
      case "bytes that are no SMTP":
        client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
        break;
      case "slow answers":
        this.#failed += 1;
        this.#sleeping += 1;
        await (this.#options.clock ?? systemClock).sleep(slowMs);
        this.#sleeping -= 1;
        return this.#pass(client, undefined);
      default:
        this.#pass(client, this.#failing);
        return;
    }
    this.#failed += 1;
  }

  #pass(client: Socket, failing: SmtpFailing | undefined): void {
    const server = this.#keep(connect(this.#target, "127.0.0.1"));
    let said = "";
    const hasMail = () => failing !== undefined && said.endsWith(mailEnd);
    client.on("data", (piece: Buffer) => {
      said = (said + piece.toString("latin1")).slice(-mailEnd.length);
      if (hasMail() && failing === "connections that close before the mail is taken") this.#cut(client, server);
      else if (hasMail() && failing === "451 to the mail") this.#refuse(client, server);
      else server.write(piece);
    });
    server.on("data", (piece: Buffer) => {
      if (!hasMail()) client.write(piece);
      else if (failing === "half an answer after the mail was taken")
        client.write("25", () => this.#cut(client, server));
      else this.#cut(client, server);
    });
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  }

  /** The server never sees the end of the mail. */
  #refuse(client: Socket, server: Socket): void {
    this.#failed += 1;
    client.end("451 4.3.0 try again\r\n");
    server.destroy();
  }

  #cut(...sockets: readonly Socket[]): void {
    this.#failed += 1;
    for (const socket of sockets) socket.destroy();
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
  }
}
