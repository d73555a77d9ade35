import { cleanFileName, cleanName, cleanText } from "@talaria/adapter-kit";
import { type Attachment, brandAs, type MediaRef } from "@talaria/protocol";
import { clean, note, shortList } from "../notes.ts";
import { contextNotes } from "./context.ts";
import type { CloudContent } from "./payload.ts";

/**
 * What a person wrote: the text, or the words below a file, or one bracketed line about what text cannot hold. Lines about
 * what the message refers to follow; a command has none, since they would be read as its arguments.
 */
export function wordsOf(message: CloudContent): string {
  const { text, image, video, document, button, interactive } = message;
  const words = text?.body ?? image?.caption ?? video?.caption ?? document?.caption ?? button?.text;
  const pressed = interactive?.button_reply ?? interactive?.list_reply;
  const said = cleanText(words ?? pressed?.title ?? descriptionOf(message) ?? "");
  if (said.startsWith("/")) return said;
  return [said, ...contextNotes(message)].filter((line) => line !== "").join("\n");
}

/** The files of a message; WhatsApp sends one each. */
export function attachmentsOf(content: CloudContent): readonly Attachment[] {
  const { image, audio, video, document, sticker } = content;
  if (image) return [attachment("image", image, "image/jpeg")];
  if (audio) return [attachment("audio", audio, "audio/ogg")];
  if (video) return [attachment("video", video, "video/mp4")];
  if (sticker) return [attachment("image", sticker, "image/webp")];
  if (document) return [attachment("file", document, "application/octet-stream")];
  return [];
}

/** Types whose own part holds everything; without it nothing of the message can be read. */
const typesWithPart: ReadonlySet<string> = new Set([
  "text",
  "image",
  "audio",
  "video",
  "document",
  "sticker",
  "reaction",
  "interactive",
  "button",
  "location",
  "contacts",
  "order",
]);

/** Whether a message of a type we know lacks the part that its type names. */
export function isIncomplete(content: CloudContent): boolean {
  return typesWithPart.has(content.type) && content[content.type as keyof CloudContent] === undefined;
}

type CloudFile = NonNullable<CloudContent["image"]>;

function attachment(kind: Attachment["kind"], file: CloudFile, usualType: string): Attachment {
  const name = cleanFileName(file.filename ?? "");
  const given = file.mime_type?.split(";")[0]?.trim() ?? "";
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(given) ? given : usualType;
  return {
    kind: kind === "file" && mimeType.startsWith("image/") ? "image" : kind,
    mimeType,
    ref: brandAs<MediaRef>(file.id),
    ...(name === "" ? {} : { name }),
    ...(kind === "audio" && file.voice === true ? { voice: true as const } : {}),
  };
}

/** Undefined for what needs no words: a file stands for itself. */
function descriptionOf(message: CloudContent): string | undefined {
  const { type, location, contacts, order, interactive, unsupported } = message;
  if (attachmentsOf(message).length > 0) return undefined;
  if (location) return note("location", `${location.latitude}, ${location.longitude}`, location.name, location.address);
  if (contacts)
    return contacts
      .map(({ name, phones }) => note("contact", name?.formatted_name, ...(phones ?? []).map(({ phone }) => phone)))
      .join("\n");
  if (order) return note("order", order.text, ...shortList((order.product_items ?? []).map(itemOf)));
  if (interactive?.nfm_reply) return formNote(interactive.nfm_reply);
  if (type === "interactive") return note("an answer to a form or a list, which this gateway cannot read");
  if (type === "unsupported") {
    const kind = clean(unsupported?.type);
    return note(`a message${kind === "" ? "" : ` of the type ${kind}`} that WhatsApp does not pass on`);
  }
  return note(`a message of the type ${cleanName(type) || "unknown"}, which this gateway cannot read`);
}

type OrderItem = NonNullable<NonNullable<CloudContent["order"]>["product_items"]>[number];

function itemOf({ product_retailer_id, quantity, item_price, currency }: OrderItem): string {
  const count = quantity === undefined ? "" : `${quantity} x `;
  const price = item_price === undefined ? "" : ` at ${item_price} ${currency ?? ""}`;
  return `${count}${product_retailer_id}${price}`.trim();
}

/** Ties an answer to the flow that asked for it; only the business can use it. */
const flowToken = "flow_token";

function formNote({ body, response_json: json }: { body?: string | undefined; response_json?: string | undefined }) {
  const answers = readAnswers(json);
  if (answers === undefined) return note("form", body);
  const fields = answers.filter(([key, answer]) => key !== flowToken && answer !== "");
  return note("form", ...shortList(fields.map(([key, answer]) => `${key}: ${answer}`)));
}

/** The fields of a form, each answer as a text; undefined when it is no JSON object. */
function readAnswers(json = ""): readonly (readonly [string, string])[] | undefined {
  try {
    const answers: unknown = JSON.parse(json);
    if (typeof answers !== "object" || answers === null || Array.isArray(answers)) return undefined;
    return Object.entries(answers).map(([key, answer]) => [key, answerOf(answer)]);
  } catch {
    return undefined;
  }
}

function answerOf(answer: unknown): string {
  if (typeof answer === "string") return answer;
  return answer === null ? "" : JSON.stringify(answer);
}
