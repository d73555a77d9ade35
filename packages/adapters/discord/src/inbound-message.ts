import { cleanFileName, cleanName, cleanText } from "@talaria/adapter-kit";
import {
  type Attachment,
  brandAs,
  type InboundMessage,
  type MediaRef,
  type MessageId,
  type Quote,
  type Sender,
  spoken,
  type UserId,
} from "@talaria/protocol";
import { appWords } from "./app-words.ts";
import type { RoleNames } from "./own-roles.ts";
import type { DiscordContent, DiscordMessage, DiscordUser } from "./wire.ts";

/** Ordinary messages and replies; all other types are notices of Discord. */
const reply = 19;
const writtenTypes: ReadonlySet<number> = new Set([0, reply]);

/** The flag of a message that was recorded in the app; its one file is speech. */
const isVoiceMessage = 1 << 13;

/** Discord lets people send ten. */
const maxFilesIn = 20;

/** What a message is read with. */
export interface Reading {
  readonly selfId: string;
  /** The roles that Discord keeps for us, by id. */
  readonly ownRoles: RoleNames;
  readonly channelName: (id: string) => string | undefined;
}

/**
 * The text, files and references of a message. Undefined when nobody said anything that we may see: notices, and
 * messages whose content Discord hides.
 */
export function toMessage(message: DiscordMessage, { selfId, ownRoles, channelName }: Reading) {
  if (!writtenTypes.has(message.type ?? 0)) return undefined;
  const isOurs = (sign: string | undefined, id: string) => (sign === "&" ? ownRoles.has(id) : id === selfId);
  const attachments = attachmentsOf(message, message.channel_id);
  const users = message.mentions.map((user) => [user.id, nameOf(user)] as const);
  const names = { user: new Map(users), role: ownRoles, channel: channelName };
  const words = wordsOf(message);
  const said = [readable(withoutAddress(words, isOurs), names), ...forwardedIn(message, names), ...notesOf(message)];
  const markdown = cleanText(said.filter((part) => part !== "").join("\n"));
  const isAddressed = words.matchAll(/<@([!&]?)(\d{1,20})>/g).some(([, sign, id = ""]) => isOurs(sign, id));
  if (markdown === "" && attachments.length === 0 && !isAddressed) return undefined;
  const { message_reference: reference, referenced_message: replied, type } = message;
  const replyTo = type === reply ? reference?.message_id : undefined;
  return {
    messageId: brandAs<MessageId>(message.id),
    markdown,
    attachments,
    mentions: message.mentions.map(({ id }) => brandAs<UserId>(id)),
    mentionsSelf: isAddressed,
    repliesToSelf: replied?.author.id === selfId,
    ...(replyTo === undefined ? {} : { replyTo: brandAs<MessageId>(replyTo) }),
    ...(replied === undefined || replyTo === undefined
      ? {}
      : { quote: quoteOf(replied, message.channel_id, names, selfId) }),
  } satisfies InboundMessage;
}

/**
 * What somebody says in a message: its text. Where an app has written none, the words of its embeds and components; what stands
 * beside a text is not read, since pages that are linked to decide it.
 */
export function wordsOf(message: Pick<DiscordMessage, "author" | "webhook_id"> & DiscordContent): string {
  const { content = "", author, webhook_id } = message;
  return content === "" && (author.bot || webhook_id !== undefined) ? appWords(message) : content;
}

/** Discord does not tell who wrote a forwarded message; without a text it is an app's. */
function forwardedIn({ message_snapshots: [forwarded] }: Forwarding, names: Names): readonly string[] {
  if (forwarded === undefined) return [];
  const words = readable(forwarded.message.content || appWords(forwarded.message), names);
  return [`[forwarded] ${words}`.trim(), ...notesOf(forwarded.message)];
}

type Replied = NonNullable<DiscordMessage["referenced_message"]>;

/** What is answered, which stands in the same channel. */
function quoteOf(replied: Replied, channelId: string, names: Names, selfId: string): Quote {
  const said = [readable(wordsOf(replied), names), ...forwardedIn(replied, names), ...notesOf(replied)];
  const attachments = attachmentsOf(replied, channelId);
  return {
    userId: brandAs<UserId>(replied.author.id),
    displayName: nameOf(replied.author),
    markdown: cleanText(said.filter(Boolean).join("\n")),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(replied.author.id === selfId ? { own: true as const } : {}),
  };
}

