import type { ImapMailbox, StoredMail } from "./imap-mailbox.ts";
import { ImapServer } from "./imap-server.ts";
import { type ImapFault, ImapWorld } from "./imap-world.ts";
import { type SeenMail, seenMail } from "./seen-mail.ts";
import { type SmtpFault, SmtpSink, type TakenMail } from "./smtp-sink.ts";
import { type MailFacts, writeMail } from "./write-mail.ts";

export interface MailServerOptions {
  /** Whose mailbox it is. */
  readonly address?: string;
  /** Largest mail that is taken for sending. */
  readonly maxBytes?: number;
}

export interface SayByMail extends Partial<Omit<MailFacts, "text">> {
  /** Whether the server has proven the sender, as it does for honest mail. */
  readonly authentic?: boolean;
  readonly receivedAt?: Date;
}

/** A mail provider with one mailbox: a strict IMAP emulator and a real SMTP server, both on 127.0.0.1 without TLS. */
export class MailServer implements AsyncDisposable {
  readonly address: string;
  readonly authservId = "mx.mail.test";
  readonly #world: ImapWorld;
  readonly #imap: ImapServer;
  readonly #smtp: SmtpSink;
  readonly #taken: TakenMail[];
  readonly #waiting: Set<() => void>;
  #counter = 0;

  private constructor(address: string, world: ImapWorld, imap: ImapServer, smtp: SmtpSink, outbox: Outbox) {
    this.address = address;
    this.#world = world;
    this.#imap = imap;
    this.#smtp = smtp;
    this.#taken = outbox.taken;
    this.#waiting = outbox.waiting;
  }

  static async start({ address = "gw@mail.test", maxBytes = 25 * 1024 * 1024 }: MailServerOptions = {}) {
    const world = new ImapWorld(address, "mail-test-password");
    const outbox: Outbox = { taken: [], waiting: new Set() };
    const imap = await ImapServer.listen(world);
    const smtp = await SmtpSink.listen({
      user: address,
      password: () => world.password,
      maxBytes,
      taken: (mail) => {
        outbox.taken.push(mail);
        for (const look of outbox.waiting) look();
      },
    });
    return new MailServer(address, world, imap, smtp, outbox);
  }

  get password(): string {
    return this.#world.password;
  }

  set password(password: string) {
    this.#world.password = password;
  }

  /** The account's settings, as they stand in a configuration. */
  get settings() {
    const login = { host: "127.0.0.1", secure: false, user: this.address, password: this.password };
    return {
      imap: { ...login, port: this.#imap.port },
      smtp: { ...login, port: this.#smtp.port },
      address: this.address,
      trustedAuthservId: this.authservId,
    };
  }

  get inbox(): ImapMailbox {
    return this.mailbox("INBOX");
  }

  get imap(): ImapServer {
    return this.#imap;
  }

  /** Names of the IMAP commands that came, in order. */
  get commands(): readonly string[] {
    return this.#world.commands;
  }

  /** What was asked of each mail, in order: `7 BODYSTRUCTURE`, `7 BODY.PEEK[1]<0.65536>`. */
  get fetched(): readonly string[] {
    return this.#world.fetched;
  }

  mailbox(name: string): ImapMailbox {
    const mailbox = this.#world.find(name);
    if (mailbox === undefined) throw new Error(`there is no mailbox ${name}`);
    return mailbox;
  }

  hasMailbox(name: string): boolean {
    return this.#world.find(name) !== undefined;
  }

  /** Somebody's mail arrives. The answer is its Message-ID. */
  say(from: string, text: string, { authentic = true, receivedAt = new Date(), ...facts }: SayByMail = {}): string {
    this.#counter += 1;
    const messageId = facts.messageId ?? `<${this.#counter}.${this.#imap.port}@people.test>`;
    const top = authentic ? this.vouchFor(from) : [this.#received()];
    const mail = { to: this.address, date: receivedAt, top, ...facts, messageId, from, text };
    this.inbox.add(writeMail(mail), receivedAt);
    return messageId;
  }

  /** What the receiving server writes above the mail of a sender whose domain passed. */
  vouchFor(from: string): readonly string[] {
    const domain = /@([^\s<>@]+?)>?\s*$/.exec(from)?.[1] ?? "";
    return [
      `Return-Path: <bounce@${domain}>`,
      `Authentication-Results: ${this.authservId};\r\n\tdmarc=pass (p=none) header.from=${domain};\r\n\tspf=pass smtp.mailfrom=bounce@${domain}`,
      this.#received(),
    ];
  }

  /** Any bytes as a mail: latin1, with CRLF. */
  deliver(raw: string, receivedAt = new Date()): StoredMail {
    return this.inbox.add(raw, receivedAt);
  }

  /** What the adapter has sent, oldest first. */
  sent(): readonly SeenMail[] {
    return this.#taken.map(seenMail);
  }

  /** Waits for a mail with this text. */
  async waitForMail(text: string, timeoutMs = 120_000): Promise<SeenMail> {
    const found = () => this.sent().find((mail) => mail.text.includes(text));
    const early = found();
    if (early !== undefined) return early;
    const { promise, resolve, reject } = Promise.withResolvers<SeenMail>();
    const look = () => {
      const mail = found();
      if (mail !== undefined) resolve(mail);
    };
    const timer = setTimeout(() => reject(new Error(`no mail with ${JSON.stringify(text)}`)), timeoutMs);
    this.#waiting.add(look);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }

  failImap(command: string, fault: ImapFault, times = 1): void {
    this.#world.fail(command, fault, times);
  }

  addMailbox(name: string): void {
    this.#world.create(name);
  }

  /** Ends the connection whenever somebody asks how a mail with these words is built. */
  failStructure(words: string): void {
    this.#world.poison = words;
  }

  failNextSend(fault: SmtpFault): void {
    this.#smtp.fail(fault);
  }

  /** Faults of sends that nobody has met are forgotten. */
  mendSending(): void {
    this.#smtp.mend();
  }

  async stop(): Promise<void> {
    await this.#imap.stop();
    await this.#smtp.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #received(): string {
    return `Received: from somewhere.test (somewhere.test [192.0.2.1])\r\n\tby ${this.authservId} with ESMTPS id ${this.#counter}; Sat, 21 Nov 2026 10:00:00 +0000`;
  }
}

interface Outbox {
  readonly taken: TakenMail[];
  readonly waiting: Set<() => void>;
}

export function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  return MailServer.start(options);
}
