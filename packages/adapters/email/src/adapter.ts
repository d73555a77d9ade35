import type { Adapter, AdapterDeps, AdapterHost, Capabilities } from "@talaria/adapter";
import { Lifecycle, type Opened } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type ErrorCode,
  type GatewayError,
  instantOf,
  isGatewayError,
  type MediaRef,
  type MessageId,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { capabilitiesOf } from "./capabilities.ts";
import type { EmailConfig } from "./config.ts";
import { FirstDates } from "./first-dates.ts";
import { Intake } from "./intake.ts";
import { KeptWinmail } from "./kept-winmail.ts";
import { MailboxSession } from "./mailbox-session.ts";
import { threadTag } from "./message-ids.ts";
import { openFile } from "./open-file.ts";
import { composeMail, messageIdFor, recipientOf } from "./outbound.ts";
import { OwnProbes } from "./own-probes.ts";
import { readFiles } from "./read-files.ts";
import { isSent, keepSent } from "./sent-mail.ts";
import { deliver } from "./smtp-client.ts";
import { Threads } from "./threads.ts";

/** One mailbox. Does no I/O before `start`. */
export function createEmailAdapter(config: EmailConfig, deps: AdapterDeps): Adapter {
  return new EmailAdapter(config, deps);
}

class EmailAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "email";
  readonly holding = "leased";
  readonly capabilities: Capabilities;
  readonly #config: EmailConfig;
  readonly #deps: AdapterDeps;
  readonly #threads: Threads;
  readonly #winmail = new KeptWinmail();
  readonly #lifecycle: Lifecycle<Opened>;
  /**
   * Only where the server itself keeps what was sent: a copy of ours comes after the mail, so that nothing could be told of a connection
   * that broke in between.
   */
  readonly findSent?: NonNullable<Adapter["findSent"]>;
  readonly #probes: OwnProbes;
  readonly #firstDates = new FirstDates();
  readonly probe?: NonNullable<Adapter["probe"]>;

  constructor(config: EmailConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.capabilities = capabilitiesOf(config);
    this.#config = config;
    this.#deps = deps;
    this.#threads = new Threads(deps.store);
    const open = (host: AdapterHost) => this.#open(host);
    const { sentMailbox, appendSent } = config;
    if (sentMailbox !== undefined && !appendSent)
      this.findSent = (message, signal) => this.#findIn(sentMailbox, message, signal);
    this.#probes = new OwnProbes(config, deps.clock, deps.proxy);
    if (this.findSent === undefined) this.probe = (signal) => this.#probes.probe(signal);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, hint: hintFor, open });
  }

  start(host: AdapterHost): Promise<void> {
    return this.#lifecycle.start(host);
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  reached(): void {
    this.#lifecycle.hurry();
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { media, proxy, clock } = this.#deps;
    const files = await readFiles(media, message.attachments, this.#config.limits.sendBytes, signal);
    const { address, displayName } = this.#config;
    const chain = await this.#chainOf(message);
    const mail = await composeMail(message, files, {
      accountId: this.id,
      address,
      displayName,
      nowMs: this.#firstDates.of(messageIdFor(message, { accountId: this.id, address }), clock.now()),
      chain,
    });
    await deliver(mail, this.#config, proxy, signal);
    this.#firstDates.forget(mail.messageId);
    await this.#keep(mail.raw, signal);
    await this.#remember(message, mail.messageId);
    return this.#sent(message, mail.messageId);
  }

  async #findIn(sentMailbox: string, message: OutboundMessage, signal: AbortSignal): Promise<SentMessage | undefined> {
    const messageId = messageIdFor(message, { accountId: this.id, address: this.#config.address });
    const isThere = await isSent(messageId, sentMailbox, this.#config, this.#deps.proxy, signal);
    return isThere ? this.#sent(message, messageId) : undefined;
  }

  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openFile(ref, this.#config, { proxy: this.#deps.proxy, kept: this.#winmail }, signal);
  }

  #open(host: AdapterHost): Opened {
    const { clock, log, store, catchUpMs, proxy } = this.#deps;
    const config = this.#config;
    if (config.trustedAuthservId === undefined && config.unauthenticated !== "accept")
      log.warn({ accountId: this.id }, "trustedAuthservId is not set: every mail counts as unauthenticated");
    const intake = new Intake({
      accountId: this.id,
      config,
      host,
      threads: this.#threads,
      probes: this.#probes,
      store,
      clock,
      log,
    });
    const parts = { config, intake, store, clock, log, catchUpMs, proxy, startedAtMs: clock.now() };
    const mailbox = new MailboxSession(parts);
    return { session: (connected, signal) => mailbox.run(connected, signal) };
  }

  #sent({ conversation }: OutboundMessage, messageId: string): SentMessage {
    return { conversation, messageId: brandAs<MessageId>(messageId), sentAt: instantOf(this.#deps.clock.now()) };
  }

  async #chainOf({ conversation }: OutboundMessage): Promise<readonly string[]> {
    if (conversation.threadId === undefined) return [];
    const thread = await this.#threads.find(recipientOf(conversation), threadTag(conversation.threadId));
    return thread?.chain ?? [];
  }

  /** A mail that begins a thread is the root of its answers. It is sent, even if that can't be noted. */
  async #remember({ conversation }: OutboundMessage, messageId: string): Promise<void> {
    if (conversation.threadId !== undefined) return;
    try {
      await this.#threads.remember(recipientOf(conversation), messageId, []);
    } catch (error) {
      this.#deps.log.debug({ accountId: this.id, error }, "the thread of a sent mail could not be noted");
    }
  }

  /** The mail is sent, even if the copy fails. */
  async #keep(raw: Buffer, signal: AbortSignal): Promise<void> {
    const { sentMailbox, appendSent } = this.#config;
    if (sentMailbox === undefined || !appendSent) return;
    try {
      await keepSent(raw, sentMailbox, this.#config, this.#deps.proxy, signal);
    } catch (error) {
      const { code, message: reason } = isGatewayError(error) ? error : { code: "internal", message: "" };
      this.#deps.log.warn(
        { accountId: this.id, code, reason },
        "a copy of a sent mail could not be saved in `sentMailbox`",
      );
    }
  }
}

/** What an operator should do about an error that a retry cannot fix. */
function hintFor(code: ErrorCode, { message, details }: GatewayError): string {
  if (details.tls === true) return message;
  if (code === "unauthorized")
    return "The mail server refused the user or the password. Many providers require an app password: create one and set it as `imap.password` and `smtp.password`.";
  return "The mail server has no mailbox of this name. Set `mailbox` to one that exists.";
}
