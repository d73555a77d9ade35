import { createHash } from "node:crypto";
import { cleanName, cleanText } from "@talaria/adapter-kit";
import {
  type AccountId,
  type Attachment,
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  type InboundEvent,
  instantOf,
  type MediaRef,
  type MessageId,
  type Quote,
  type Sender,
  spoken,
  type ThreadId,
  type UserId,
  type ValueSpan,
} from "@talaria/protocol";
import { audienceRemark, recipientsOf } from "./audience.ts";
import type { Envelope } from "./envelope.ts";
import { safeFileName } from "./file-names.ts";
import type { MailText } from "./mail-text.ts";
import type { MailHead } from "./read-mail.ts";
import type { FilePart } from "./structure.ts";

/** What became of a mail's content. */
export type Content =
  | ({ readonly kind: "read" } & MailText)
  /** Not read, and why: a sentence for the sender. */
  | { readonly kind: "unread"; readonly reason: string };

export interface InboundView {
  readonly accountId: AccountId;
  readonly address: string;
  readonly nowMs: number;
  readonly uidValidity: string;
  /** The first mail of the thread. */
  readonly root: string;
  /** No mail of the thread was taken before. */
  readonly isFirst: boolean;
  /** The sender is not proven and the settings ask for it: recorded, and no turn. */
  readonly refuses: boolean;
  /** What it answers, where its own session does not have that. */
  readonly quote: Quote | undefined;
}

/** Stands for an author that can't be read. No address has this form. */
const unreadableAuthor = "unreadable-author";

/** Converts a mail. Pure. A mail that must not be answered gets a `system` sender that is only claimed. */
export function toEvent(head: MailHead, envelope: Envelope, content: Content, view: InboundView): InboundEvent {
  const { messageId, answers, ownTags } = envelope;
  const recipients = recipientsOf(head.headers, view.address);
  const markdown = cleanText(textOf(envelope, content, view, recipients));
  const values = content.kind === "read" ? othersIn(markdown, content) : [];
  return {
    type: "message.created",
    id: brandAs<EventId>(eventIdOf(envelope)),
    conversation: conversationOf(envelope, view),
    sender: senderOf(envelope, view),
    occurredAt: instantOf(head.receivedAtMs),
    receivedAt: instantOf(view.nowMs),
    message: {
      messageId: brandAs<MessageId>(messageId),
      markdown,
      ...(values.length > 0 ? { values } : {}),
      ...(content.kind === "unread" ? { withheld: true as const } : {}),
      attachments: content.kind === "read" ? content.files.map((file) => attachmentOf(file, head, envelope, view)) : [],
      mentions: [],
      mentionsSelf: true,
      repliesToSelf: ownTags.length > 0,
      ...(answers === undefined ? {} : { replyTo: brandAs<MessageId>(answers) }),
      ...(view.quote === undefined ? {} : { quote: view.quote }),
      ...(recipients.length === 0 ? {} : { recipients: recipients.map((each) => brandAs<UserId>(each)) }),
    },
  };
}

/** What others wrote and the sender only quotes or attaches is theirs: data, which taints. */
function othersIn(markdown: string, { quoted, attached }: Pick<MailText, "quoted" | "attached">): readonly ValueSpan[] {
  const mails = spanOf("attached mails", cleanText(attached), markdown, markdown.length);
  const earlier = spanOf("earlier messages", cleanText(quoted), markdown, mails?.start ?? markdown.length);
  return [earlier, mails].filter((span) => span !== undefined);
}

/** Where these words stand last before `end`. If they can't be found, all before it is others' too. */
function spanOf(name: string, words: string, markdown: string, end: number): ValueSpan | undefined {
  if (words === "") return undefined;
  const start = markdown.slice(0, end).lastIndexOf(words);
  return start === -1 ? { name, start: 0, end } : { name, start, end: start + words.length };
}

/** Who wrote a mail, and where: as much of its event as its header tells. */
export function originOf(
  envelope: Envelope,
  view: Pick<InboundView, "accountId" | "refuses"> & { readonly root: string | undefined },
): Pick<InboundEvent, "conversation" | "sender"> {
  return { conversation: conversationOf(envelope, view), sender: senderOf(envelope, view) };
}

/** The same mail always has the same id, in whatever folder or under whatever UID; a forged copy has another. */
function eventIdOf({ messageId, author, verdict }: Envelope): string {
  const parts = [messageId, author?.address ?? "", verdict.isAuthentic ? "authentic" : "claimed"];
  return `mail-${createHash("sha256").update(parts.join("\n")).digest("base64url").slice(0, 32)}`;
}

function conversationOf(
  { author, subject }: Envelope,
  { accountId, root }: Pick<InboundView, "accountId"> & { readonly root: string | undefined },
): Conversation {
  return {
    accountId,
    platform: "email",
    conversationId: brandAs<ConversationId>(author?.address ?? unreadableAuthor),
    kind: "direct",
    ...(root === undefined ? {} : { threadId: brandAs<ThreadId>(root) }),
    ...(subject === "" ? {} : { title: subject }),
  };
}

function senderOf({ author, verdict, origin, language }: Envelope, { refuses }: Pick<InboundView, "refuses">): Sender {
  const address = author?.address ?? unreadableAuthor;
  const name = cleanName(author?.name ?? "");
  const isNoted = origin === "machine" || refuses || author === undefined;
  return {
    userId: brandAs<UserId>(address),
    role: origin === "self" ? "self" : isNoted ? "system" : "person",
    // A name that looks like an address is there to be mistaken for one.
    displayName: name === "" || /[@\uff20\ufe6b]/.test(name) ? address : name,
    handle: address,
    assurance: verdict.isAuthentic && !isNoted ? "signed" : "claimed",
    ...spoken(language),
  };
}

function textOf(
  { subject, references, ownTags }: Envelope,
  content: Content,
  { isFirst }: InboundView,
  recipients: readonly string[],
): string {
  if (content.kind === "unread")
    return [subject, `[this mail was not read: ${content.reason}]`].filter(Boolean).join("\n\n");
  const text = content.text.trim();
  if ((text || subject).startsWith("/")) return text || subject;
  const isNew = references.length === 0 || (isFirst && ownTags.length === 0);
  const opening = text === "" ? subject : isNew && subject !== "" ? `Subject: ${subject}` : "";
  const parts = [opening, text, ...bracketed(content.remarks)].filter(Boolean);
  const audience = parts.length === 0 && content.files.length === 0 ? undefined : audienceRemark(recipients);
  return [...parts, ...bracketed(audience === undefined ? [] : [audience])].join("\n\n");
}

function bracketed(remarks: readonly string[]): readonly string[] {
  return remarks.map((remark) => `[${remark}]`);
}

function attachmentOf(
  file: FilePart,
  { uid }: MailHead,
  { messageId }: Envelope,
  { uidValidity }: InboundView,
): Attachment {
  const name = safeFileName(file.name);
  return {
    kind: kindOf(file.mimeType),
    mimeType: file.mimeType,
    ref: brandAs<MediaRef>([uidValidity, uid, file.part, ...versionOf(file), messageId].join(" ")),
    ...(name === "" ? {} : { name }),
  };
}

function versionOf({ version, within }: FilePart): readonly string[] {
  if (within !== undefined) return [`tnef-${within}`];
  return version === undefined ? [] : [version];
}

function kindOf(mimeType: string): Attachment["kind"] {
  const family = mimeType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}
