import {
  type AccountId,
  type ConversationId,
  type EventId,
  instantOf,
  type Platform,
  type Role,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import { codeHashOf } from "../accounts/pairing-code.ts";
import type { Database } from "../database/database.ts";
import { notToUs } from "../inbox/names-of.ts";
import type { Became, RecentEvent, RecentQuery, Reply } from "../ports/recent.ts";
import { isAsking } from "./sessions.ts";

/** Events that one look reads, the newest first. */
const mostEvents = 20_000;

/** Shortest beginning of an id that counts, as for `talaria people`. */
const leastIdLength = 4;

const toNobody = `(${[...notToUs].map((reason) => `'${reason}'`).join(", ")})`;

/** As `plainName` does it. */
const plain = (name: string) => `lower(regexp_replace(normalize(${name}, nfkd), '[\u0300-\u036f]', '', 'g'))`;
const isLike = (parameter: string, id: string, name: string) =>
  `(${id} = ${parameter} or event.account_id || '/' || ${id} = ${parameter} or position(${plain(parameter)} in ${plain(name)}) > 0)`;
const isPerson = (parameter: string) =>
  `(${isLike(parameter, "event.sender_id", "coalesce(person.name, '')")} or ${isListed(parameter)}
    or account.platform || ':user:' || event.sender_id = ${parameter}
    or (ltrim(${parameter}, '@') <> '' and lower(ltrim(coalesce(inbox.body -> 'sender' ->> 'handle', event.sender_handle), '@')) = lower(ltrim(${parameter}, '@'))))`;
/** The beginning of the id that `talaria people` shows, or the code that a stranger was shown. */
const isListed = (parameter: string) =>
  `length(${parameter}) >= ${leastIdLength} and starts_with(pairing.id, lower(${parameter})) or pairing.code_hash = $6::bytea`;
const isPlace = (parameter: string) => isLike(parameter, "event.conversation_id", "coalesce(named.title, '')");

const text = `
  with found as (
    select event.*, account.platform, pairing.state as standing, met_group.allowed_at is not null as is_group_in, person.name, named.title, named.kind, session_key, seq
      from (select * from seen order by recorded_at desc limit ${mostEvents}) as event
           left join inbox on inbox.event_id = event.event_id and inbox.account_id = event.account_id
           left join account on account.account_id = event.account_id
           left join pairing on pairing.account_id = event.account_id and pairing.user_id = event.sender_id
           left join met_group on met_group.account_id = event.account_id and met_group.conversation_id = event.conversation_id
           cross join lateral (
             select coalesce(inbox.body -> 'sender' ->> 'displayName', event.sender_name, pairing.display_name) as name) as person
           cross join lateral (
             select coalesce(inbox.body -> 'conversation' ->> 'title', met_group.title) as title,
                    coalesce(inbox.body -> 'conversation' ->> 'kind', case when met_group.account_id is not null then 'group' end) as kind
           ) as named
     where ($1::text is null or ${isPerson("$1")})
       and ($2::text is null or ${isPlace("$2")})
       and ($3::text is null or ${isPerson("$3")} or ${isPlace("$3")})
       and (not $5::boolean or event.reason is null or event.reason not in ${toNobody})
     order by event.recorded_at desc
     limit $4)
  select found.account_id, found.platform, found.event_id, found.conversation_id, found.kind, found.title, found.sender_id,
         found.name as sender_name, found.recorded_at, found.is_press, found.outcome, found.reason, found.session_key,
         inbox.reason as drop_reason, not is_ready(inbox.deferred_until, inbox.media_until) as is_deferred,
         session.open_turn is not null as is_busy, session.set_aside_at is not null as is_set_aside,
         found.standing = 'approved' as is_person_in, found.is_group_in,
         exists (select from seen as again
                  where again.account_id = found.account_id and again.event_id = found.event_id || '~let-in') as is_taken_up,
         inbox.role, turn.turn_id, turn.state, turn.reason as turn_reason,
         coalesce(turn.state = 'failed' and turn.turn_id = (select again.turn_id from turn_to_retry(session) as again), false) as is_last,
         told.told_at, turn.started_at, turn.ended_at,
         coalesce(turn.state = 'running' and ${isAsking}, false) as is_asking,
         reply.state as reply_state, reply.error as reply_error, reply.settled_at as reply_at,
         jsonb_path_query_first(reply.parts, '$[*].lastFailure') as failure,
         exists (select from sent_message join receipt using (message_id, conversation_id, account_id)
                  where sent_message.outbox_id = reply.id and receipt.status = 'failed') as is_reported_failed
    from found
         left join inbox on inbox.session_key = found.session_key and inbox.seq = found.seq
         left join session on session.session_key = found.session_key
         left join turn on turn.turn_id = inbox.turn_id
         left join lateral (
           select * from outbox
            where outbox.turn_id = turn.turn_id and kind = 'reply' order by id desc limit 1) as reply on true
         left join told on turn.state = 'failed' and told.account_id = found.account_id and told.conversation_id = found.conversation_id
                       and told.topic = 'failed/' || turn.reason and told.told_at < turn.ended_at
   order by found.recorded_at desc`;

interface Row {
  readonly account_id: AccountId;
  readonly platform: Platform | null;
  readonly event_id: EventId;
  readonly conversation_id: ConversationId;
  readonly kind: string | null;
  readonly title: string | null;
  readonly sender_id: string;
  readonly sender_name: string | null;
  readonly recorded_at: Date;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly session_key: SessionKey | null;
  readonly drop_reason: string | null;
  readonly is_person_in: boolean | null;
  readonly is_group_in: boolean;
  readonly is_taken_up: boolean;
  readonly is_press: boolean;
  readonly role: Role | null;
  readonly is_last: boolean;
  readonly told_at: Date | null;
  readonly is_deferred: boolean;
  readonly is_busy: boolean | null;
  readonly is_set_aside: boolean | null;
  readonly turn_id: TurnId | null;
  readonly state: "running" | "completed" | "failed" | "aborted" | null;
  readonly turn_reason: string | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly is_asking: boolean;
  readonly reply_state: "pending" | "sent" | "failed" | "withdrawn" | null;
  readonly reply_error: string | null;
  readonly reply_at: Date | null;
  readonly failure: { readonly code?: string; readonly reason?: string } | null;
  readonly is_reported_failed: boolean;
}

/** What became of the newest events that fit, the newest first. */
export async function readRecent(
  database: Database,
  { person, conversation, either, limit, toUsOnly = false }: RecentQuery,
): Promise<readonly RecentEvent[]> {
  const values = [
    person ?? null,
    conversation ?? null,
    either ?? null,
    limit,
    toUsOnly,
    codeHashOf(person ?? either ?? ""),
  ];
  const rows = await database.query<Row>({ text, values });
  return rows.map((row) => ({
    accountId: row.account_id,
    ...(row.platform === null ? {} : { platform: row.platform }),
    eventId: row.event_id,
    conversationId: row.conversation_id,
    ...(row.kind === null ? {} : { kind: row.kind }),
    ...(row.title === null ? {} : { title: row.title }),
    senderId: row.sender_id,
    ...(row.sender_name === null ? {} : { senderName: row.sender_name }),
    recordedAt: instantOf(row.recorded_at.getTime()),
    ...(row.is_press && { isPress: true }),
    ...(row.role === null ? {} : { role: row.role }),
    ...(row.session_key === null ? {} : { sessionKey: row.session_key }),
    ...(row.turn_id === null ? {} : { turnId: row.turn_id }),
    became: becameOf(row),
  }));
}

function becameOf(row: Row): Became {
  const { outcome, reason, drop_reason, state, turn_reason, started_at, ended_at } = row;
  if (outcome !== null) {
    const known = outcome === "command" || outcome === "refused" ? outcome : "ignored";
    const later = known === "refused" ? laterOf(row, reason ?? "") : undefined;
    return { state: known, reason: reason ?? outcome, ...(later !== undefined && { later }) };
  }
  if (state === null && drop_reason !== null) return { state: "dropped", reason: drop_reason };
  if (state === null) return { state: "waiting", for: waitsFor(row) };
  const since = instantOf((started_at ?? row.recorded_at).getTime());
  if (state === "running") return { state, isAsking: row.is_asking, since };
  const at = instantOf((ended_at ?? row.recorded_at).getTime());
  return {
    state: "ended",
    outcome: state,
    ...(turn_reason === null ? {} : { reason: turn_reason }),
    at,
    ...(row.is_last && { isLast: true }),
    reply: replyOf(row),
  };
}

function laterOf({ is_taken_up, is_person_in, is_group_in }: Row, reason: string): "taken_up" | "let_in" | undefined {
  if (is_taken_up) return "taken_up";
  const isIn = reason === "group_not_allowed" ? is_group_in : reason.startsWith("pairing_") && is_person_in === true;
  return isIn ? "let_in" : undefined;
}

function waitsFor({ is_set_aside, is_busy, is_deferred }: Row): Extract<Became, { state: "waiting" }>["for"] {
  if (is_set_aside === true) return "retry";
  if (is_busy === true) return "turn";
  return is_deferred ? "parts" : "worker";
}

function replyOf(row: Row): Reply {
  const { reply_state, reply_error, reply_at, failure, is_reported_failed, recorded_at, told_at } = row;
  switch (reply_state) {
    case null:
      return { state: "none", ...(told_at !== null && { toldAt: instantOf(told_at.getTime()) }) };
    case "withdrawn":
      return { state: "withdrawn" };
    case "sent":
      return {
        state: "sent",
        at: instantOf((reply_at ?? recorded_at).getTime()),
        isReportedFailed: is_reported_failed,
      };
    case "failed":
      return { state: "failed", error: reply_error ?? "unknown" };
    case "pending": {
      const { code, reason } = failure ?? {};
      return { state: "pending", ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
    }
    default:
      return reply_state satisfies never;
  }
}
