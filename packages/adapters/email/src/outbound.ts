import { plainText, readable, renderMarkdown } from "@talaria/markdown";
import { GatewayError, type OutboundMessage } from "@talaria/protocol";
import MailComposer from "nodemailer/lib/mail-composer";
import { canonicalAddress, domainOf } from "./addresses.ts";
import { maxTextLength } from "./capabilities.ts";
import { htmlBody } from "./html-body.ts";
import { loopHeader } from "./machine-mail.ts";
import { isRealId, ownMessageId, shortChain } from "./message-ids.ts";

export interface Correspondence {
  readonly accountId: string;
  readonly address: string;
  readonly displayName: string | undefined;
  readonly nowMs: number;
  /** Message-IDs of the thread, the root first; may be empty. */
  readonly chain: readonly string[];
}

export interface MailFile {
  readonly name: string;
  readonly mimeType: string;
  readonly content: Buffer;
}

export interface ComposedMail {
  readonly to: string;
  readonly messageId: string;
  /** The whole mail, with CRLF. */
  readonly raw: Buffer;
}

/** The recipient of everything in this conversation: the one correspondent. Throws `not_found` for what is no address. */
export function recipientOf({ conversationId }: OutboundMessage["conversation"]): string {
  const address = canonicalAddress(conversationId);
  if (address === undefined)
    throw new GatewayError("a mail goes to a plain address", { code: "not_found", effect: "none" });
  return address;
}

/** The Message-ID of a mail, which is the same whenever the message is sent again. */
export function messageIdFor(
  { deliveryKey, conversation }: OutboundMessage,
  { accountId, address }: Pick<Correspondence, "accountId" | "address">,
): string {
  return ownMessageId({ accountId, deliveryKey }, conversation.threadId, domainOf(address));
}

/** Writes one mail. Throws `invalid_request` where a value would break out of its header, `too_large` for long texts. */
export async function composeMail(
  message: OutboundMessage,
  files: readonly MailFile[],
  about: Correspondence,
): Promise<ComposedMail> {
  const { markdown, conversation, replyTo } = message;
  if (markdown.length > maxTextLength)
    throw new GatewayError(`a text of ${markdown.length} is longer than the ${maxTextLength} of one mail`, {
      code: "too_large",
      details: { length: markdown.length, maxLength: maxTextLength },
    });
  if (markdown.trim() === "" && files.length === 0)
    throw new GatewayError("a mail needs text or a file", { code: "invalid_request" });
  const to = recipientOf(conversation);
  const messageId = messageIdFor(message, about);
  const references = referencesOf(message, about.chain);
  const answers = replyTo !== undefined && isRealId(replyTo) ? replyTo : references.at(-1);
  const composer = new MailComposer({
    from: { name: oneLine(about.displayName ?? "", "display name"), address: about.address },
    to: { name: "", address: to },
    subject: subjectOf(conversation.title, references.length > 0 || replyTo !== undefined),
    messageId,
    date: new Date(about.nowMs),
    ...(answers === undefined ? {} : { inReplyTo: answers }),
    ...(references.length === 0 ? {} : { references: [...references] }),
    text: renderMarkdown(markdown, plainText).trimEnd() || readable(markdown) || " ",
    ...(markdown.trim() === "" ? {} : { html: htmlBody(markdown) }),
    headers: {
      "Auto-Submitted": "auto-replied",
      "X-Auto-Response-Suppress": "All",
      [loopHeader.name]: loopHeader.value,
    },
    attachments: files.map(({ name, mimeType, content }) => ({
      filename: oneLine(name, "file name"),
      contentType: mimeType,
      content,
      contentDisposition: "attachment" as const,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
    xMailer: false,
    newline: "\r\n",
  });
  return { to, messageId, raw: await composer.compile().build() };
}

/** Root, what came since, and last what this mail answers (RFC 5322 section 3.6.4). */
function referencesOf({ conversation, replyTo }: OutboundMessage, chain: readonly string[]): readonly string[] {
  const root = conversation.threadId === undefined ? [] : [String(conversation.threadId)];
  const last = replyTo === undefined ? [] : [String(replyTo)];
  const before = [...root, ...chain].filter((id) => id !== replyTo);
  return shortChain([...before, ...last].filter(isRealId));
}

function subjectOf(title: string | undefined, isReply: boolean): string {
  const subject = oneLine(title ?? "", "subject").trim();
  if (!isReply) return subject || "Message";
  return /^(?:re|aw|sv|antw)\s*:/i.test(subject) ? subject : `Re: ${subject || "(no subject)"}`;
}

/** A line end would begin a new header. It is refused rather than removed: whoever wrote it meant more than a name. */
function oneLine(text: string, what: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(text))
    throw new GatewayError(`the ${what} of a mail has to be one line`, { code: "invalid_request", effect: "none" });
  return text.toWellFormed();
}
