import { ApiError, badRequest } from "../api-error.ts";
import type { FileKind, StoredFile } from "../file-store.ts";
import { Parameters } from "../parameters.ts";
import { toWire, toWireFile } from "../wire.ts";
import type { Method, MethodCall } from "./method.ts";
import { readReplyMarkup } from "./reply-markup.ts";
import { payFor, targetChat, targetReply, targetThread } from "./target.ts";
import { readCaption } from "./text.ts";

export const maxUploadBytes = 50 * 1_024 * 1_024;
const maxPhotoBytes = 10 * 1_024 * 1_024;
const maxDownloadBytes = 20 * 1_024 * 1_024;
const groupableKinds: readonly string[] = ["photo", "video", "document", "audio"];

export const sendPhoto = sender("photo");
export const sendDocument = sender("document");
export const sendAudio = sender("audio");
export const sendVoice = sender("voice");
export const sendVideo = sender("video");
export const sendAnimation = sender("animation");

export const sendMediaGroup: Method = (call) => {
  const { world, bot, parameters } = call;
  const chat = targetChat(call);
  const items = (parameters.list("media") ?? []).map((item) => readGroupItem(item, call));
  if (items.length < 2 || items.length > 10) throw badRequest("wrong number of messages in the album");
  const kinds = new Set(items.map(({ kind }) => (kind === "video" ? "photo" : kind)));
  if (kinds.size > 1) throw badRequest("documents and audio can't be mixed with other media types");
  const threadId = targetThread(chat, call);
  const reply = targetReply(chat, call);
  payFor(chat, call, items.length);
  const mediaGroupId = world.nextQueryId();
  return items.map(({ media, caption }) => {
    const place = { ...reply, mediaGroupId, ...(threadId !== undefined && { threadId }) };
    return toWire(chat, world.postAsBot(bot, chat, { ...caption, ...place, media: media() }), bot.user.id);
  });
};

/** Only files up to 20 MB can be downloaded by bots. */
export const getFile: Method = ({ world, bot, parameters }) => {
  if (!parameters.has("file_id")) throw badRequest("file_id not specified");
  const file = world.files.find(parameters.text("file_id"), bot.user.id);
  if (file === undefined) throw badRequest("wrong file_id or the file is temporarily unavailable");
  if (file.size > maxDownloadBytes) throw badRequest("file is too big");
  return { ...toWireFile(file, bot.user.id), file_path: file.path };
};

function sender(kind: FileKind): Method {
  return (call) => {
    const { world, bot, parameters } = call;
    const chat = targetChat(call);
    const media = readMedia(kind, parameters.text(kind), call, kind);
    const caption = readCaption(call);
    const threadId = targetThread(chat, call);
    const reply = targetReply(chat, call);
    const markup = readReplyMarkup(parameters);
    payFor(chat, call);
    const message = world.postAsBot(bot, chat, {
      ...caption,
      ...reply,
      media: media(),
      ...(threadId !== undefined && { threadId }),
      ...(markup && { markup }),
      silent: parameters.flag("disable_notification"),
    });
    return toWire(chat, message, bot.user.id);
  };
}

function readGroupItem(value: unknown, call: MethodCall) {
  const item = new Parameters(value as Record<string, unknown>, call.parameters.files);
  const kind = item.text("type");
  if (!groupableKinds.includes(kind)) throw badRequest("type of the media is not supported in albums");
  const media = readMedia(kind as FileKind, item.text("media"), call);
  return { kind, media, caption: readCaption({ parameters: item }) };
}

/** Checks an upload or a `file_id`. The file is stored only when the returned function is called. */
function readMedia(kind: FileKind, value: string, call: MethodCall, ownName?: string): () => StoredFile {
  const { world, bot, parameters } = call;
  const upload = parameters.upload(value, ownName);
  if (upload === undefined) {
    if (value === "") throw badRequest(`there is no ${kind} in the request`);
    if (value.startsWith("attach://")) throw badRequest("attached file not found");
    if (/^https?:/i.test(value)) throw badRequest("failed to get HTTP URL content");
    const known = world.files.find(value, bot.user.id);
    if (known === undefined) throw badRequest("wrong file identifier/HTTP URL specified");
    if (known.kind !== kind) throw badRequest(`can't use file of type ${title(known.kind)} as ${title(kind)}`);
    return () => known;
  }
  const { bytes, name, mimeType } = upload;
  if (bytes.length === 0) throw badRequest("file must be non-empty");
  if (bytes.length > maxUploadBytes) throw new ApiError(413, "Request Entity Too Large");
  if (kind === "photo") checkPhoto(bytes);
  const described = {
    ...numberOf(parameters, "duration"),
    ...numberOf(parameters, "width"),
    ...numberOf(parameters, "height"),
  };
  return () => world.files.add({ kind, bytes, ...described, ...(kind !== "photo" && { name, mimeType }) });
}

function checkPhoto(bytes: Buffer): void {
  if (bytes.length > maxPhotoBytes)
    throw badRequest("file of size bigger than 10485760 bytes can't be sent as a photo");
  if (!isPicture(bytes)) throw badRequest("IMAGE_PROCESS_FAILED");
}

/** JPEG, PNG, GIF, WebP or BMP by their first bytes. */
function isPicture(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, 12);
  return /^(?:\xff\xd8\xff|\x89PNG\r\n|GIF8[79]a|RIFF.{4}WEBP|BM)/s.test(start);
}

function numberOf(parameters: Parameters, name: string): Record<string, number> {
  const value = parameters.integer(name);
  return value === undefined ? {} : { [name]: value };
}

function title(kind: string): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
