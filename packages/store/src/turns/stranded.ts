import type { SessionKey } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { Stranded, TurnStore } from "../ports/turns.ts";

/** How many sessions one statement looks at, which takes some tens of milliseconds. */
const pageSessions = 1_000;

interface Page {
  /** The last key of a full page. */
  readonly next: SessionKey | null;
  readonly sessions: readonly Stranded[] | null;
}

/**
 * Skips through the index of waiting events from session to session, so that a session with a long backlog costs one
 * step. Only the first event of each session counts, since the others wait behind it. It must have been ready for a
 * second, so that the ordinary wake-up comes first.
 */
const text = `
  with recursive waiting (session_key, is_due, n) as (
    (select session_key, due.*, 1
       from inbox cross join lateral (select ${isDue()}) as due
      where turn_id is null and reason is null and session_key > $1
      order by session_key, seq limit 1)
    union all
    select next.*, n + 1
      from waiting cross join lateral (
        select inbox.session_key, due.*
          from inbox cross join lateral (select ${isDue()}) as due
         where turn_id is null and reason is null and inbox.session_key > waiting.session_key
         order by inbox.session_key, seq limit 1) as next
     where n < $2
  ), working as (
    select session_key, bool_or(is_due) as is_due
      from (select session_key, is_due from waiting
            union all
            (select session_key, suspended_at is null or first_seq <= greatest(cancel_seq, interrupt_seq)
               from turn join session using (session_key)
              where state = 'running' and session_key > $1 order by session_key limit $2)) as found
     group by session_key
     order by session_key
     limit $2
  )
  select case when count(*) = $2 then max(working.session_key) end as next,
         json_agg(json_build_object('sessionKey', working.session_key, 'fence', session.fence)
                  order by working.session_key)
           filter (where is_due and session.session_key is not null and process.id is null) as sessions
    from working
         left join session using (session_key)
         left join process on process.id = session.owner and lease_until > clock_timestamp()`;

export async function readStranded(database: Database, after = ""): ReturnType<TurnStore["stranded"]> {
  const [page] = await database.query<Page>({ name: "stranded_sessions", text, values: [after, pageSessions] });
  return { sessions: page?.sessions ?? [], ...(page?.next ? { next: page.next } : {}) };
}

function isDue(): string {
  return "greatest(inbox.recorded_at, deferred_until, media_until) < clock_timestamp() - interval '1 second'";
}
