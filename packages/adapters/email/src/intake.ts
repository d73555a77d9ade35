import type { Acceptance, AdapterHost } from "@talaria/adapter";
import { handOver } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Clock,
  type ConversationId,
  instantOf,
  type Log,
  type MessageId,
  type ThreadId,
} from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import { domainOf } from "./addresses.ts";
import { parseBounce } from "./bounce.ts";
import type { EmailConfig } from "./config.ts";
import { type Envelope, toEnvelope } from "./envelope.ts";
import { isBeyondLimits } from "./imap-client.ts";
import { type Content, type InboundView, toEvent } from "./inbound.ts";
import { threadTagOf } from "./message-ids.ts";
import { fetchHead, fetchPart, fetchPlan, fetchText, type MailHead, type Unread } from "./read-mail.ts";
import type { MailPlan } from "./structure.ts";
import { ThreadBudget } from "./thread-budget.ts";
import type { Threads } from "./threads.ts";

export interface IntakeDeps {
  readonly accountId: AccountId;
  readonly config: EmailConfig;
  readonly host: AdapterHost;
  readonly threads: Threads;
  readonly clock: Clock;
  readonly log: Log;
}

/** A mail that ends the connection so often when it is read is noted unread. */
const maxAttempts = 3;

/** Takes mails one after another, in the order of their UIDs. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #budget: ThreadBudget;
  #attempt = { uid: 0, count: 0 };
  #hasWarned = false;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#budget = new ThreadBudget(deps.config.limits.threadsPerHour);
  }

  /** Resolves when nobody needs this mail again. Throws when the connection ends, or the signal is aborted before the host has it. */
  async accept(
    client: ImapFlow,
    uid: number,
    uidValidity: string,
    notBeforeMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { config, clock, log, accountId } = this.#deps;
    const head = await fetchHead(client, uid, clock.now());
    if (head === undefined) return;
    if (head.receivedAtMs < notBeforeMs) {
      log.info({ accountId, uid }, "a mail is older than what is caught up with");
      return;
    }
    const envelope = toEnvelope(head.headers, config, head.size);
    if (envelope.verdict.hasForeignResults) this.#warnOnce();
    if (envelope.origin === "self") return;
    const content = await this.#read(client, head, envelope);
    if (content === "settled") return;
    const refuses = this.#refuses(envelope);
    const root = await this.#rootOf(envelope);
    const view = { accountId, address: config.address, nowMs: clock.now(), uidValidity, root, refuses };
    const acceptance = await this.#offer(head, envelope, content, view, signal);
    if (acceptance === "recorded" && envelope.author !== undefined)
      await this.#deps.threads.remember(envelope.author.address, root, [...envelope.references, envelope.messageId]);
    await this.#settle(client, uid, refuses);
  }

  /** What the mail says. `settled` for a delivery report. Nothing of a machine's mail is fetched. */
  async #read(client: ImapFlow, head: MailHead, envelope: Envelope): Promise<Content | "settled"> {
    const { limits } = this.#deps.config;
    const isReport = /^multipart\/report\b/i.test(head.headers.first("content-type"));
    if (!isReport && (envelope.origin === "machine" || this.#refuses(envelope)))
      return { kind: "unread", reason: envelope.machine ?? `unauthenticated sender, ${envelope.verdict.because}` };
    if (this.#attempts(head.uid) > maxAttempts) return { kind: "unread", reason: this.#sentenceOf("unreadable") };
    try {
      const plan = await fetchPlan(client, head, limits);
      if (typeof plan === "string") return { kind: "unread", reason: this.#sentenceOf(plan) };
      if (plan.report !== undefined && (await this.#takeReport(client, head, plan.report))) return "settled";
      if (envelope.origin === "machine") return { kind: "unread", reason: envelope.machine ?? "automatic" };
      return { kind: "read", files: plan.files, ...(await fetchText(client, head, plan, limits)) };
    } catch (error) {
      if (isBeyondLimits(error)) this.#attempt = { uid: head.uid, count: maxAttempts };
      throw error;
    }
  }

  #attempts(uid: number): number {
    this.#attempt = { uid, count: this.#attempt.uid === uid ? this.#attempt.count + 1 : 1 };
    return this.#attempt.count;
  }

  #sentenceOf(refusal: Unread): string {
    const { messageBytes, parts, depth } = this.#deps.config.limits;
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

  /** True when the report is about a mail of ours, and the host has it. */
  async #takeReport(
    client: ImapFlow,
    { uid, receivedAtMs }: MailHead,
    report: NonNullable<MailPlan["report"]>,
  ): Promise<boolean> {
    const { accountId, config, host, log } = this.#deps;
    const status = await fetchPart(client, uid, report.status, 32 * 1024);
    const about = report.about === undefined ? { text: "" } : await fetchPart(client, uid, report.about, 32 * 1024);
    const bounce = parseBounce(status.text, about.text);
    const tag = bounce === undefined ? undefined : threadTagOf(bounce.messageId, domainOf(config.address));
    if (bounce === undefined || tag === undefined) return false;
    const known = await this.#deps.threads.find(bounce.recipient, tag);
    log.info({ accountId, status: bounce.status }, "a mail server reports on a mail of ours");
    await host.receipt({
      conversation: {
        accountId,
        platform: "email",
        conversationId: brandAs<ConversationId>(bounce.recipient),
        kind: "direct",
        ...(known === undefined ? {} : { threadId: brandAs<ThreadId>(known.root) }),
      },
      messageId: brandAs<MessageId>(bounce.messageId),
      status: bounce.status,
      at: instantOf(receivedAtMs),
      ...(bounce.status === "failed" ? { reason: bounce.reason } : {}),
    });
    return true;
  }

  #refuses({ verdict, author, origin }: Envelope): boolean {
    return (
      author === undefined ||
      (origin === "person" && !verdict.isAuthentic && this.#deps.config.unauthenticated !== "accept")
    );
  }

  /** The first mail of the thread: told by a mail of ours that is answered, by References, or by the mail itself. */
  async #rootOf({ author, references, ownTags, messageId, origin }: Envelope): Promise<string> {
    for (const tag of author === undefined ? [] : ownTags) {
      const known = await this.#deps.threads.find(author?.address ?? "", tag);
      if (known !== undefined) return known.root;
    }
    const root = references[0] ?? messageId;
    if (origin !== "person" || author === undefined || references.length > 0) return root;
    return this.#budget.rootFor(author.address, root, this.#deps.clock.now());
  }

  #offer(
    head: MailHead,
    envelope: Envelope,
    content: Content,
    view: InboundView,
    signal: AbortSignal,
  ): Promise<Acceptance> {
    const { host, clock, log, accountId } = this.#deps;
    const event = toEvent(head, envelope, content, view);
    if (view.refuses)
      log.warn(
        { accountId, eventId: event.id, code: "unauthenticated_sender", reason: envelope.verdict.because },
        "a mail was refused",
      );
    return handOver(event, { host, clock, log }, signal);
  }

  /** What people see in the mailbox. It changes nothing for us, so it may fail. */
  async #settle(client: ImapFlow, uid: number, refuses: boolean): Promise<void> {
    const { config, log, accountId } = this.#deps;
    try {
      if (refuses && config.unauthenticated === "quarantine") {
        await client.mailboxCreate(config.quarantineMailbox).catch(() => undefined);
        await client.messageMove(String(uid), config.quarantineMailbox, { uid: true });
        log.warn({ accountId, uid }, "an unauthenticated mail was moved to quarantine");
      } else if (config.markSeen && !refuses) await client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true });
    } catch (error) {
      log.debug({ accountId, uid, error }, "a mail could not be marked");
    }
  }

  #warnOnce(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { log, accountId } = this.#deps;
    log.warn(
      { accountId },
      "the mail server lets Authentication-Results in its own name through: it should remove them",
    );
  }
}
