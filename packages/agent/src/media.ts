import { createHash } from "node:crypto";
import { GatewayError, type MediaRef } from "@talaria/protocol";
import type { EntryAttachment, EntryQuote, WholeWords } from "./entries-of-people.ts";
import type { TranscriptEntry } from "./journal.ts";
import type { KeptMedia, NamedMedia, Unopened } from "./kept-media.ts";

/** Content by its ref, as far as tools need it. What it is kept in is somebody else's business. */
export interface MediaAccess {
  /** A larger file is not kept: the operator's `media.maxBytes`. Absent: `put` alone knows. */
  readonly mostBytes?: number;
  /** At most `length` bytes from `offset` on. Throws `not_found` when the content is not kept any more. */
  read(
    ref: MediaRef,
    range: { readonly offset: number; readonly length: number },
    signal: AbortSignal,
  ): Promise<Uint8Array>;
  /**
   * Keeps content, whole or as it comes; `mimeType` is what somebody says that it is. The same bytes get the same ref. Throws
   * `too_large` above the configured limits, with `reason` (`bytes`, `pixels` or `quota`) and `limit` in its details, and what the
   * pieces throw; then nothing of it is kept.
   */
  put(content: Uint8Array | AsyncIterable<Uint8Array>, mimeType: string, signal: AbortSignal): Promise<KeptMedia>;
  /**
   * Fetches a file from its platform, unless that was done before, and keeps it. Throws why it can't be had. Absent: what was not
   * fetched can't be.
   */
  open?(file: KnownFile & { readonly unopened: Unopened }, signal: AbortSignal): Promise<KeptMedia>;
}

/** A file that the model has been told of. */
export interface KnownFile extends KeptMedia {
  /** How the model names it. */
  readonly id: string;
  readonly name?: string;
  readonly kind: EntryAttachment["kind"];
  /** It has to be opened before it is read: `ref`, type and length are the platform's word. */
  readonly unopened?: Unopened;
  /** It lies in the workspace's inbox as soon as a tool works there. */
  readonly isSent?: true;
}

const prefix = "sha256:";
const idLength = 12;

/** How the model names content: the first digits of its hash. Undefined for what is not kept. */
export function fileIdOf(ref: MediaRef): string | undefined {
  return ref.startsWith(prefix) ? ref.slice(prefix.length, prefix.length + idLength) : undefined;
}

/** The same for a file that was not fetched as well: by what its platform calls it. */
export function idOfFile({
  ref,
  unopened,
}: {
  readonly ref: MediaRef;
  readonly unopened?: Unopened;
}): string | undefined {
  if (unopened === undefined) return fileIdOf(ref);
  return createHash("sha256").update(`${unopened.accountId} ${ref}`).digest("hex").slice(0, idLength);
}

/** Every file in these entries, oldest first: those people sent, those the agent made, and those a tool kept. */
export function filesOf(entries: readonly TranscriptEntry[]): readonly KnownFile[] {
  const files = new Map<string, KnownFile>();
  for (const file of entries.flatMap(filesIn)) {
    const id = idOfFile(file);
    if (id === undefined) continue;
    const key = `${id} ${file.name}`;
    // The agent may have sent it again.
    files.set(key, { ...(files.get(key)?.isSent && { isSent: true }), ...file, id });
  }
  return [...files.values()];
}

function filesIn(entry: TranscriptEntry): readonly Omit<KnownFile, "id">[] {
  const asFile = (file: KeptMedia & { readonly name?: string }) => ({ ...file, kind: "file" as const });
  const asKept = (file: NamedMedia) => ({ ...asFile(file), ...(file.name !== undefined && { isSent: true as const }) });
  switch (entry.kind) {
    case "user":
    case "overheard":
      return [...sentWith(entry).map(known), ...(entry.whole?.files ?? []).map(asFile)];
    case "tool.result": {
      const sent = entry.reply?.attachments ?? [];
      const made = sent.map(({ ref, name, mimeType, byteLength = 0 }) => asFile({ ref, mimeType, byteLength, name }));
      return [...made, ...(entry.kept ?? []).map(asKept)];
    }
    case "checkpoint":
      return [
        ...entry.known,
        ...[...(entry.wordsIn ?? []), ...entry.said.flatMap(wholeFiles)].map(asFile),
        ...[...(entry.words ?? []).flatMap(wholeFiles), ...entry.whole].map(asFile),
      ];
    case "cleared":
      return [...(entry.words ?? []).flatMap(wholeFiles), ...(entry.whole === undefined ? [] : [entry.whole])].map(
        asFile,
      );
    default:
      return [];
  }
}

/** The files of a message: of the one that it answers first. */
export function sentWith(entry: {
  readonly attachments?: readonly EntryAttachment[];
  readonly quote?: EntryQuote;
}): readonly EntryAttachment[] {
  return [...(entry.quote?.attachments ?? []), ...(entry.attachments ?? [])];
}

function known({ ref, name, kind, mimeType, byteLength = 0, unopened }: EntryAttachment): Omit<KnownFile, "id"> {
  const more = {
    ...(name === undefined ? {} : { name }),
    ...(unopened === undefined ? { isSent: true as const } : { unopened }),
  };
  return { ref, kind, mimeType, byteLength, ...more };
}

function wholeFiles(words: object & { readonly whole?: WholeWords }): readonly KeptMedia[] {
  return words.whole?.files ?? [];
}

const pieceBytes = 4 * 1_024 * 1_024;

/** The content piece by piece. Throws `not_found` when it is not kept any more, and the signal's reason. */
export async function* keptPieces(
  { ref, byteLength }: KeptMedia,
  media: Pick<MediaAccess, "read">,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < byteLength; ) {
    signal.throwIfAborted();
    const piece = await media.read(ref, { offset, length: Math.min(pieceBytes, byteLength - offset) }, signal);
    if (piece.byteLength === 0) throw new GatewayError("the content is shorter than it was", { code: "not_found" });
    yield piece;
    offset += piece.byteLength;
  }
}

/** The whole content. Throws as `keptPieces`. */
export async function readKept(
  file: KeptMedia,
  media: Pick<MediaAccess, "read">,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = Buffer.alloc(file.byteLength);
  let length = 0;
  for await (const piece of keptPieces(file, media, signal)) {
    bytes.set(piece, length);
    length += piece.byteLength;
  }
  return bytes;
}

/** Where no files are kept. */
export const noMedia: MediaAccess = {
  read: async () => {
    throw new GatewayError("no files are kept here", { code: "not_found" });
  },
  put: async () => {
    throw new GatewayError("no files are kept here", { code: "unsupported" });
  },
};
