import type { ChatState } from "./chat-state.ts";
import { newMessageId } from "./chat-state.ts";
import { GraphError, invalid } from "./graph-error.ts";
import type { MediaKind, MediaStore } from "./media-store.ts";
import { readInteractive } from "./read-interactive.ts";
import { isJson, type Json, maxText, object, onlyKeys, text } from "./read-json.ts";
import type { SeenWhatsappMessage } from "./seen-message.ts";

export interface SendParts {
  readonly media: MediaStore;
  readonly now: () => number;
}

/** What became of a call: shown, or accepted and failed later as some refusals are. */
export type Posted =
  | { readonly outcome: "shown"; readonly message: SeenWhatsappMessage }
  | { readonly outcome: "reacted"; readonly id: string }
  | { readonly outcome: "failed-later"; readonly id: string; readonly code: number; readonly details: string };

const windowMs = 24 * 60 * 60_000;
const commonKeys = [
  "messaging_product",
  "recipient_type",
  "to",
  "recipient",
  "type",
  "context",
  "biz_opaque_callback_data",
];
const files: readonly string[] = ["image", "audio", "video", "document", "sticker"];

/** Whether the customer-service window is open; outside only templates go out. */
function isWindowOpen(chat: ChatState, now: number): boolean {
  return chat.lastWroteAt !== undefined && now - chat.lastWroteAt < windowMs;
}

/** Reads and carries out one message of the business. */
export function postMessage(body: Json, chat: ChatState, parts: SendParts): Posted {
  const type = body.type ?? "text";
  if (typeof type !== "string") throw invalid("The parameter type must be a string.");
  onlyKeys(body, "root", [...commonKeys, type]);
  if (type === "reaction") return react(object(body, "reaction"), chat);
  const content = contentOf(type, body, parts);
  const replyTo = answered(body, chat);
  const message: SeenWhatsappMessage = {
    id: newMessageId(),
    byBusiness: true,
    at: parts.now(),
    reactions: {},
    ...content,
    ...(replyTo === undefined ? {} : { replyTo }),
  };
  if (!isWindowOpen(chat, parts.now()))
    throw new GraphError(
      131047,
      "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
    );
  chat.messages.push(message);
  return { outcome: "shown", message };
}

type Content = Pick<SeenWhatsappMessage, "text" | "file" | "choices" | "choiceForm">;

function contentOf(type: string, body: Json, parts: SendParts): Content {
  if (type === "text") {
    const value = object(body, "text");
    onlyKeys(value, "text", ["body", "preview_url"]);
    return { text: maxText(text(value, "body"), 4_096, "text['body']") };
  }
  if (type === "interactive") {
    const { text: words, form, choices } = readInteractive(object(body, "interactive"));
    return { text: words, choices, choiceForm: form };
  }
  if (files.includes(type)) return fileContent(type as MediaKind, object(body, type), parts);
  throw invalid(
    `Param type must be one of {AUDIO, DOCUMENT, IMAGE, INTERACTIVE, REACTION, STICKER, TEXT, VIDEO} - got "${type}".`,
  );
}

const fileKeys: Readonly<Record<MediaKind, readonly string[]>> = {
  image: ["id", "link", "caption"],
  video: ["id", "link", "caption"],
  document: ["id", "link", "caption", "filename"],
  audio: ["id", "link", "voice"],
  sticker: ["id", "link"],
};

function fileContent(kind: MediaKind, value: Json, { media }: SendParts): Content {
  onlyKeys(value, kind, fileKeys[kind]);
  if ((value.id === undefined) === (value.link === undefined))
    throw invalid(`Exactly one of id and link is required in ${kind}.`);
  if (value.link !== undefined) throw new GraphError(131053, "This server fetches no links.");
  const stored = media.sendable(text(value, "id"), kind);
  const name = value.filename === undefined ? {} : { name: maxText(text(value, "filename"), 240, "filename") };
  return {
    text: value.caption === undefined ? "" : maxText(text(value, "caption"), 1_024, "caption"),
    file: { kind, mimeType: stored.mimeType, bytes: stored.bytes, voice: value.voice === true, ...name },
  };
}

/** Without a bubble when the answered message is unknown, as Meta documents it. */
function answered(body: Json, chat: ChatState): string | undefined {
  if (body.context === undefined) return undefined;
  if (!isJson(body.context)) throw invalid("The parameter context must be an object.");
  const id = text(body.context, "message_id");
  return chat.messages.some((message) => message.id === id) ? id : undefined;
}

/** A reaction to something that is not there is accepted, and fails later. */
function react(value: Json, chat: ChatState): Posted {
  onlyKeys(value, "reaction", ["message_id", "emoji"]);
  const target = text(value, "message_id");
  const { emoji } = value;
  if (typeof emoji !== "string") throw invalid("The parameter emoji is required.");
  if (emoji !== "" && !/^\p{RGI_Emoji}$/v.test(emoji)) throw invalid("Param emoji must be one emoji.");
  const message = chat.messages.find(({ id }) => id === target);
  if (message === undefined)
    return { outcome: "failed-later", id: newMessageId(), code: 131009, details: "Invalid message_id in reaction" };
  if (emoji === "") delete message.reactions.business;
  else message.reactions.business = emoji;
  return { outcome: "reacted", id: newMessageId() };
}
