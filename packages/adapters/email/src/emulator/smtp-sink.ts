import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";

/** What the server does to the next message. */
export type SmtpFault =
  /** Answers a step with this code and text: `451`, `4.7.1 try again in 7 seconds`. */
  | {
      readonly kind: "answer";
      readonly at: "auth" | "mail" | "rcpt" | "data";
      readonly code: number;
      readonly text: string;
    }
  /** Ends the connection at this step; `after-data` keeps the message and never says so. */
  | { readonly kind: "cut"; readonly at: "rcpt" | "after-data" }
  /** Takes the message, or the first one that `when` is true of, and never answers; it is kept when `keep` is set. */
  | { readonly kind: "hang"; readonly keep: boolean; readonly when?: (raw: string) => boolean };

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Latin1. */
  readonly raw: string;
}

export interface SmtpSinkOptions {
  readonly user: string;
  readonly password: () => string;
  readonly maxBytes: number;
  /** Called before the client hears that the message is taken. */
  readonly taken: (mail: TakenMail) => void;
}

/** A real SMTP server on 127.0.0.1 that keeps what it is given. */
export class SmtpSink {
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();
  readonly #options: SmtpSinkOptions;
  #faults: SmtpFault[] = [];

  private constructor(options: SmtpSinkOptions) {
    this.#options = options;
    this.#server = new SMTPServer({
      authMethods: ["PLAIN", "LOGIN", "XOAUTH2"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      hideSTARTTLS: true,
      size: options.maxBytes,
      logger: false,
      closeTimeout: 100,
      onAuth: ({ username, password, accessToken }, _session, done) => {
        const fault = this.#fault("auth");
        if (fault !== null) return done(fault);
        if (username === options.user && (password ?? accessToken) === options.password())
          return done(null, { user: username });
        done(refusal(535, "5.7.8 Username and Password not accepted"));
      },
      onMailFrom: (_address, _session, done) => done(this.#fault("mail")),
      onRcptTo: ({ address }, _session, done) => {
        if (this.#takeCut("rcpt")) return this.cut();
        const nobody = address.startsWith("nobody@") ? refusal(550, "5.1.1 User unknown") : null;
        done(this.#fault("rcpt") ?? nobody);
      },
      onData: (stream, session, done) => void this.#take(stream, session).then(() => done(this.#fault("data")), done),
    });
    this.#server.on("error", () => undefined);
    this.#server.server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async listen(options: SmtpSinkOptions): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    await new Promise<void>((resolve, reject) => {
      sink.#server.server.once("error", reject);
      sink.#server.listen(0, "127.0.0.1", () => resolve());
    });
    return sink;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  fail(fault: SmtpFault): void {
    this.#faults.push(fault);
  }

  mend(): void {
    this.#faults.length = 0;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #fault(at: "auth" | "mail" | "rcpt" | "data"): Error | null {
    const fault = this.#faults[0];
    if (fault?.kind !== "answer" || fault.at !== at) return null;
    this.#faults.shift();
    return refusal(fault.code, fault.text);
  }

  #takeCut(at: "rcpt" | "after-data"): boolean {
    const fault = this.#faults[0];
    if (fault?.kind !== "cut" || fault.at !== at) return false;
    this.#faults.shift();
    return true;
  }

  async #take(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    if (stream.sizeExceeded) throw refusal(552, "5.3.4 Message too big for system");
    const [fault] = this.#faults;
    if (fault?.kind === "answer" && fault.at === "data") return;
    const mail = {
      from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
      to: envelope.rcptTo.map(({ address }) => address),
      raw: Buffer.concat(chunks).toString("latin1"),
    };
    if (fault?.kind === "hang" && (fault.when?.(mail.raw) ?? true)) {
      this.#faults.shift();
      if (fault.keep) this.#options.taken(mail);
      await new Promise(() => undefined);
    }
    this.#options.taken(mail);
    if (this.#takeCut("after-data")) {
      this.cut();
      await new Promise(() => undefined);
    }
  }
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
