import { cleanFileName, cleanName, cleanText } from "@talaria/adapter-kit";
import { type Attachment, brandAs, type InboundMessage, type MessageId, type UserId } from "@talaria/protocol";
import { type MessageContent, type Relation, readMessage } from "./content.ts";
import { mediaRefOf } from "./media-ref.ts";
import { mentionsOf, type OwnNames, withoutAddress } from "./mentions.ts";
import type { Content } from "./wire.ts";

/** What is known about ourselves where a message was written. */
export interface Self extends OwnNames {
  /** Names of control commands: `!stop` counts as `/stop`, since clients keep `/` for themselves. */
  readonly commands: ReadonlySet<string>;
}

/** Longer texts cannot come from a server that keeps the size limit. */
const maxBody = 65_536;

/**
 * The text, files and references of a message. Undefined when nobody said anything that we may read. `body` is what
 * counts, the plain text: HTML is never read, so nothing can hide in it.
 */
export function toMessage(
  content: Content,
  messageId: string,
  relation: Extract<Relation, { kind: "message" }>,
  self: Self,
): InboundMessage | undefined {
  const said = readMessage(content);
  const attachments = attachmentsOf(said);
  const body = relation.replyTo === undefined ? bodyOf(said) : withoutQuote(bodyOf(said));
  const mentions = mentionsOf(said, body, self);
  const mentionsSelf = mentions.includes(self.userId);
  const text = asCommand(mentionsSelf ? withoutAddress(body, self) : body, self);
  const markdown = cleanText(text.slice(0, maxBody).trim());
  if (markdown === "" && attachments.length === 0 && !mentionsSelf) return undefined;
  return {
    messageId: brandAs<MessageId>(messageId),
    markdown,
    attachments,
    mentions: mentions.map((id) => brandAs<UserId>(id)),
    mentionsSelf,
    repliesToSelf: false,
    ...(relation.replyTo !== undefined && { replyTo: brandAs<MessageId>(relation.replyTo) }),
  };
}

/** An earlier message as a quote shows it. */
export function quotedOf(content: Content): { readonly text: string; readonly attachments: readonly Attachment[] } {
  const said = readMessage(content);
  const text = cleanText(withoutQuote(bodyOf(said)).trim().slice(0, 2_000));
  return { text, attachments: attachmentsOf(said) };
}

const fileTypes: ReadonlyMap<string, Attachment["kind"]> = new Map([
  ["m.image", "image"],
  ["m.audio", "audio"],
  ["m.video", "video"],
  ["m.file", "file"],
]);

export function isFileType(msgtype: string): boolean {
  return fileTypes.has(msgtype);
}

/** `body` of a file is its caption only beside a `filename` that differs (specification 1.10). */
function bodyOf({ msgtype = "", body = "", filename, geo_uri }: MessageContent): string {
  if (isFileType(msgtype)) return filename === undefined || filename === body ? "" : body;
  if (msgtype === "m.emote") return `* ${body}`;
  if (msgtype === "m.location") return `[location: ${cleanName(body)} ${cleanName(geo_uri ?? "")}]`;
  if (msgtype === "m.key.verification.request") return "";
  return body;
}

export function attachmentsOf(said: MessageContent): readonly Attachment[] {
  const kind = fileTypes.get(said.msgtype ?? "");
  const ref = mediaRefOf(said.file ?? said.url);
  if (kind === undefined || ref === undefined) return [];
  const name = cleanFileName(said.filename ?? said.body ?? "");
  const type = said.info?.mimetype?.split(";", 1)[0]?.trim() ?? "";
  return [
    {
      kind,
      mimeType: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream",
      ref,
      ...(name !== "" && { name }),
      ...(said.info?.size !== undefined && { byteLength: said.info.size }),
      ...(said["org.matrix.msc3245.voice"] !== undefined && { voice: true as const }),
    },
  ];
}

/** Old clients repeat what they answer: lines that begin with `> <@user:server>`, then an empty one. */
function withoutQuote(body: string): string {
  return /^> (\* )?<@/.test(body) ? body.replace(/^(>[^\n]*\n)+\n?/, "") : body;
}

function asCommand(text: string, { commands }: Self): string {
  const [, name = ""] = /^!([a-z]+)(?=\s|$)/.exec(text.trimStart()) ?? [];
  return commands.has(name) ? text.trimStart().replace("!", "/") : text;
}
