import {
  conversationSchema,
  GatewayError,
  type MessageId,
  type SessionKey,
  senderSchema,
  type TurnId,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import type { Asked, Cancellation, PartialReply, SessionLease, TurnStore } from "../ports/turns.ts";

/** Throws `conflict` when the lease is lost: whoever polls this should learn it. */
export async function isCancelled(
  database: Database,
  lease: SessionLease,
  firstSeq: number,
): ReturnType<TurnStore["cancelled"]> {
  const [row] = await database.query<{ cancelled: Cancellation | null }>({
    name: "turn_cancelled",
    text: `select cancellation(session, $4::bigint) as cancelled
             from session where session_key = $1 and owner = $2 and fence = $3`,
    values: [lease.sessionKey, lease.holder, lease.fence, firstSeq],
  });
  if (row === undefined) throw new GatewayError("somebody else holds the session now", { code: "conflict" });
  return row.cancelled ?? undefined;
}

/** An ordinary wake-up has had its chance by then. */
const settled = "greatest(recorded_at, deferred_until, media_until) < clock_timestamp() - interval '1 second'";

/**
 * Sessions in order of their key, so that a long backlog of one session costs one step. One whose first waiting event is
 * still deferred is left alone.
 */
export async function readStranded(database: Database, limit: number): ReturnType<TurnStore["stranded"]> {
  const rows = await database.query<{ session_key: SessionKey; fence: string }>({
    name: "stranded_sessions",
    text: `
      with recursive waiting (session_key) as (
        (select session_key from inbox
          where turn_id is null and reason is null and ${settled} order by session_key limit 1)
        union all
        select (select inbox.session_key from inbox
                 where turn_id is null and reason is null and ${settled}
                   and inbox.session_key > waiting.session_key
                 order by inbox.session_key limit 1)
          from waiting where waiting.session_key is not null
      ), working as (
        select session_key from waiting where session_key is not null and has_waiting(session_key)
        union
        select session_key from turn where state = 'running'
      )
      select session_key, fence
        from working join session using (session_key)
       where owner is null or not exists (
         select from process where id = owner and lease_until > clock_timestamp())
       limit $1`,
    values: [limit],
  });
  return rows.map(({ session_key, fence }) => ({ sessionKey: session_key, fence: Number(fence) }));
}

const askers = z.array(z.object({ conversation: conversationSchema, sender: senderSchema })).min(1);

const answers = z
  .object({
    conversation: conversationSchema,
    messageId: z.string() as unknown as z.ZodType<MessageId, MessageId>,
  })
  .nullable();

interface AskedRow {
  readonly route: unknown;
  readonly state: PartialReply["state"];
  readonly answers: unknown;
  readonly askers: unknown;
}

export async function readAsked(database: Database, turnId: TurnId): Promise<Asked | undefined> {
  const [row] = await database.query<AskedRow>({
    name: "turn_asked",
    text: `
      select turn.route, turn.state,
             (array_agg(jsonb_build_object('conversation', body -> 'conversation', 'messageId', body -> 'message' -> 'messageId')
                        order by seq desc) filter (where body ->> 'type' = 'message.created'))[1] as answers,
             json_agg(distinct jsonb_build_object(
               'conversation', body -> 'conversation', 'sender', body -> 'sender')) as askers
        from turn join inbox on inbox.session_key = turn.session_key and inbox.turn_id = turn.turn_id
                            and inbox.seq between turn.first_seq and turn.last_seq
       where turn.turn_id = $1
       group by turn.turn_id`,
    values: [turnId],
  });
  if (row === undefined) return undefined;
  const newest = read(answers, row.answers);
  return {
    route: read(conversationSchema, row.route),
    state: row.state,
    askers: read(askers, row.askers),
    ...(newest === null ? {} : { answers: newest }),
  };
}

interface PartialRow {
  readonly session_key: SessionKey;
  readonly fence: string;
  readonly state: PartialReply["state"];
  readonly route: unknown;
  readonly reply_to: MessageId | null;
  readonly partial: string;
}

export async function readPartial(database: Database, turnId: TurnId): Promise<PartialReply | undefined> {
  const [row] = await database.query<PartialRow>({
    name: "turn_partial",
    text: "select session_key, fence, state, route, reply_to, partial from turn where turn_id = $1",
    values: [turnId],
  });
  if (row === undefined) return undefined;
  return {
    turnId,
    sessionKey: row.session_key,
    fence: Number(row.fence),
    state: row.state,
    route: read(conversationSchema, row.route),
    ...(row.reply_to === null ? {} : { replyTo: row.reply_to }),
    text: row.partial,
  };
}
