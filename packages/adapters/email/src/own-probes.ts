import { createHash } from "node:crypto";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import MailComposer from "nodemailer/lib/mail-composer";
import { domainOf } from "./addresses.ts";
import type { EmailConfig } from "./config.ts";
import { loopHeader } from "./machine-mail.ts";
import type { ComposedMail } from "./outbound.ts";
import { deliver } from "./smtp-client.ts";

/** So many in a row are sent whenever somebody asks, all others at a distance: a long outage must not fill a mailbox. */
const mostAtOnce = 12;
const distanceMs = 30 * 60_000;
/** Whoever asks so soon after a mail was taken is told so without another one. */
const freshMs = 1_000;
/** Those that may still come in, to be taken away. */
const mostKnown = 200;

const words = {
  subject: "Does the mail server take mails again?",
  text: "Talaria has sent this mail to itself, to find out whether the mail server takes mails again. It deletes the mail as soon as it sees it. You may delete it as well.",
} as const;

/**
 * Mails to our own address: a server that ends the connection once it has taken a mail greets as ever, so that nothing but a mail finds
 * out whether that is over. Nobody else gets one, and RFC 3834 keeps machines from answering it.
 */
export class OwnProbes {
  readonly #config: EmailConfig;
  readonly #clock: Clock;
  readonly #proxy: URL | undefined;
  readonly #ids = new Set<string>();
  #running: Promise<void> | undefined;
  #takenAt = Number.NEGATIVE_INFINITY;
  #sentAt = Number.NEGATIVE_INFINITY;
  #inARow = 0;

  constructor(config: EmailConfig, clock: Clock, proxy: URL | undefined) {
    this.#config = config;
    this.#clock = clock;
    this.#proxy = proxy;
  }

  /** Resolves when the server has taken one. Overlapping calls share it. Throws GatewayError. */
  probe(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#probe(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Deletes a mail of our own that came back, if it is one of these. Whatever else is in the mailbox stays. */
  async takeAway(client: ImapFlow, uid: number, messageId: string): Promise<void> {
    if (!this.#ids.delete(messageId)) return;
    // Without it, deleting one mail would delete for good whatever people have marked as deleted (RFC 4315 section 2.1).
    if (client.capabilities.has("UIDPLUS")) await client.messageDelete(String(uid), { uid: true });
    else await client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true });
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const now = this.#clock.elapsed();
    if (now - this.#takenAt < freshMs) return;
    if (this.#inARow >= mostAtOnce && now - this.#sentAt < distanceMs)
      throw new GatewayError("enough mails were sent to find out whether the mail server takes them", {
        code: "unavailable",
        effect: "none",
      });
    this.#inARow += 1;
    this.#sentAt = now;
    const mail = await this.#compose();
    this.#remember(mail.messageId);
    await deliver(mail, this.#config, this.#proxy, signal);
    this.#takenAt = this.#clock.elapsed();
    this.#inARow = 0;
  }

  #remember(messageId: string): void {
    this.#ids.add(messageId);
    const [oldest] = this.#ids;
    if (this.#ids.size > mostKnown && oldest !== undefined) this.#ids.delete(oldest);
  }

  async #compose(): Promise<ComposedMail> {
    const { address } = this.#config;
    const moment = `${address}\n${this.#clock.now()}\n${this.#clock.elapsed()}`;
    const name = createHash("sha256").update(moment).digest("hex").slice(0, 32);
    const messageId = `<talaria-probe.${name}@${domainOf(address)}>`;
    const composer = new MailComposer({
      from: { name: "", address },
      to: { name: "", address },
      messageId,
      date: new Date(this.#clock.now()),
      ...words,
      headers: {
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        [loopHeader.name]: loopHeader.value,
      },
      xMailer: false,
      newline: "\r\n",
    });
    return { to: address, messageId, raw: await composer.compile().build() };
  }
}
