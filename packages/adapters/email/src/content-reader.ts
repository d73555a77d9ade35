import type { AdapterHost } from "@talaria/adapter";
import type { AccountId, Log } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import type { Attempts } from "./attempts.ts";
import type { EmailConfig } from "./config.ts";
import type { Envelope } from "./envelope.ts";
import { isBeyondLimits } from "./imap-client.ts";
import type { Content } from "./inbound.ts";
import { fetchText } from "./mail-text.ts";
import type { QuotedThread } from "./quoted-thread.ts";
import { fetchPlan, type MailHead, type Unread } from "./read-mail.ts";
import type { Reports } from "./reports.ts";

export interface ContentReaderDeps {
  readonly accountId: AccountId;
  /** Our own. */
  readonly address: string;
  readonly limits: EmailConfig["limits"];
  readonly reports: Reports;
  readonly attempts: Attempts;
  readonly host: Pick<AdapterHost, "leftOut">;
  readonly log: Log;
}

/** One mail whose header was read. */
export interface KnownMail {
  readonly head: MailHead;
  readonly envelope: Envelope;
  readonly uidValidity: string;
  /** Nobody has proven the sender, and the settings ask for that. */
  readonly refuses: boolean;
  /** Whether the host listens to this sender. */
  readonly isAllowed: () => Promise<boolean>;
}

/** A mail whose content was begun so often is noted unread. */
const maxAttempts = 3;

/** Decides what of a mail's content is read, and reads it. */
export class ContentReader {
  readonly #deps: ContentReaderDeps;

  constructor(deps: ContentReaderDeps) {
    this.#deps = deps;
  }

  /**
   * The content, `settled` for a delivery report about a mail of ours. Of a machine, of a sender who is not proven, and of
   * one who may not be heard, nothing is fetched, but for the two machine-readable parts of a report. Throws when the
   * connection ends.
   */
  async read(client: ImapFlow, mail: KnownMail): Promise<Content | "settled"> {
    const { head, uidValidity } = mail;
    const mayBeReport = /^multipart\/report\b/i.test(head.headers.first("content-type"));
    const reason = await this.#reasonNotToRead(mail);
    if (reason !== undefined && !mayBeReport) return { kind: "unread", reason };
    const { attempts, limits, reports } = this.#deps;
    if ((await attempts.begin({ uidValidity, uid: head.uid }, "content")) > maxAttempts) return this.#giveUp(head.uid);
    try {
      const plan = await fetchPlan(client, head, limits);
      if (typeof plan === "string") return { kind: "unread", reason: reason ?? this.#sentenceOf(plan) };
      if (plan.report !== undefined && (await reports.take(client, head, plan.report))) return "settled";
      if (reason !== undefined) return { kind: "unread", reason };
      return {
        kind: "read",
        ...(await fetchText(client, head, plan, limits, this.#threadOf(mail.envelope), this.#deps.log)),
      };
    } catch (error) {
      if (!isBeyondLimits(error)) throw error;
      // The connection is gone, and would be gone again after each further attempt.
      while ((await attempts.begin({ uidValidity, uid: head.uid }, "content")) < maxAttempts);
      throw error;
    }
  }

  async #reasonNotToRead({ envelope, refuses, isAllowed }: KnownMail): Promise<string | undefined> {
    if (envelope.origin === "machine") return envelope.machine ?? "automatic";
    if (refuses) return `unauthenticated sender, ${envelope.verdict.because}`;
    return (await isAllowed()) ? undefined : "its sender may not be heard here yet";
  }

  #threadOf({ subject, answers, ownTags, author }: Envelope): QuotedThread {
    const { address } = this.#deps;
    return {
      subject,
      isAnswer: answers !== undefined,
      isOurs: ownTags.length > 0,
      address,
      ...(author === undefined ? {} : { author }),
    };
  }

  #giveUp(uid: number): Content {
    const { accountId, host, log } = this.#deps;
    log.error({ accountId, uid }, `a mail is left unread: reading it failed or ended the process ${maxAttempts} times`);
    host.leftOut("unreadable_mail");
    return { kind: "unread", reason: this.#sentenceOf("unreadable") };
  }

  #sentenceOf(refusal: Unread): string {
    const { messageBytes, parts, depth } = this.#deps.limits;
    switch (refusal) {
      case "too_large":
        return `it is larger than the ${messageBytes} bytes that are taken`;
      case "too_many_parts":
        return `it has more than the ${parts} parts that are taken`;
      case "too_deep":
        return `its parts are nested deeper than the ${depth} levels that are taken`;
      case "unreadable":
        return "it could not be taken apart";
      default:
        return refusal satisfies never;
    }
  }
}
