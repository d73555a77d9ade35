import { isGatewayError } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlStateOf } from "../database/database-error.ts";
import type { ChatPage, ChatQuery } from "../ports/chats.ts";
import { placeIn, type Row, shownOf, toPage } from "./list-chats.ts";

/** Lines with the words that are looked at one by one. Where there are more, the newest conversations are asked instead. */
const mostLines = 5_000;
/** Of what else is looked at then: conversations, the newest first. */
const mostChats = 20_000;

const canceled = "57014";

/** What a person reads of it is there, and was not deleted. */
const isShown = (line: string) => `case when ${line}.is_ours
  then exists (select from outbox where delivery_key = ${line}.line_id and state not in ('failed', 'withdrawn'))
  else exists (select from inbox where event_id = ${line}.line_id and inbox.account_id = ${line}.account_id) end`;

/** The newest line of a conversation that has the words, or its newest line where its name has them. */
const found = `
  select case when said.is_ours then (select left(body ->> 'markdown', 600) from outbox where delivery_key = said.line_id)
              else (select left(body #>> '{message,markdown}', 600) from inbox
                     where event_id = said.line_id and inbox.account_id = said.account_id limit 1) end as words,
         case when said.is_ours then 'agent' else 'person' end as sender
    from chat_line as said
   where said.account_id = page.account_id and said.conversation_id = page.conversation_id and said.at > page.deleted_at
     and said.words @@ page.query and ${isShown("said")}
   order by said.at desc
   limit 1`;

/** $1 account or null, $2 to $4 the place, $5 limit, $6 words. Reads lines by the index of words. */
const byLines = `
  with wanted as materialized (select words_query($6, $1) as query),
       line as materialized (
         select account_id, conversation_id, line_id, is_ours, at
           from chat_line where words @@ (select query from wanted) limit ${mostLines} + 1),
       place as (
         select line.account_id, line.conversation_id from line join chat using (account_id, conversation_id)
          where line.at > chat.deleted_at and ${isShown("line")}
         union
         select account_id, conversation_id from chat where words @@ (select query from wanted)),
       page as materialized (
         select chat.*, wanted.query
           from place join chat using (account_id, conversation_id) cross join wanted
          where last_at > deleted_at and (last_at, account_id, conversation_id) < ($2::timestamptz, $3, $4)
          order by last_at desc, account_id desc, conversation_id desc
          limit $5),
       shown as (${shownOf(found)})
  select shown.*, (select count(*)::integer from line) as lines from shown order by last_at desc, account_id desc, conversation_id desc`;

/** The same for words that are in many lines: most conversations have them. */
const byChats = `
  with wanted as materialized (select words_query($6, $1) as query),
       near as (
         select chat.* from chat
          where last_at > deleted_at and ($1::text is null or account_id = $1)
            and (last_at, account_id, conversation_id) < ($2::timestamptz, $3, $4)
          order by last_at desc, account_id desc, conversation_id desc
          limit ${mostChats}),
       page as materialized (
         select near.*, wanted.query
           from near cross join wanted
          where near.words @@ wanted.query or exists (
                  select from chat_line as said
                   where said.account_id = near.account_id and said.conversation_id = near.conversation_id
                     and said.at > near.deleted_at and said.words @@ wanted.query and ${isShown("said")})
          order by last_at desc, account_id desc, conversation_id desc
          limit $5)
  ${shownOf(found)}`;

/**
 * Conversations whose name, or one line of them, has words that begin with each of these. `isPartial` where the time of a statement was
 * over: some may be missing.
 */
export async function searchChats(
  database: Database,
  query: ChatQuery & { readonly words: string },
): Promise<ChatPage> {
  const { accountId, limit, words } = query;
  const values = [accountId ?? null, ...placeIn(query), limit + 1, words];
  const few = await inTime(() => database.query<Row & { lines: number }>({ text: byLines, values }));
  if (few !== undefined && (few[0]?.lines ?? 0) <= mostLines) return await toPage(database, few, limit);
  const many = await inTime(() => database.query<Row>({ text: byChats, values }));
  if (many !== undefined) return await toPage(database, many, limit);
  return { ...(await toPage(database, few ?? [], limit)), isPartial: true };
}

/** Undefined: it took too long. */
async function inTime<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isGatewayError(error) && sqlStateOf(error) === canceled) return undefined;
    throw error;
  }
}
