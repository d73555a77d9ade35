import { createHash } from "node:crypto";
import { GatewayError } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { MediaLimits, StoredMedia } from "../ports/media.ts";
import { refOf } from "./media-ref.ts";
import { mediaKindOf } from "./media-type.ts";

/** Pieces in which content is written and read. */
export const chunkBytes = 256 * 1_024;

/** What was used within this time is never removed to make room. */
const unusedForMs = 3_600_000;

interface FinishCall {
  readonly uploadId: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly mimeType: string;
  readonly quotaBytes: number;
  readonly unusedForMs: number;
}

const finishMedia = sqlLoneFunction<FinishCall, { readonly outcome: "stored" | "known" | "full" }>("finish_media");

/** Writes content as it comes, and gives it its name at the end. Whatever goes wrong, nothing of it stays. */
export async function storeContent(
  database: Database,
  content: AsyncIterable<Uint8Array>,
  claimedType: string | undefined,
  limits: MediaLimits,
  signal: AbortSignal,
): Promise<StoredMedia> {
  const hash = createHash("sha256");
  let uploadId: string | undefined;
  let mimeType: string | undefined;
  /** What has come so far, as long as its type is open. */
  let head: Buffer | undefined;
  let byteLength = 0;
  let n = 0;
  try {
    for await (const { bytes, isLast } of chunksOf(content, limits.maxBytes)) {
      signal.throwIfAborted();
      if (mimeType === undefined) {
        head = head === undefined ? bytes : Buffer.concat([head, bytes]);
        mimeType = typeWithin(limits, head, isLast, claimedType);
        if (mimeType !== undefined) head = undefined;
      }
      hash.update(bytes);
      byteLength += bytes.byteLength;
      uploadId ??= await begin(database);
      if (bytes.byteLength > 0) await append(database, uploadId, n, bytes);
      n += 1;
    }
    uploadId ??= await begin(database);
    mimeType ??= "application/octet-stream";
    const sha256 = hash.digest();
    const { outcome } = await finishMedia(database)({
      uploadId,
      sha256: sha256.toString("hex"),
      mimeType,
      quotaBytes: limits.quotaBytes,
      unusedForMs,
    });
    if (outcome === "full") throw tooLarge("there is no room left for files", "quota", limits.quotaBytes);
    const ref = refOf(sha256);
    return { ref, mimeType: outcome === "known" ? await typeOf(database, sha256, mimeType) : mimeType, byteLength };
  } catch (error) {
    if (uploadId !== undefined) await forget(database, uploadId).catch(() => undefined);
    throw error;
  }
}

interface Chunk {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** Pieces of one size, however the content arrives. Throws `too_large` as soon as there is more than allowed. */
async function* chunksOf(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Chunk> {
  let gathered: Uint8Array[] = [];
  let length = 0;
  let total = 0;
  for await (const piece of content) {
    total += piece.byteLength;
    if (total > maxBytes) throw tooLarge("a file is larger than allowed", "bytes", maxBytes);
    gathered.push(piece);
    length += piece.byteLength;
    if (length <= chunkBytes) continue;
    const whole = Buffer.concat(gathered, length);
    let start = 0;
    for (; length - start > chunkBytes; start += chunkBytes) {
      yield { bytes: whole.subarray(start, start + chunkBytes), isLast: false };
    }
    gathered = [whole.subarray(start)];
    length -= start;
  }
  yield { bytes: Buffer.concat(gathered, length), isLast: true };
}

function typeWithin(
  limits: MediaLimits,
  head: Buffer,
  isWhole: boolean,
  claimedType: string | undefined,
): string | undefined {
  const { mimeType, pixels } = mediaKindOf(head, isWhole, claimedType) ?? {};
  if (pixels !== undefined && pixels > limits.maxPixels)
    throw tooLarge("a picture has more pixels than allowed", "pixels", limits.maxPixels);
  return mimeType;
}

function tooLarge(message: string, reason: "bytes" | "pixels" | "quota", limit: number): GatewayError {
  return new GatewayError(message, { code: "too_large", details: { reason, limit } });
}

async function begin(database: Database): Promise<string> {
  const [row] = await database.query<{ id: string }>({
    name: "begin_media",
    text: "insert into media default values returning id",
  });
  if (row === undefined) throw new GatewayError("the database gave no number", { code: "internal" });
  return row.id;
}

async function append(database: Database, id: string, n: number, bytes: Buffer): Promise<void> {
  await database.query({
    name: "append_media",
    text: `with counted as (update media set byte_length = byte_length + $4 where id = $1)
           insert into media_chunk (media_id, n, bytes) values ($1, $2, $3)`,
    values: [id, n, bytes, bytes.byteLength],
  });
}

/** The same bytes may have been claimed to be another kind of text the first time; the first type stays. */
async function typeOf(database: Database, sha256: Buffer, otherwise: string): Promise<string> {
  const [row] = await database.query<{ mime_type: string }>({
    text: "select mime_type from media where sha256 = $1",
    values: [sha256],
  });
  return row?.mime_type ?? otherwise;
}

async function forget(database: Database, id: string): Promise<void> {
  await database.query({ text: "delete from media where id = $1 and sha256 is null", values: [id] });
}
