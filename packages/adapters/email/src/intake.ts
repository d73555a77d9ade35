import type { Acceptance, AdapterHost, AdapterStore } from "@talaria/adapter";
import { handOver } from "@talaria/adapter-kit";
import type { AccountId, Clock, Log } from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import { answeredMail } from "./answered-mail.ts";
import { Attempts } from "./attempts.ts";
import type { EmailConfig } from "./config.ts";
import { ContentReader } from "./content-reader.ts";
import { type Envelope, toEnvelope } from "./envelope.ts";
import { type Content, type InboundView, originOf, toEvent } from "./inbound.ts";
import { threadTag } from "./message-ids.ts";
import type { OwnProbes } from "./own-probes.ts";
import { fetchHead, type MailHead } from "./read-mail.ts";
import { Reports } from "./reports.ts";
import { ThreadBudget } from "./thread-budget.ts";
import type { Threads } from "./threads.ts";

export interface IntakeDeps {
  readonly accountId: AccountId;
  readonly config: EmailConfig;
  readonly host: AdapterHost;
  readonly threads: Threads;
  readonly probes: Pick<OwnProbes, "takeAway">;
  readonly store: AdapterStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A mail whose header was begun so often is passed over: it ends the connection or the process before it can be noted. */
const maxHeadAttempts = 10;

/** Takes mails one after another, in the order of their UIDs. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #budget: ThreadBudget;
  readonly #attempts: Attempts;
  readonly #reader: ContentReader;
  #hasWarned = false;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    const { accountId, config, host, threads, log } = deps;
    this.#budget = new ThreadBudget(config.limits.threadsPerHour);
    this.#attempts = new Attempts(deps.store);
    const reports = new Reports({ accountId, address: config.address, host, threads, log });
    const { address, limits } = config;
    this.#reader = new ContentReader({ accountId, address, limits, reports, attempts: this.#attempts, host, log });
  }

  /** Resolves when nobody needs this mail again. Throws when the connection ends, or the signal is aborted before the host has it. */
  async accept(
    client: ImapFlow,
    uid: number,
    uidValidity: string,
    notBeforeMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { config, clock, log, accountId, host } = this.#deps;
    if ((await this.#attempts.begin({ uidValidity, uid }, "head")) > maxHeadAttempts) return this.#passOver(uid);
    const head = await fetchHead(client, uid, clock.now());
    if (head === undefined) return;
    if (head.receivedAtMs < notBeforeMs) {
      log.info({ accountId, uid }, "a mail is skipped: it is older than the account's `catchUp.maxAgeMs`");
      return;
    }
    const envelope = await this.#withKnownTags(toEnvelope(head.headers, config, head.size));
    if (envelope.verdict.hasForeignResults) this.#warnOnce();
    if (envelope.origin === "self") return this.#takeAway(client, uid, envelope.messageId);
    const refuses = this.#refuses(envelope);
    const isAllowed = () => host.isAllowed(originOf(envelope, { accountId, refuses, root: undefined }));
    const content = await this.#reader.read(client, { head, envelope, uidValidity, refuses, isAllowed });
    if (content === "settled") return;
    const root = await this.#rootOf(envelope);
    const isFirst = await this.#isFirst(envelope, root);
    const { address } = config;
    const from = originOf(envelope, { accountId, root, refuses });
    const quote =
      content.kind === "unread" ? undefined : await answeredMail(envelope, address, from, content.text, host);
    const view = { accountId, address, nowMs: clock.now(), uidValidity, root, isFirst, refuses, quote };
    const acceptance = await this.#offer(head, envelope, content, view, signal);
    if (acceptance === "recorded" && envelope.author !== undefined)
      await this.#deps.threads.remember(envelope.author.address, root, [...envelope.references, envelope.messageId]);
    await this.#settle(client, uid, refuses);
  }

  /** A mail of ours is no message. One that we sent to ourselves need not stay, but may. */
  async #takeAway(client: ImapFlow, uid: number, messageId: string): Promise<void> {
    const { probes, log, accountId } = this.#deps;
    try {
      await probes.takeAway(client, uid, messageId);
    } catch (error) {
      log.debug({ accountId, uid, error }, "a mail to ourselves could not be deleted");
    }
  }

  /** Nothing is known of it but its UID, so there is nobody to tell. */
  #passOver(uid: number): void {
    const { accountId, log, host } = this.#deps;
    log.error({ accountId, uid }, `a mail is passed over: reading its header ended ${maxHeadAttempts} attempts`);
    host.leftOut("unreadable_mail");
  }

  #refuses({ verdict, author, origin }: Envelope): boolean {
    return (
      author === undefined ||
      (origin === "person" && !verdict.isAuthentic && this.#deps.config.unauthenticated !== "accept")
    );
  }

  /** Who has seen a mail of ours to somebody else may name it, which makes nothing of that thread theirs. */
  async #withKnownTags(envelope: Envelope): Promise<Envelope> {
    const { author, ownTags } = envelope;
    const known: string[] = [];
    for (const tag of author === undefined ? [] : ownTags)
      if ((await this.#deps.threads.find(author?.address ?? "", tag)) !== undefined) known.push(tag);
    return { ...envelope, ownTags: known };
  }

  /** The first mail of the thread: from a mail of ours that is answered, from References, or else this mail itself. */
  async #rootOf({ author, references, ownTags, messageId, origin }: Envelope): Promise<string> {
    for (const tag of author === undefined ? [] : ownTags) {
      const known = await this.#deps.threads.find(author?.address ?? "", tag);
      if (known !== undefined) return known.root;
    }
    const root = references[0] ?? messageId;
    if (origin !== "person" || author === undefined || references.length > 0) return root;
    return this.#budget.rootFor(author.address, root, this.#deps.clock.elapsed());
  }

  async #isFirst({ author }: Envelope, root: string): Promise<boolean> {
    return (await this.#deps.threads.find(author?.address ?? "", threadTag(root))) === undefined;
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
      "the mail server does not remove forged Authentication-Results that have its own name: configure it to",
    );
  }
}
