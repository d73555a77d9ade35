import type { TurnId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { Whereabouts, WhereaboutsQuery } from "../ports/whereabouts.ts";
import { doingOf } from "./doing.ts";
import { isAsking } from "./sessions.ts";

/** A person's last message is looked for among so many events of the session. */
const lookBack = 200;
/** How events and turns ended for which nobody could pay. */
const limitReason = "spending_limit";
/** More are not counted. */
const mostAhead = 100;

/** By a message of theirs, or one of ours that answered it; without either, the last that this person wrote. */
const text = `
  with meant as (
    (select session_key, seq from inbox
      where $2::text is not null and session_key = $1
            and event_id in (select event_id from seen
                              where message_id = $2 and account_id = $3 and conversation_id = $4)
      order by seq desc limit 1)
    union all
    (select turn.session_key, turn.first_seq
       from sent_message join turn using (turn_id)
      where $2::text is not null and turn.session_key = $1
            and message_id = $2 and conversation_id = $4 and account_id = $3
      order by turn.first_seq desc limit 1)
    union all
    (select session_key, seq from (
        select session_key, seq, body from inbox where session_key = $1 order by seq desc limit ${lookBack}) as newest
      where $2::text is null and body ->> 'type' = 'message.created' and body -> 'sender' ->> 'userId' = $5
      order by seq desc limit 1)
    limit 1
  )
  select inbox.reason as dropped, turn.turn_id, turn.state, turn.reason as ended_as,
         coalesce(turn.turn_id is not null and turn.state = 'running' and ${isAsking}, false) as asks,
         session.open_turn is not null as is_busy,
         session.set_aside_at is not null as is_set_aside,
         (select count(*)::float8 from (
           select from inbox as earlier
            where earlier.session_key = inbox.session_key and earlier.seq < inbox.seq
                  and earlier.turn_id is null and earlier.reason is null limit ${mostAhead}) as those) as ahead,
         extract(epoch from now() - changed.since)::float8 * 1000 as since_ms,
         extract(epoch from changed.since)::float8 * 1000 as since,
         reply.state as reply_state, coalesce(inbox.body -> 'message' ->> 'unseen' = 'true', false) as unseen,
         case when turn.state = 'running' then ${doingOf("turn")} end as doing
    from meant join inbox using (session_key, seq) join session using (session_key)
         left join turn on turn.turn_id = inbox.turn_id
         cross join lateral (
           select coalesce(turn.ended_at, turn.started_at, inbox.dropped_at, inbox.recorded_at) as since) as changed
         left join lateral (
           select outbox.state from outbox
            where outbox.turn_id = turn.turn_id and kind = 'reply' order by id desc limit 1) as reply on true`;

interface Row {
  readonly dropped: string | null;
  readonly turn_id: TurnId | null;
  readonly state: "running" | "completed" | "failed" | "aborted" | null;
  readonly ended_as: string | null;
  readonly asks: boolean;
  readonly is_busy: boolean;
  readonly is_set_aside: boolean;
  readonly ahead: number;
  readonly since_ms: number;
  readonly since: number;
  readonly reply_state: string | null;
  readonly unseen: boolean;
  readonly doing: string | null;
}

export async function readWhereabouts(
  database: Database,
  { sessionKey, conversation, messageId, userId }: WhereaboutsQuery,
): Promise<Whereabouts | undefined> {
  const { accountId, conversationId } = conversation;
  const values = [sessionKey, messageId ?? null, accountId, conversationId, userId];
  const [row] = await database.query<Row>({ name: "whereabouts", text, values });
  const refused =
    row === undefined || messageId === undefined
      ? await refusedAtDoor(database, { sessionKey, conversation, messageId, userId })
      : undefined;
  if (row === undefined || refused?.isLast === true) return refused?.found;
  const { turn_id: turnId, ahead, is_busy: isBusy } = row;
  return {
    state: stateOf(row),
    sinceMs: Math.max(0, Math.round(row.since_ms)),
    since: row.since,
    ahead,
    isBusy,
    ...(turnId === null ? {} : { turnId }),
    ...(row.unseen ? { unseen: true } : {}),
    ...(row.doing === null ? {} : { doing: row.doing }),
  };
}

/**
 * What a stranger has sent, and what was not kept for when somebody let them in, left nothing but its row among the refused. Without a
 * message, the last that they sent and was not kept. `isLast`: nothing of theirs that was kept came later.
 */
async function refusedAtDoor(
  database: Database,
  { sessionKey, conversation, messageId, userId }: WhereaboutsQuery,
): Promise<{ readonly found: Whereabouts; readonly isLast: boolean } | undefined> {
  const [row] = await database.query<Pick<Row, "since_ms" | "since"> & { readonly is_last: boolean }>({
    text: `select extract(epoch from now() - recorded_at)::float8 * 1000 as since_ms,
                  extract(epoch from recorded_at)::float8 * 1000 as since,
                  not exists (
                    select from inbox
                     where session_key = $5 and body -> 'sender' ->> 'userId' = $4
                       and body ->> 'receivedAt' is not null and (body ->> 'receivedAt')::timestamptz >= refused.received_at
                  ) as is_last
             from seen as refused
            where ($1::text is null or message_id = $1) and account_id = $2 and conversation_id = $3 and message_id is not null
                  and outcome = 'refused' and starts_with(reason, 'pairing_')
                  and ($1::text is not null or sender_id = $4 and not exists (
                    select from seen as kept where kept.event_id = refused.event_id || '~let-in' and kept.account_id = $2))
            order by received_at desc
            limit 1`,
    values: [messageId ?? null, conversation.accountId, conversation.conversationId, userId, sessionKey],
  });
  if (row === undefined) return undefined;
  const sinceMs = Math.max(0, Math.round(row.since_ms));
  const found = { state: "not_let_in", sinceMs, since: row.since, ahead: 0, isBusy: false } as const;
  return { found, isLast: row.is_last };
}

function stateOf({ dropped, state, ended_as, asks, is_set_aside, reply_state }: Row): Whereabouts["state"] {
  if (state === null) return dropped === null ? (is_set_aside ? "set_aside" : "waiting") : stateOfDropped(dropped);
  if (state === "running") return asks ? "asking" : "running";
  if (reply_state === "pending") return "sending";
  if (reply_state === "failed") return "undelivered";
  return ended_as === limitReason && state === "aborted" ? "stopped_by_limit" : state;
}

function stateOfDropped(reason: string): Whereabouts["state"] {
  if (reason === limitReason) return "refused_by_limit";
  return reason === "set_aside" ? "set_aside" : "dropped";
}
