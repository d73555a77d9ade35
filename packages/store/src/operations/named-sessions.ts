import { conversationSchema, type SessionKey } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { NamedSession } from "../ports/operations.ts";

/** Events of a session in which a title and a name are looked for, the newest first. */
const mostEvents = 50;

interface Row {
  readonly session_key: SessionKey;
  readonly conversation: unknown;
  readonly title: string | null;
  readonly user_id: string | null;
  readonly display_name: string | null;
}

/** Titles change: that of the newest event counts, and else the one with which the session began. */
const text = `
  select session_key, conversation, newest.title, person.user_id, person.display_name
    from session
         cross join lateral (
           select (array_agg(title order by seq desc) filter (where title is not null))[1] as title
             from (select seq, body -> 'conversation' ->> 'title' as title
                     from inbox where inbox.session_key = session.session_key order by seq desc limit ${mostEvents}) as said
         ) as newest
         left join lateral (
           select sender ->> 'userId' as user_id, sender ->> 'displayName' as display_name
             from (select seq, body -> 'sender' as sender
                     from inbox where inbox.session_key = session.session_key order by seq desc limit ${mostEvents}) as said
            where sender ->> 'role' = 'person'
            order by seq desc limit 1
         ) as person on conversation ->> 'kind' = 'direct'
   where session_key = any ($1)`;

/** As people know them. One that is unknown, or that this release can't read, is left out. */
export async function readNamedSessions(
  database: Database,
  sessionKeys: readonly SessionKey[],
): Promise<readonly NamedSession[]> {
  if (sessionKeys.length === 0) return [];
  const rows = await database.query<Row>({ name: "named_sessions", text, values: [sessionKeys] });
  return rows.flatMap(({ session_key: sessionKey, conversation, title, user_id, display_name }) => {
    const { data } = conversationSchema.safeParse(conversation);
    if (data === undefined) return [];
    const person = user_id === null ? {} : { person: { userId: user_id, displayName: display_name ?? "" } };
    return [{ sessionKey, conversation: { ...data, ...(title === null ? {} : { title }) }, ...person }];
  });
}
