import { instantOf, type SessionKey } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { Undelivered } from "../ports/operations.ts";

/** What somebody waits for, and may have. A call into a chat of strangers is answered once, and soon or never. */
const givenUpText = `state = 'failed' and error is distinct from 'not_allowed' and session_key is not null
  and (kind = 'reply' or body ? 'choices') and not coalesce(body -> 'conversation' ? 'guest', false)`;

export async function readUndelivered(database: Database, limit: number): Promise<readonly Undelivered[]> {
  const text = `
    select session_key, count(*)::float8 as texts, max(settled_at) as at
      from outbox
     where ${givenUpText} and settled_at > clock_timestamp() - interval '7 days'
     group by session_key
     order by at desc
     limit $1`;
  const rows = await database.query<{ session_key: SessionKey; texts: number; at: Date }>({ text, values: [limit] });
  return rows.map(({ session_key, texts, at }) => ({
    sessionKey: session_key,
    texts,
    at: instantOf(at.getTime()),
  }));
}

/** A call for the part ended without anybody knowing what became of it. What one person alone sees can't be found, and isn't marked. */
const mayHaveArrived = `((part ->> 'unknown')::integer > 0 or part ->> 'error' is not distinct from 'unknown_outcome')
  and not body ? 'privateTo'`;

/**
 * Parts that arrived stay as they are, so only the rest is sent. The text is as new: it has a whole day again. A text that was
 * never split has no parts. A part that may have arrived is as after a crash in the middle of its call: whoever sends it looks for it,
 * or says that it may be there twice.
 */
export async function retryUndelivered(database: Database, sessionKey: SessionKey): Promise<number> {
  const text = `
    update outbox
       set state = 'pending', error = null, settled_at = null,
           created_at = clock_timestamp(), next_at = clock_timestamp(),
           parts = (select jsonb_agg(case when part ->> 'state' = 'failed'
                                          then part - 'error' - 'lastFailure' || jsonb_build_object(
                                            'state', case when ${mayHaveArrived} then 'sending' else 'pending' end, 'attempts', 0,
                                            'unknown', least((part ->> 'unknown')::integer, 1))
                                          else part end order by n)
                      from jsonb_array_elements(parts) with ordinality as given (part, n))
     where session_key = $1 and ${givenUpText}
    returning id`;
  return (await database.query({ text, values: [sessionKey] })).length;
}
