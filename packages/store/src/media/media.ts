import {
  type AccountId,
  type Attachment,
  attachmentSchema,
  type EventId,
  GatewayError,
  type MediaRef,
} from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { toJson } from "../database/json.ts";
import { read } from "../database/read-rows.ts";
import type {
  AttachmentKey,
  AttachmentToFetch,
  Fetched,
  FetchedAttachment,
  MediaStore,
  StoredMedia,
} from "../ports/media.ts";
import { hashOf, refOf } from "./media-ref.ts";
import { chunkBytes, storeContent } from "./media-upload.ts";

export function createMediaStore(database: Database): MediaStore {
  return {
    put: (content, claimedType, limits, signal) => storeContent(database, content, claimedType, limits, signal),
    open: (ref, signal) => openContent(database, ref, signal),
    read: (ref, range) => readRange(database, ref, range),
    describe: (ref) => describe(database, ref),
    toFetch: (accountIds, inFlight, limit) => readToFetch(database, accountIds, inFlight, limit),
    fetchedBefore: (about, platformRef) => readFetchedBefore(database, about, platformRef),
    recentBytesOfSender: (key) => readRecentBytes(database, key),
    request: (key, attachment) => request(database, key, attachment),
    settle: (key, result) => settle(database, key, result),

    async retryIn({ accountId, eventId, n }, ms) {
      await database.query({
        name: "retry_attachment",
        text: `update attachment
                  set attempts = attempts + 1, next_at = clock_timestamp() + $4::bigint * interval '1 millisecond'
                where event_id = $2 and account_id = $1 and n = $3 and state = 'pending'`,
        values: [accountId, eventId, n, Math.round(ms)],
      });
    },

    ofEvents: (accountId, eventIds) => readOfEvents(database, accountId, eventIds),

    async saveTranscript({ accountId, eventId, n }, transcript) {
      await database.query({
        name: "save_transcript",
        text: "update attachment set transcript = $4 where event_id = $2 and account_id = $1 and n = $3",
        values: [accountId, eventId, n, transcript],
      });
    },
  };
}

interface MediaRow {
  readonly sha256: Buffer;
  readonly mime_type: string;
  readonly byte_length: string;
}

function toStored({ sha256, mime_type, byte_length }: MediaRow): StoredMedia {
  return { ref: refOf(sha256), mimeType: mime_type, byteLength: Number(byte_length) };
}

async function describe(database: Database, ref: MediaRef): Promise<StoredMedia | undefined> {
  const hash = hashOf(ref);
  if (hash === undefined) return undefined;
  const [row] = await database.query<MediaRow>({
    name: "describe_media",
    text: "select sha256, mime_type, byte_length from media where sha256 = $1",
    values: [hash],
  });
  return row && toStored(row);
}

/** One chunk is read ahead of its reader, and no more. */
async function openContent(
  database: Database,
  ref: MediaRef,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const hash = hashOf(ref);
  const [found] = hash === undefined ? [] : await database.query<{ id: string; byte_length: string }>(touched(hash));
  if (found === undefined) throw removed();
  const length = Number(found.byte_length);
  let read = 0;
  let n = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        signal.throwIfAborted();
        if (read === length) return controller.close();
        const [chunk] = await database.query<{ bytes: Buffer }>({
          name: "read_media_chunk",
          text: "select bytes from media_chunk where media_id = $1 and n = $2",
          values: [found.id, n],
        });
        if (chunk === undefined) throw removed();
        n += 1;
        read += chunk.bytes.byteLength;
        controller.enqueue(chunk.bytes);
      },
    },
    { highWaterMark: 0 },
  );
}

async function readRange(
  database: Database,
  ref: MediaRef,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  const hash = hashOf(ref);
  const [found] = hash === undefined ? [] : await database.query<{ id: string }>(touched(hash));
  if (found === undefined) throw removed();
  const first = Math.floor(offset / chunkBytes);
  const rows = await database.query<{ bytes: Buffer }>({
    name: "read_media_range",
    text: "select bytes from media_chunk where media_id = $1 and n between $2 and $3 order by n",
    values: [found.id, first, Math.floor((offset + length - 1) / chunkBytes)],
  });
  const start = offset - first * chunkBytes;
  return Buffer.concat(rows.map(({ bytes }) => bytes)).subarray(start, start + length);
}

/** Notes the use, but not more often than each minute. */
function touched(hash: Buffer) {
  return {
    name: "open_media",
    text: `with used as (
             update media set last_used_at = clock_timestamp()
              where sha256 = $1 and last_used_at < clock_timestamp() - interval '1 minute'
           )
           select id, byte_length from media where sha256 = $1`,
    values: [hash],
  };
}

function removed(): GatewayError {
  return new GatewayError("this file is not stored any more", { code: "not_found" });
}