/** Who wrote a message. What webhooks post counts as a bot's. */
export function toSender(
  user: DiscordUser,
  selfId: string,
  more: { nick?: string | undefined; isWebhook?: boolean; locale?: string | undefined } = {},
): Sender {
  const handle = cleanName(user.username ?? "");
  const isBot = user.bot || more.isWebhook;
  return {
    userId: brandAs<UserId>(user.id),
    role: user.id === selfId ? "self" : user.system ? "system" : isBot ? "bot" : "person",
    displayName: cleanName(more.nick ?? "") || nameOf(user),
    assurance: "platform",
    ...(handle === "" ? {} : { handle }),
    ...spoken(more.locale),
  };
}

function nameOf({ id, global_name, username }: DiscordUser): string {
  return cleanName(global_name ?? "") || cleanName(username ?? "") || id;
}

/** A text that begins by naming us is said to us: the name is no part of it, so that commands are found. */
function withoutAddress(text: string, isOurs: (sign: string | undefined, id: string) => boolean): string {
  const [whole, sign, id = ""] = /^\s*<@([!&]?)(\d{1,20})>[ \t]*,?[ \t]*/.exec(text) ?? [];
  return whole !== undefined && isOurs(sign, id) ? text.slice(whole.length) : text;
}

interface Names {
  readonly user: ReadonlyMap<string, string>;
  readonly role: RoleNames;
  readonly channel: (id: string) => string | undefined;
}

/** Writes mentions and custom emoji as people read them. */
function readable(text: string, names: Names): string {
  const named = (whole: string, sign: string, name: string | undefined) =>
    name === undefined ? whole : `${sign}${name}`;
  return text
    .replace(/<@!?(\d+)>/g, (whole, id: string) => named(whole, "@", names.user.get(id)))
    .replace(/<@&(\d+)>/g, (whole, id: string) => named(whole, "@", names.role.get(id)))
    .replace(/<#(\d+)>/g, (whole, id: string) => named(whole, "#", names.channel(id)))
    .replace(/<a?(:\w+:)\d+>/g, "$1");
}

function notesOf({ sticker_items, poll }: DiscordContent): readonly string[] {
  const stickers = sticker_items.map(({ name }) => `[sticker: ${withoutBrackets(name ?? "")}]`);
  return poll === undefined ? stickers : [...stickers, `[poll: ${withoutBrackets(poll.question?.text ?? "")}]`];
}

function withoutBrackets(text: string): string {
  return cleanName(text).replaceAll(/[[\]]/g, "");
}

type Forwarding = Pick<DiscordMessage, "message_snapshots">;

/** The files of a message, those that it forwards last. The ref names the place, since Discord's links expire. */
function attachmentsOf(
  message: DiscordContent & Forwarding & { id: string },
  channelId: string,
): readonly Attachment[] {
  const [forwarded] = message.message_snapshots;
  const ofForwarded = forwarded === undefined ? [] : filesOf(forwarded.message, `${channelId}/${message.id}`);
  return [...filesOf(message, `${channelId}/${message.id}`), ...ofForwarded].slice(0, maxFilesIn);
}

function filesOf({ attachments, flags = 0 }: DiscordContent, place: string): readonly Attachment[] {
  return attachments.map((file) => {
    const name = cleanFileName(file.filename ?? "");
    const type = file.content_type?.split(";", 1)[0]?.trim() ?? "";
    const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
    return {
      kind: kindOf(mimeType),
      mimeType,
      ref: brandAs<MediaRef>(`${place}/${file.id}`),
      ...((flags & isVoiceMessage) !== 0 && kindOf(mimeType) === "audio" ? { voice: true as const } : {}),
      ...(name === "" ? {} : { name }),
      ...(file.size === undefined ? {} : { byteLength: file.size }),
    };
  });
}

function kindOf(mimeType: string): Attachment["kind"] {
  const family = mimeType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}
