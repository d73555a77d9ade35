import { type AccountId, type ConversationId, instantOf } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { ConversationRef, ShutPlace, ShutPlaces } from "../ports/shut-places.ts";

/** Less than the day after which a problem is forgotten: what is forgotten does not begin anew. */
const lookBackHours = 23;
/** Texts that are looked at, the newest. */
const mostTexts = 500;
const mostPlaces = 100;

interface ShutRow {
  readonly account_id: AccountId;
  readonly conversation_id: ConversationId;
  readonly platform: string | null;
  readonly name: string | null;
  readonly error: ShutPlace["code"];
  readonly settled_at: Date;
}

/** A text is kept for a day before it is given up, and `talaria retry` makes it as new: one that was sent at this time was created so early. */
const hasArrivedSince = (place: string, since: string) => `exists (
  select from outbox as sent
   where sent.account_id = ${place}.account_id and sent.conversation_id = ${place}.conversation_id
     and sent.state = 'sent' and sent.settled_at > ${since} and sent.created_at > ${since} - interval '2 days')`;

/** What one person alone sees, what closes a question and what ends a membership say nothing of their conversation. */
const shutText = `
  with given_up as materialized (
         select account_id, conversation_id, session_key, kind, body, error, settled_at
           from outbox
          where state = 'failed'
          order by id desc
          limit ${mostTexts}),
       newest as (
         select distinct on (account_id, conversation_id) *
           from given_up
          where error in ('forbidden', 'not_found') and kind <> 'closing' and not body ?| array['privateTo', 'leaves']
            and not coalesce(body -> 'conversation' ? 'guest', false)
            and settled_at > clock_timestamp() - interval '${lookBackHours} hours'
          order by account_id, conversation_id, settled_at desc)
  select account_id, conversation_id, body -> 'conversation' ->> 'platform' as platform, error, settled_at,
         coalesce(body -> 'conversation' ->> 'title', (
           select inbox.body -> 'sender' ->> 'displayName'
             from inbox
            where inbox.session_key = newest.session_key and newest.body -> 'conversation' ->> 'kind' = 'direct'
              and inbox.body -> 'sender' ->> 'role' = 'person'
            order by seq desc
            limit 1)) as name
    from newest
   where not ${hasArrivedSince("newest", "newest.settled_at")}
   order by settled_at desc
   limit ${mostPlaces}`;

const openedText = `
  with told as (
         select substr(key, 7, strpos(key, '/') - 7) as account_id, substr(key, strpos(key, '/') + 1) as conversation_id, seen_at
           from problem
          where starts_with(key, 'place:') and told_at is not null)
  select account_id, conversation_id from told where ${hasArrivedSince("told", "told.seen_at")} limit ${mostPlaces}`;

export async function readShutPlaces(database: Database): Promise<ShutPlaces> {
  const [shut, opened] = await Promise.all([
    database.query<ShutRow>({ name: "shut_places", text: shutText }),
    database.query<Pick<ShutRow, "account_id" | "conversation_id">>({ name: "opened_places", text: openedText }),
  ]);
  return { shut: shut.map(toShutPlace), opened: opened.map(toRef) };
}

function toShutPlace({ platform, name, error, settled_at, ...row }: ShutRow): ShutPlace {
  return {
    ...toRef(row),
    platform: platform ?? "unknown",
    ...(name === null ? {} : { name }),
    code: error,
    at: instantOf(settled_at.getTime()),
  };
}

function toRef({ account_id, conversation_id }: Pick<ShutRow, "account_id" | "conversation_id">): ConversationRef {
  return { accountId: account_id, conversationId: conversation_id };
}
