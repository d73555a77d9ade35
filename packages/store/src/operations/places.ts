import { type Conversation, conversationSchema } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { Place, PlaceSearch } from "../ports/operations.ts";

/** Sessions that one search looks at, the newest first. */
const mostSessions = 20_000;
/** Events of a session in which somebody's words are looked for, the newest first. */
const mostEvents = 500;

interface Row {
  readonly conversation: unknown;
  readonly user_id: string | null;
  readonly display_name: string | null;
  readonly is_home: boolean;
}

/** The newest of somebody who is a person, with whom a direct conversation is. */
const person = `select body -> 'sender' as sender
                  from inbox
                 where session_key = held.session_key and body -> 'sender' ->> 'role' = 'person'
                 order by seq desc
                 limit 1`;

/**
 * `part` has those who must take part: who has written there, as somebody whom the platform knows. Whose a direct conversation is
 * costs a row for each session: where no search names it, only those that are found are asked.
 */
const text = `
  with newest as materialized (
         select session_key, conversation, last_seq, created_at
           from session
          where conversation ->> 'platform' <> 'webhook' and not conversation ? 'guest'
            and ($1::text is null or conversation ->> 'platform' = $1)
            and ($2::text is null or conversation ->> 'accountId' = $2)
            and ($3::text is null or (conversation ->> 'kind' <> 'direct' and conversation ->> 'conversationId' = $3))
          order by created_at desc
          limit ${mostSessions}),
       held as materialized (
         select *
           from newest
          where not exists (
                  select from jsonb_array_elements($6::jsonb) as part
                   where newest.conversation ->> 'accountId' <> part ->> 'accountId'
                      or not exists (
                           select from inbox
                            where session_key = newest.session_key and seq > newest.last_seq - ${mostEvents}
                              and body -> 'sender' ->> 'userId' = part ->> 'userId'
                              and body -> 'sender' ->> 'assurance' <> 'claimed'))),
       found as (
         select distinct on (conversation ->> 'accountId', conversation ->> 'conversationId')
                session_key, conversation - 'threadId' as conversation, created_at,
                exists (select from home_conversation as home
                         where home.account_id = held.conversation ->> 'accountId'
                           and home.conversation ->> 'conversationId' = held.conversation ->> 'conversationId'
                           and not home.is_resting) as is_home
           from held
           left join lateral (${person}) as named on conversation ->> 'kind' = 'direct' and ($4::text is not null or $5::text is not null)
          where ($4::text is null or (conversation ->> 'kind' = 'direct' and named.sender ->> 'userId' = $4))
            and ($5::text is null
                 or position(lower($5) in lower(coalesce(named.sender ->> 'displayName', conversation ->> 'title', ''))) > 0)
          order by conversation ->> 'accountId', conversation ->> 'conversationId', created_at desc),
       shown as (select * from found order by is_home desc, created_at desc limit $7)
  select held.conversation, person.sender ->> 'userId' as user_id, person.sender ->> 'displayName' as display_name, held.is_home
    from shown as held
    left join lateral (${person}) as person on held.conversation ->> 'kind' = 'direct'
   order by held.is_home desc, held.created_at desc`;

/** Conversations that have been used. A row that this release can't read is left out. */
export async function findPlaces(database: Database, search: PlaceSearch): Promise<readonly Place[]> {
  const { platform, groupId, userId, name, participants = [], limit } = search;
  // Whoever has to take part does so on one account: sessions of busier ones don't push theirs out of the newest.
  const { accountId = participants[0]?.accountId } = search;
  const given = [platform, accountId, groupId, userId, name].map((value) => value ?? null);
  const rows = await database.query<Row>({
    name: "places",
    text,
    values: [...given, JSON.stringify(participants), limit],
  });
  return rows.flatMap(({ conversation, user_id, display_name, is_home }) => {
    const { data } = conversationSchema.safeParse(conversation);
    if (data === undefined) return [];
    const person = user_id === null ? {} : { person: { userId: user_id, displayName: display_name ?? "" } };
    return [{ conversation: data satisfies Conversation, isHome: is_home, ...person }];
  });
}
