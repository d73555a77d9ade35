import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export type SmtpFailing =
  | "refused connections"
  | "421 instead of a greeting"
  | "connections that close at once"
  | "silence"
  | "connections that close before the mail is taken"
  | "connections that close after the mail was taken";

export const smtpFailings: readonly SmtpFailing[] = [
  "refused connections",
  "421 instead of a greeting",
  "connections that close at once",
  "silence",
  "connections that close before the mail is taken",
  "connections that close after the mail was taken",
];

/** A line with a dot alone ends a mail (RFC 5321, section 4.1.1.4). */
const mailEnd = "\r\n.\r\n";

/** Stands between a client and an SMTP server on loopback, and fails on demand. */
export class SmtpOutage implements AsyncDisposable {
  readonly #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #failing: SmtpFailing | undefined;
  #failed = 0;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#serve(client));
  }

  static async before(port: number): Promise<SmtpOutage> {
    const outage = new SmtpOutage(port);
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

  async begin(failing: SmtpFailing): Promise<void> {
    this.#failed = 0;
    this.#failing = failing;
    if (failing === "refused connections") await this[Symbol.asyncDispose]();
  }

  async end(): Promise<void> {
    this.#failing = undefined;
    this.#hangUp();
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

  #serve(client: Socket): void {
    this.#keep(client);
    switch (this.#failing) {
      case "421 instead of a greeting":
        client.end("421 4.3.2 come back later\r\n");
        break;
      case "connections that close at once":
        client.destroy();
        break;
      case "silence":
        break;
      default:
        this.#pass(client, this.#failing);
        return;
    }
    this.#failed += 1;
  }

  #pass(client: Socket, failing: SmtpFailing | undefined): void {
    const server = this.#keep(connect(this.#target, "127.0.0.1"));
    let said = "";
    const hasMail = () => failing?.startsWith("connections that close") === true && said.endsWith(mailEnd);
    client.on("data", (piece: Buffer) => {
      said = (said + piece.toString("latin1")).slice(-mailEnd.length);
      if (hasMail() && failing === "connections that close before the mail is taken") this.#cut(client, server);
      else server.write(piece);
    });
    server.on("data", (piece: Buffer) => {
      if (hasMail()) this.#cut(client, server);
      else client.write(piece);
    });
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
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
