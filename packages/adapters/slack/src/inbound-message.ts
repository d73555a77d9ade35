import { cleanFileName, cleanName, cleanText } from "@talaria/adapter-kit";
import {
  type Attachment,
  brandAs,
  type InboundMessage,
  type MediaRef,
  type MessageId,
  type Sender,
  spoken,
  type UserId,
} from "@talaria/protocol";
import { type Forwarded, forwardedIn, wordsOf } from "./message-words.ts";
import { mentionsIn, type Names, toMarkdown } from "./mrkdwn.ts";
import type { Person } from "./people.ts";
import type { SlackSelf } from "./wire.ts";
import type { SlackAttachment, SlackFile, SlackMessage } from "./wire-content.ts";

/** Who is who and which channel is which, as far as it is known. */
export interface Known {
  readonly people: ReadonlyMap<string, Person>;
  readonly channels: ReadonlyMap<string, string>;
}

/** Further people are named in the text alone. */
const maxMentions = 500;
const maxAttachments = 100;

/** What people write; every other subtype is a notice of Slack. */
const writtenSubtypes: ReadonlySet<string | undefined> = new Set([
  undefined,
  "file_share",
  "thread_broadcast",
  "me_message",
  "bot_message",
]);

/** Text, files and references of a message. Undefined for notices, and when nobody said anything. */
export function toMessage(message: SlackMessage, self: SlackSelf, known: Known): InboundMessage | undefined {
  if (!writtenSubtypes.has(message.subtype)) return undefined;
  const raw = wordsOf(message);
  const isAddressed = mentionsIn(raw).includes(self.user_id);
  const names = namesOf(known);
  const said = toMarkdown(withoutAddress(raw, self.user_id), names);
  const forwarded = forwardedIn(message);
  const files = [...message.files, ...forwarded.flatMap(({ attachment }) => attachment.files)];
  const attachments = files.flatMap((file) => attachmentOf(file) ?? []).slice(0, maxAttachments);
  const notes = files
    .filter((file) => attachmentOf(file) === undefined)
    .map(noteOf)
    .slice(0, maxAttachments);
  const text = message.subtype === "me_message" ? `_${said}_` : said || (forwarded.length > 0 ? "[forwarded]" : "");
  const markdown = cleanText([text, ...notes].filter((part) => part !== "").join("\n"));
  if (markdown === "" && attachments.length === 0 && !isAddressed) return undefined;
  return {
    messageId: brandAs<MessageId>(message.ts),
    markdown,
    attachments,
    mentions: mentionsIn(raw)
      .slice(0, maxMentions)
      .map((id) => brandAs<UserId>(id)),
    mentionsSelf: isAddressed,
    repliesToSelf: message.parent_user_id === self.user_id && message.thread_ts !== message.ts,
    ...quoteOf(forwarded, known),
  };
}

/** Forwarded messages are somebody else's words: the first one's author, and all their texts, each later one with its author. */
function quoteOf(forwarded: readonly Forwarded[], known: Known): Pick<InboundMessage, "quote"> {
  const [first] = forwarded;
  if (first === undefined || forwarded.every(({ words }) => words === "")) return {};
  const names = namesOf(known);
  const texts = forwarded.map(({ attachment, words }, n) => {
    const text = toMarkdown(words, names);
    return n === 0 ? text : `${authorOf(attachment, known)}: ${text}`;
  });
  const userId = brandAs<UserId>(first.attachment.author_id ?? "unknown");
  const markdown = cleanText(texts.filter((text) => text !== "").join("\n\n"));
  return { quote: { userId, displayName: authorOf(first.attachment, known), markdown } };
}

function namesOf({ people, channels }: Known): Names {
  return { user: (id) => people.get(id)?.displayName, channel: (id) => channels.get(id) };
}

function authorOf({ author_id, author_name }: SlackAttachment, known: Known): string {
  const person = author_id === undefined ? undefined : known.people.get(author_id);
  return person?.displayName || cleanName(author_name ?? "") || author_id || "somebody";
}

/** What is needed of a message to know who wrote it. */
type Author = Partial<Pick<SlackMessage, "user" | "bot_id" | "subtype" | "username" | "bot_profile">>;

/** Who wrote a message. What apps and webhooks post counts as a bot's. */
export function toSender(
  { user, bot_id, subtype, username, bot_profile }: Author,
  self: SlackSelf,
  known: Known,
): Sender {
  const isSelf = user === self.user_id || (bot_id !== undefined && bot_id === self.bot_id);
  const person = user === undefined ? undefined : known.people.get(user);
  const isBot = bot_id !== undefined || subtype === "bot_message" || person?.isBot === true || user === "USLACKBOT";
  const id = user ?? bot_id ?? "";
  const name = person?.displayName || cleanName(bot_profile?.name ?? username ?? "") || id;
  return {
    userId: brandAs<UserId>(id),
    role: isSelf ? "self" : isBot ? "bot" : "person",
    displayName: name,
    assurance: "platform",
    ...(person?.handle ? { handle: person.handle } : {}),
    ...spoken(person?.language),
  };
}

/** A text that begins by naming us is said to us: the name is no part of it, so that commands are found. */
function withoutAddress(text: string, selfId: string): string {
  return text.replace(new RegExp(`^\\s*<@${selfId}(\\|[^>]*)?>[ \\t]*[,:]?[ \\t]*`), "");
}

/** Files that Slack itself keeps; the others are links to elsewhere, or were removed. */
function attachmentOf(file: SlackFile): Attachment | undefined {
  const { id, name, title, mimetype, size, subtype, mode, file_access } = file;
  const isElsewhere = file_access === "check_file_info";
  if (!isElsewhere && mode !== undefined && !["hosted", "snippet", "post", "space"].includes(mode)) return undefined;
  const shown = cleanFileName(name ?? title ?? "");
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(mimetype ?? "") ? (mimetype ?? "") : "application/octet-stream";
  const isVoice = subtype === "slack_audio";
  return {
    kind: isVoice ? "audio" : kindOf(mimeType),
    mimeType,
    ref: brandAs<MediaRef>(id),
    ...(shown === "" ? {} : { name: shown }),
    ...(size === undefined ? {} : { byteLength: size }),
    ...(isVoice ? { voice: true as const } : {}),
  };
}

function kindOf(mimeType: string): Attachment["kind"] {
  const family = mimeType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

/** The files that a message has, by their ids. */
export function filesIn({ files }: Pick<SlackMessage, "files">): string {
  return files.map(({ id, mode }) => (mode === removed ? "" : id)).join();
}

/** The mode of a file that somebody has deleted: nothing else is told of it (github.com/wee-slack/wee-slack, pull request 641). */
const removed = "tombstone";

/** A file that Slack does not keep for us. */
function noteOf({ name, title, mode }: SlackFile): string {
  if (mode === removed) return "[a file that was deleted]";
  const shown = cleanFileName(name ?? title ?? "").replaceAll(/[[\]]/g, "");
  return shown === "" ? "[file]" : `[file: ${shown}]`;
}