async function readToFetch(
  database: Database,
  accountIds: readonly AccountId[],
  inFlight: readonly AttachmentKey[],
  limit: number,
): Promise<readonly AttachmentToFetch[]> {
  if (accountIds.length === 0) return [];
  const rows = await database.query<{
    account_id: AccountId;
    event_id: EventId;
    n: number;
    attempts: number;
    body: unknown;
  }>({
    name: "attachments_to_fetch",
    text: `select account_id, event_id, n, attempts, body
             from attachment
            where state = 'pending' and account_id = any ($1) and next_at <= clock_timestamp()
              and not exists (
                select from jsonb_to_recordset($2::jsonb) as busy ("accountId" text, "eventId" text, n integer)
                 where busy."eventId" = event_id and busy."accountId" = account_id and busy.n = attachment.n)
            order by next_at
            limit $3`,
    values: [accountIds, toJson(inFlight), limit],
  });
  return rows.map(({ account_id, event_id, n, attempts, body }) => ({
    accountId: account_id,
    eventId: event_id,
    n,
    attempts,
    attachment: read(attachmentSchema, body),
  }));
}

async function readFetchedBefore(
  database: Database,
  { accountId, eventId }: Pick<AttachmentKey, "accountId" | "eventId">,
  platformRef: MediaRef,
): Promise<StoredMedia | undefined> {
  const [row] = await database.query<MediaRow>({
    name: "attachment_fetched_before",
    text: `select sha256, mime_type, byte_length
             from attachment join media using (sha256)
            where account_id = $1 and md5(body ->> 'ref') = md5($2) and body ->> 'ref' = $2 and state = 'stored'
           union all
           select sha256, mime_type, byte_length
             from media
            where sha256 = $3 and exists (
              select from seen join outbox using (account_id, conversation_id)
               where seen.event_id = $4 and seen.account_id = $1
                 and outbox.body -> 'attachments' @> jsonb_build_array(jsonb_build_object('ref', $2)))
            limit 1`,
    values: [accountId, platformRef, hashOf(platformRef) ?? null, eventId],
  });
  return row && toStored(row);
}

async function readRecentBytes(database: Database, { accountId, eventId }: AttachmentKey): Promise<number> {
  const [row] = await database.query<{ bytes: string }>({
    name: "recent_media_of_sender",
    text: `select coalesce(sum(byte_length), 0) as bytes
             from (select distinct media.id, media.byte_length
                     from attachment
                          join seen using (event_id, account_id)
                          join media using (sha256)
                    where attachment.created_at > clock_timestamp() - interval '1 hour' and account_id = $1
                      and sender_id = (select sender_id from seen where event_id = $2 and account_id = $1)) as sent`,
    values: [accountId, eventId],
  });
  return Number(row?.bytes ?? 0);
}

async function request(
  database: Database,
  { accountId, eventId, n }: AttachmentKey,
  attachment: Attachment,
): Promise<void> {
  await database.query({
    name: "request_attachment",
    text: `insert into attachment as known (event_id, account_id, n, body)
           values ($2, $1, $3, $4::jsonb)
           on conflict (event_id, account_id, n) do update
              set body = excluded.body, state = 'pending', sha256 = null, problem = null, attempts = 0,
                  next_at = clock_timestamp(), created_at = clock_timestamp()
            where known.body ->> 'ref' <> excluded.body ->> 'ref' or known.state = 'failed'
               or (known.state = 'stored' and not exists (select from media where media.sha256 = known.sha256))`,
    values: [accountId, eventId, n, toJson(attachment)],
  });
}

async function settle(
  database: Database,
  { accountId, eventId, n }: AttachmentKey,
  result: Parameters<MediaStore["settle"]>[1],
): Promise<number> {
  const isStored = result.state === "stored";
  const [row] = await database.query<{ left: number }>({
    name: "settle_attachment",
    text: `with settled as (
             update attachment set state = $4, sha256 = $5, problem = $6
              where event_id = $2 and account_id = $1 and n = $3 and state = 'pending'
           )
           select count(*)::integer as left
             from attachment where event_id = $2 and account_id = $1 and n <> $3 and state = 'pending'`,
    values: [
      accountId,
      eventId,
      n,
      result.state,
      isStored ? (hashOf(result.media.ref) ?? null) : null,
      isStored ? null : result.problem,
    ],
  });
  return row?.left ?? 0;
}

interface AttachmentRow extends Partial<MediaRow> {
  readonly account_id: AccountId;
  readonly event_id: EventId;
  readonly n: number;
  readonly platform_ref: MediaRef;
  readonly state: Fetched["state"];
  readonly problem: string | null;
  readonly transcript: string | null;
}

async function readOfEvents(
  database: Database,
  accountId: AccountId,
  eventIds: readonly EventId[],
): Promise<readonly FetchedAttachment[]> {
  if (eventIds.length === 0) return [];
  const rows = await database.query<AttachmentRow>({
    name: "attachments_of_events",
    text: `select account_id, event_id, n, body ->> 'ref' as platform_ref, state, problem, transcript,
                  media.sha256, mime_type, byte_length
             from attachment left join media using (sha256)
            where event_id = any ($2) and account_id = $1
            order by event_id, n`,
    values: [accountId, eventIds],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    eventId: row.event_id,
    n: row.n,
    platformRef: row.platform_ref,
    fetched: fetchedOf(row),
  }));
}

function fetchedOf({ state, problem, transcript, sha256, mime_type, byte_length }: AttachmentRow): Fetched {
  if (state === "pending") return { state };
  if (state === "failed") return { state, problem: problem ?? "it could not be fetched" };
  if (!sha256 || !mime_type || !byte_length) return { state: "failed", problem: "it is not kept any more" };
  const media = toStored({ sha256, mime_type, byte_length });
  return { state, media, ...(transcript === null ? {} : { transcript }) };
}
