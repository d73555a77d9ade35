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

/** `part` has those who must take part: who has written there, as somebody whom the platform knows. */
const text = `
  select conversation, user_id, display_name, is_home
    from (select distinct on (held.conversation ->> 'accountId', held.conversation ->> 'conversationId')
                 held.conversation - 'threadId' as conversation, held.created_at,
                 person.sender ->> 'userId' as user_id, person.sender ->> 'displayName' as display_name,
                 exists (select from home_conversation as home
                          where home.account_id = held.conversation ->> 'accountId'
                            and home.conversation ->> 'conversationId' = held.conversation ->> 'conversationId') as is_home
            from (select session_key, conversation, created_at
                    from session
                   where conversation ->> 'platform' <> 'webhook' and not conversation ? 'guest'
                     and ($1::text is null or conversation ->> 'platform' = $1)
                     and ($2::text is null or conversation ->> 'accountId' = $2)
                   order by created_at desc
                   limit ${mostSessions}) as held
            left join lateral (select body -> 'sender' as sender
                                 from inbox
                                where session_key = held.session_key and body -> 'sender' ->> 'role' = 'person'
                                order by seq desc
                                limit 1) as person on held.conversation ->> 'kind' = 'direct'
           where ($3::text is null or (held.conversation ->> 'kind' <> 'direct' and held.conversation ->> 'conversationId' = $3))
             and ($4::text is null or (held.conversation ->> 'kind' = 'direct' and person.sender ->> 'userId' = $4))
             and ($5::text is null
                  or position(lower($5) in lower(coalesce(person.sender ->> 'displayName', held.conversation ->> 'title', ''))) > 0)
             and not exists (
                   select from jsonb_array_elements($6::jsonb) as part
                    where held.conversation ->> 'accountId' <> part ->> 'accountId'
                       or not exists (
                            select from (select body -> 'sender' as sender
                                           from inbox
                                          where session_key = held.session_key
                                          order by seq desc
                                          limit ${mostEvents}) as said
                             where sender ->> 'userId' = part ->> 'userId' and sender ->> 'assurance' <> 'claimed'))
           order by held.conversation ->> 'accountId', held.conversation ->> 'conversationId', held.created_at desc) as found
   order by is_home desc, created_at desc
   limit $7`;

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
