import { instantOf, type SessionKey, type TurnId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { doingOf } from "../operations/doing.ts";
import { isAsking } from "../operations/sessions.ts";
import type { ChatKey, RunningReply } from "../ports/chats.ts";
import { sessionsOf } from "./sessions-of.ts";

interface Row {
  readonly turn_id: TurnId;
  readonly started_at: Date;
  readonly partial: string;
  readonly is_asking: boolean;
  readonly doing: string | null;
}

const text = `
  with open as (
    select turn.*, ${isAsking} as is_asking
      from turn
     where state = 'running' and (session_key = $1 or session_key > $1 || '/' and session_key < $1 || '0')
     order by started_at desc
     limit 1
  )
  select turn_id, started_at, partial, is_asking, ${doingOf("open")} as doing
    from open`;

/** The answer of the turn that began last in the conversation or a thread of it. */
export async function readRunning(database: Database, key: ChatKey): Promise<RunningReply | undefined> {
  const [row] = await database.query<Row>({ name: "running_reply", text, values: [sessionsOf(key)] });
  if (row === undefined) return undefined;
  return {
    turnId: row.turn_id,
    startedAt: instantOf(row.started_at.getTime()),
    text: row.partial,
    isAsking: row.is_asking,
    ...(row.doing === null ? {} : { doing: row.doing }),
  };
}

export async function readRetriable(database: Database, sessionKey: SessionKey): Promise<TurnId | undefined> {
  const [row] = await database.query<{ turn_id: TurnId }>({
    name: "retriable_turn",
    text: "select next.turn_id from session as held cross join lateral turn_to_retry(held) as next where held.session_key = $1",
    values: [sessionKey],
  });
  return row?.turn_id;
}
