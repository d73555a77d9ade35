import { cleanFileName, cleanText } from "@talaria/adapter-kit";
import type { Attachment } from "@talaria/protocol";
import { z } from "zod";
import { note } from "../notes.ts";
import { contactNote, describedShapes as described, liveLocationNote, locationNote, pollNote } from "./description.ts";
import { mediaRefOf, type WebMediaKind } from "./media-ref.ts";

/** Ids of messages. Their senders choose them, and no server reads those inside of an encrypted message. */
export const messageIdSchema = z.string().regex(/^[\w.:@-]{1,200}$/);

/** The most people whom a message can name; further ones are left out. */
const maxMentions = 500;

const file = z.object({
  mediaKey: z.instanceof(Uint8Array).refine(({ byteLength }) => byteLength === 32, "is no key"),
  directPath: z.string().regex(/^\/[\w.~/?&=%-]{1,399}$/),
  mimetype: z.string().max(256).nullish(),
  caption: z.string().nullish(),
  fileName: z.string().nullish(),
  ptt: z.boolean().nullish(),
  fileLength: z.unknown().optional(),
});

const context = z.object({
  stanzaId: messageIdSchema.nullish().catch(undefined),
  participant: z.string().nullish(),
  quotedMessage: z.unknown().optional(),
  isForwarded: z.boolean().nullish().catch(undefined),
  mentionedJid: z
    .array(z.string())
    .transform((list) => list.slice(0, maxMentions))
    .nullish()
    .catch(undefined),
});

const part = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const quoting = z.object({ contextInfo: part(context) });

const contentSchema = z.object({
  conversation: part(z.string()),
  extendedTextMessage: part(quoting.extend({ text: z.string().nullish() })),
  imageMessage: part(file.extend(quoting.shape)),
  videoMessage: part(file.extend(quoting.shape)),
  audioMessage: part(file.extend(quoting.shape)),
  documentMessage: part(file.extend(quoting.shape)),
  stickerMessage: part(file.extend(quoting.shape)),
  reactionMessage: part(z.object({ key: z.object({ id: messageIdSchema }), text: z.string().max(100).nullish() })),
  protocolMessage: part(
    z.object({
      type: z.number().nullish(),
      key: part(z.object({ id: messageIdSchema })),
      editedMessage: z.unknown().optional(),
    }),
  ),
  locationMessage: part(described.location.extend(quoting.shape)),
  liveLocationMessage: part(described.liveLocation.extend(quoting.shape)),
  contactMessage: part(described.contact.extend(quoting.shape)),
  contactsArrayMessage: part(described.contacts.extend(quoting.shape)),
  pollCreationMessage: part(described.poll.extend(quoting.shape)),
  pollCreationMessageV2: part(described.poll.extend(quoting.shape)),
  pollCreationMessageV3: part(described.poll.extend(quoting.shape)),
  pollCreationMessageV5: part(described.poll.extend(quoting.shape)),
});

export interface WebContent extends z.output<typeof contentSchema> {
  /** Name of a part that we know and that could not be read. */
  readonly oddPart?: string;
}
export type WebContext = z.output<typeof context>;

/** Envelopes around the message proper: disappearing, shown once, a document with words, an edit. */
const envelopes = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
];

/** The message proper, out of its envelopes. Undefined when there is none. */
export function contentOf(message: unknown): WebContent | undefined {
  let inner = message;
  for (let depth = 0; depth < 5; depth += 1) {
    if (typeof inner !== "object" || inner === null) return undefined;
    const outer = inner as Readonly<Record<string, { readonly message?: unknown } | null | undefined>>;
    const envelope = envelopes.find((name) => outer[name]?.message !== undefined && outer[name]?.message !== null);
    if (envelope === undefined) break;
    inner = outer[envelope]?.message;
  }
  const { data } = contentSchema.safeParse(inner);
  if (data === undefined) return undefined;
  const given = inner as Readonly<Record<string, unknown>>;
  const names = Object.keys(contentSchema.shape) as (keyof typeof data)[];
  const oddPart = names.find(
    (name) => (given[name] ?? undefined) !== undefined && (data[name] ?? undefined) === undefined,
  );
  return { ...data, ...(oddPart !== undefined && { oddPart }) };
}

/** Undefined for what is no message to read: a change of keys, a call, a status of the chat. */
export function wordsOf(content: WebContent): string | undefined {
  const { conversation, extendedTextMessage, imageMessage, videoMessage, documentMessage } = content;
  const words =
    conversation ??
    extendedTextMessage?.text ??
    imageMessage?.caption ??
    videoMessage?.caption ??
    documentMessage?.caption ??
    descriptionOf(content) ??
    (attachmentsOf(content).length > 0 ? "" : undefined);
  if (words === undefined) return undefined;
  const said = cleanText(words);
  // A line below a command would be read as its arguments.
  if (contextOf(content)?.isForwarded !== true || said.startsWith("/")) return said;
  return said === "" ? note("forwarded") : `${said}\n${note("forwarded")}`;
}

function descriptionOf(content: WebContent): string | undefined {
  const { locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage } = content;
  if (locationMessage) return locationNote(locationMessage);
  if (liveLocationMessage) return liveLocationNote(liveLocationMessage);
  if (contactMessage) return contactNote(contactMessage);
  if (contactsArrayMessage) return contactsArrayMessage.contacts.map(contactNote).join("\n");
  const poll = pollIn(content);
  return poll ? pollNote(poll) : undefined;
}

function pollIn(content: WebContent) {
  const { pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3, pollCreationMessageV5 } = content;
  return pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3 ?? pollCreationMessageV5;
}

export function contextOf(content: WebContent): WebContext | undefined {
  const { extendedTextMessage, imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage } = content;
  const { locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage } = content;
  const files = [imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage];
  const others = [locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage, pollIn(content)];
  const parts = [extendedTextMessage, ...files, ...others];
  return parts.find((one) => one?.contextInfo)?.contextInfo ?? undefined;
}

export function attachmentsOf(content: WebContent): readonly Attachment[] {
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage } = content;
  if (imageMessage) return [attachment("image", "image", imageMessage, "image/jpeg")];
  if (videoMessage) return [attachment("video", "video", videoMessage, "video/mp4")];
  if (audioMessage) return [attachment("audio", "audio", audioMessage, "audio/ogg")];
  if (stickerMessage) return [attachment("image", "sticker", stickerMessage, "image/webp")];
  if (documentMessage) return [attachment("file", "document", documentMessage, "application/octet-stream")];
  return [];
}

type WebFile = z.output<typeof file>;

function attachment(kind: Attachment["kind"], own: WebMediaKind, given: WebFile, usualType: string): Attachment {
  const type = given.mimetype?.split(";")[0]?.trim() ?? "";
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : usualType;
  const name = cleanFileName(given.fileName ?? "");
  const length = Number(given.fileLength ?? Number.NaN);
  return {
    kind: kind === "file" && mimeType.startsWith("image/") ? "image" : kind,
    mimeType,
    ref: mediaRefOf({ kind: own, mediaKey: given.mediaKey, directPath: given.directPath }),
    ...(name === "" ? {} : { name }),
    ...(Number.isSafeInteger(length) && length >= 0 ? { byteLength: length } : {}),
    ...(kind === "audio" && given.ptt === true ? { voice: true as const } : {}),
  };
}
