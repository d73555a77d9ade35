import type { AdapterStore, MediaSource } from "@talaria/adapter";
import { fileTooLarge, limitBytes, readMedia, withoutEffect } from "@talaria/adapter-kit";
import { type Clock, GatewayError, isGatewayError, type MediaRef, type OutboundMessage } from "@talaria/protocol";
import { maxFileBytes, maxFiles } from "./capabilities.ts";
import type { SlackClient } from "./client.ts";
import { type Content, checkedText, keyOf, placeOf } from "./outbound.ts";
import { withoutRefusedBlocks } from "./refused-blocks.ts";
import { read } from "./wire.ts";

export interface FilesDeps {
  readonly client: SlackClient;
  readonly media: MediaSource;
  readonly store: AdapterStore;
  readonly clock: Clock;
}

/** Slack shares in the background; the message's id is asked for so often, with these pauses. */
const sharePausesMs = [100, 200, 400, 800, 1_600, 3_200];

/**
 * Sends files with their text as one message: asks for an address for each, uploads there, and shares all at once. Only
 * the last step is seen by people; until then a failure has no effect. Returns the message's id.
 */
export async function sendFiles(message: OutboundMessage, deps: FilesDeps, signal: AbortSignal): Promise<string> {
  const { client, store } = deps;
  if (message.attachments.length > maxFiles)
    throw new GatewayError(`slack takes ${maxFiles} files with a message`, { code: "too_large" });
  const { channel: channel_id, ...thread } = placeOf(message.conversation);
  const text = checkedText(message.markdown);
  const files: { id: string; title: string }[] = [];
  for (const attachment of message.attachments)
    files.push(await beforeSharing(() => upload(attachment, deps, signal), signal));
  const name = uploadName(message);
  await beforeSharing(() => store.write(name, files.map(({ id }) => id).join(" ")), signal);
  const share = ({ text: comment, blocks }: Pick<Content, "text" | "blocks">) => {
    const shown = blocks.length > 0 ? { blocks } : comment === "" ? {} : { initial_comment: comment };
    return client.call("files.completeUploadExternal", { files, channel_id, ...thread, ...shown }, signal);
  };
  if (text === "" && !message.choices?.length) await share({ text: "", blocks: [] });
  else await withoutRefusedBlocks(message.markdown, message.choices, share);
  const [first] = files;
  const ts = await sharedAs(first?.id ?? "", channel_id, deps, signal);
  await store.remove(name).catch(() => undefined);
  return ts ?? `file-${first?.id}`;
}

/** The message that files were shared with, when the sender never learnt of it. */
export async function findShared(message: OutboundMessage, deps: FilesDeps, signal: AbortSignal) {
  const [fileId] = (await deps.store.read(uploadName(message)))?.split(" ") ?? [];
  if (fileId === undefined) return undefined;
  const ts = await sharedAs(fileId, placeOf(message.conversation).channel, deps, signal);
  if (ts !== undefined) await deps.store.remove(uploadName(message));
  return ts;
}

/** The bytes of a file somebody sent. Slack is asked for its address each time. `too_large` above 50 MiB. */
export async function openFile(
  client: SlackClient,
  ref: MediaRef,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  if (!/^F[A-Z0-9]{2,40}$/.test(ref)) throw new GatewayError("slack has no such file", { code: "not_found" });
  const info = read.fileInfo(await client.call("files.info", { file: ref }, signal))?.file;
  const url = info?.url_private_download ?? info?.url_private;
  if (url === undefined) throw new GatewayError("slack no longer has the file", { code: "not_found" });
  if ((info?.size ?? 0) > maxFileBytes) throw fileTooLarge(maxFileBytes);
  return limitBytes(await client.download(url, signal), maxFileBytes);
}

async function upload(
  { ref, name }: OutboundMessage["attachments"][number],
  { client, media }: FilesDeps,
  signal: AbortSignal,
): Promise<{ id: string; title: string }> {
  const bytes = await readMedia(media, ref, { platform: "slack", maxBytes: maxFileBytes }, signal);
  if (bytes.byteLength === 0) throw new GatewayError("slack takes no empty files", { code: "invalid_request" });
  const asked = await client.call("files.getUploadURLExternal", { filename: name, length: bytes.byteLength }, signal);
  const place = read.uploadPlace(asked);
  if (place === undefined) throw new GatewayError("slack gave no address for a file", { code: "unavailable" });
  await client.upload(place.upload_url, bytes, signal);
  return { id: place.file_id, title: name };
}

async function sharedAs(fileId: string, channel: string, { client, clock }: FilesDeps, signal: AbortSignal) {
  for (const pauseMs of sharePausesMs) {
    const answer = await client.call("files.info", { file: fileId }, signal).catch(() => undefined);
    const { public: open, private: closed } = read.fileInfo(answer)?.file.shares ?? {};
    const ts = open?.[channel]?.[0]?.ts ?? closed?.[channel]?.[0]?.ts;
    if (ts !== undefined || signal.aborted) return ts;
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
  return undefined;
}

function uploadName({ deliveryKey }: OutboundMessage): string {
  return `upload:${keyOf(deliveryKey)}`;
}

/** Nothing of what happens before the last step is seen by anybody. */
async function beforeSharing<T>(step: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (isGatewayError(error)) throw withoutEffect(error);
    const code = signal.aborted ? "aborted" : "unavailable";
    throw new GatewayError("an upload failed", { code, effect: "none", cause: error });
  }
}
