import type { AdapterHost } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type ConversationId,
  instantOf,
  type Log,
  type MessageId,
  type ThreadId,
} from "@talaria/protocol";
import type { ImapFlow } from "imapflow";
import { domainOf } from "./addresses.ts";
import { parseBounce } from "./bounce.ts";
import { threadTagOf } from "./message-ids.ts";
import { fetchPart, type MailHead } from "./read-mail.ts";
import type { MailPlan } from "./structure.ts";
import type { Threads } from "./threads.ts";

export interface ReportsDeps {
  readonly accountId: AccountId;
  /** Our address. */
  readonly address: string;
  readonly host: Pick<AdapterHost, "receipt">;
  readonly threads: Pick<Threads, "find">;
  readonly log: Log;
}

/** So much is fetched of each of a report's two machine-readable parts. */
const partBytes = 32 * 1024;

/** Delivery reports of other servers. Anybody may send one, so little of it is fetched and nothing of it is shown. */
export class Reports {
  readonly #deps: ReportsDeps;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** True when the report is about a mail of ours, and the host has the receipt. */
  async take(
    client: ImapFlow,
    { uid, receivedAtMs }: MailHead,
    report: NonNullable<MailPlan["report"]>,
  ): Promise<boolean> {
    const { accountId, address, host, threads, log } = this.#deps;
    const status = await fetchPart(client, uid, report.status, partBytes);
    const about = report.about === undefined ? { text: "" } : await fetchPart(client, uid, report.about, partBytes);
    const bounce = parseBounce(status.text, about.text);
    const tag = bounce === undefined ? undefined : threadTagOf(bounce.messageId, domainOf(address));
    if (bounce === undefined || tag === undefined) return false;
    const known = await threads.find(bounce.recipient, tag);
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
}
