import { instantOf, type SessionKey } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { Backlog, OperationsStore, SessionSummary, WaitingFrom } from "../ports/operations.ts";
import { readChosen } from "../turns/stored-rows.ts";

/** Whether a turn waits for people: suspended, or while a call of it asks. */
export const isAsking = `(turn.suspended_at is not null or exists (
  select from open_call
   where open_call.session_key = turn.session_key and open_call.turn_id = turn.turn_id
         and settled_at is null and waits_for = 'form' and held_by is not null))`;

/** Each count reads an index that holds unfinished rows only. */
const backlogText = `
  select waiting.*, running.*, pending.*, failed.*, aside.*,
         coalesce((select value from total where name = 'possible_duplicates'), 0)::float8 as "possibleDuplicates"
    from (select count(*)::float8 as "waitingEvents",
                 (count(*) filter (where is_busy))::float8 as "behindTurns",
                 (count(*) filter (where is_deferred and not is_busy))::float8 as "deferredEvents",
                 coalesce(extract(epoch from now() - min(recorded_at)) * 1000, 0)::float8 as "oldestWaitingMs"
            from (select recorded_at, open_turn is not null as is_busy,
                         bool_or(not is_ready(deferred_until, media_until))
                           over (partition by session_key order by seq) as is_deferred
                    from inbox left join session using (session_key)
                   where turn_id is null and reason is null
                     and deferred_until is distinct from 'infinity') as each) as waiting,
         (select (count(*) filter (where not is_asking))::float8 as "runningTurns",
                 (count(*) filter (where is_asking))::float8 as "suspendedTurns"
            from (select ${isAsking} as is_asking from turn where state = 'running') as open_turns) as running,
         (select count(*)::float8 as "pendingDeliveries",
                 coalesce(extract(epoch from now() - min(created_at)) * 1000, 0)::float8 as "oldestDeliveryMs"
            from outbox where state = 'pending') as pending,
         (select ((select count(*) from outbox where state = 'failed')
                  + (select count(distinct coalesce(outbox_id::text, message_id))
                       from receipt join sent_message using (message_id, conversation_id, account_id)
                      where status = 'failed'))::float8 as "failedDeliveries") as failed,
         (select count(*)::float8 as "setAsideSessions" from session where set_aside_at is not null) as aside`;

export async function readBacklog(database: Database): Promise<Backlog> {
  const [row] = await database.query<Backlog>({ name: "backlog", text: backlogText });
  if (row === undefined) throw new Error("counts always answer one row");
  return { ...row, oldestWaitingMs: age(row.oldestWaitingMs), oldestDeliveryMs: age(row.oldestDeliveryMs) };
}

interface Row {
  readonly session_key: SessionKey;
  readonly waiting: number;
  readonly running: boolean;
  readonly asking: boolean;
  readonly turns: number;
  readonly created_at: Date;
  readonly set_aside_at: Date | null;
  readonly chosen: unknown;
}

const summary = `
  select session.session_key, session.created_at, session.set_aside_at, session.chosen, session.open_turn is not null as running,
         exists (select from turn where turn_id = session.open_turn and ${isAsking}) as asking,
         (select count(*)::float8 from inbox
           where inbox.session_key = session.session_key and turn_id is null and reason is null) as waiting,
         (select count(*)::float8 from turn where turn.session_key = session.session_key) as turns`;

export async function readSession(database: Database, sessionKey: SessionKey): Promise<SessionSummary | undefined> {
  const text = `${summary} from session where session_key = $1`;
  const [row] = await database.query<Row>({ text, values: [sessionKey] });
  return row && toSummary(row);
}

export async function readWaitingFrom(database: Database, sessionKey: SessionKey): Promise<WaitingFrom> {
  const [row] = await database.query<{ readonly waiting: WaitingFrom }>({
    text: "select waiting_from($1) as waiting",
    values: [sessionKey],
  });
  return row?.waiting ?? { messages: 0, names: [], more: 0 };
}

export async function readAnswerWaits(database: Database, sessionKey: SessionKey): Promise<boolean> {
  const [row] = await database.query<{ readonly waits: boolean }>({
    text: "select answers_on_their_way($1) is not null as waits",
    values: [sessionKey],
  });
  return row?.waits ?? false;
}

/** An event of a running turn has waited since it was recorded. A turn that waits for somebody is not stuck, nor is one whose call does. */
export async function readStuck(
  database: Database,
  olderThanMs: number,
  limit: number,
): ReturnType<OperationsStore["stuck"]> {
  const text = `
    with unfinished as (
      select session_key, recorded_at from inbox
       where turn_id is null and reason is null and deferred_until is distinct from 'infinity'
      union all
      select inbox.session_key, inbox.recorded_at
        from turn join inbox on inbox.session_key = turn.session_key and inbox.seq = turn.first_seq
       where turn.state = 'running' and not ${isAsking}
      union all
      select session_key, set_aside_at from session where set_aside_at is not null
    ), oldest as (
      select session_key, extract(epoch from now() - min(recorded_at)) * 1000 as waited_ms
        from unfinished group by session_key
    )
    ${summary}, oldest.waited_ms::float8
      from oldest join session using (session_key)
     where waited_ms > $1 or set_aside_at is not null
     order by set_aside_at is not null, waited_ms desc
     limit $2`;
  const rows = await database.query<Row & { waited_ms: number }>({ text, values: [olderThanMs, limit] });
  return rows.map((row) => ({ ...toSummary(row), waitedMs: age(row.waited_ms) }));
}

export async function retrySetAside(database: Database, sessionKey: SessionKey): Promise<number> {
  const [row] = await database.query<{ restored: number }>({
    text: "select retry_set_aside($1)::float8 as restored",
    values: [sessionKey],
  });
  return row?.restored ?? 0;
}

function toSummary({
  session_key,
  waiting,
  running,
  asking,
  turns,
  created_at,
  set_aside_at,
  chosen,
}: Row): SessionSummary {
  return {
    sessionKey: session_key,
    waiting,
    running,
    asking,
    turns,
    ...chosenOf(chosen),
    startedAt: instantOf(created_at.getTime()),
    ...(set_aside_at === null ? {} : { setAsideAt: instantOf(set_aside_at.getTime()) }),
  };
}

function chosenOf(value: unknown): Pick<SessionSummary, "chosen"> {
  const chosen = readChosen(value);
  return chosen === undefined ? {} : { chosen };
}

function age(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds));
}
