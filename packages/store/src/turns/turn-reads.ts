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

/** Throws `conflict` when the lease is lost, so that a poller notices. */
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
  if (row === undefined) throw new GatewayError("another worker holds the session now", { code: "conflict" });
  return row.cancelled ?? undefined;
}

/** Everyone whose words are in a turn, and where they said them: joins `inbox` to `turn`, grouped by the turn. */
export const askersText = `json_agg(distinct jsonb_build_object(
               'conversation', inbox.body -> 'conversation', 'sender', inbox.body -> 'sender'))`;
export const turnEventsText = `turn join inbox on inbox.session_key = turn.session_key and inbox.turn_id = turn.turn_id
                            and inbox.seq between turn.first_seq and turn.last_seq`;

export const askers = z.array(z.object({ conversation: conversationSchema, sender: senderSchema })).min(1);

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
             ${askersText} as askers
        from ${turnEventsText}
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
