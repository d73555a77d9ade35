import type { AccountId, ConversationId, TurnId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { ChatStep, ChatSteps, StepCount } from "../ports/operations.ts";

const mostSteps = 200;
const mostResultChars = 2_000;
const mostDoingChars = 200;

interface CountRow {
  readonly turn_id: TurnId;
  readonly count: number;
  readonly failed: number;
}

/** Calls of each turn that have a result, and those that failed, in the order of the turns. Turns without any are left out. */
export async function countSteps(
  database: Database,
  turnIds: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, StepCount>> {
  if (turnIds.length === 0) return new Map();
  const rows = await database.query<CountRow>({
    name: "step_counts",
    text: `
      select turn_id, counted.count, failed.count as failed
        from unnest($1::text[]) as asked (turn_id)
             cross join lateral (select count(*)::integer from entry
                                  where entry.turn_id = asked.turn_id and kind = 'tool.result') as counted
             cross join lateral (select count(*)::integer from entry
                                  where entry.turn_id = asked.turn_id and kind = 'tool.result'
                                    and body ->> 'isError' = 'true') as failed
       where counted.count > 0`,
    values: [turnIds],
  });
  return new Map(rows.map(({ turn_id, count, failed }) => [turn_id, { count, failed }]));
}

interface StepRow {
  readonly name: string;
  readonly doing: string | null;
  readonly is_error: boolean | null;
  readonly result: string | null;
  readonly result_chars: number | null;
  readonly earlier: number;
}

/** A call that was refused has a result and no start; one that runs, or whose worker is gone, has a start alone. */
const text = `
  with step as (
    select min(id) as place, body ->> 'callId' as call_id,
           max(id) filter (where kind = 'tool.started') as started, max(id) filter (where kind = 'tool.result') as ended
      from entry
     where turn_id = $3 and kind in ('tool.started', 'tool.result')
       and exists (select from turn
                    where turn.turn_id = $3 and route ->> 'accountId' = $1 and route ->> 'conversationId' = $2)
     group by body ->> 'callId'
  ), newest as (
    select *, count(*) over () - ${mostSteps} as earlier from step order by place desc limit ${mostSteps}
  )
  select coalesce(started.body, ended.body) ->> 'name' as name, left(started.body ->> 'doing', ${mostDoingChars}) as doing,
         (ended.body ->> 'isError')::boolean as is_error, left(ended.body ->> 'content', ${mostResultChars}) as result,
         length(ended.body ->> 'content') as result_chars, greatest(earlier, 0)::integer as earlier
    from newest
         left join entry as started on started.turn_id = $3 and started.kind = 'tool.started' and started.id = newest.started
         left join entry as ended on ended.turn_id = $3 and ended.kind = 'tool.result' and ended.id = newest.ended
   order by place`;

export async function readSteps(
  database: Database,
  accountId: AccountId,
  conversationId: ConversationId,
  turnId: TurnId,
): Promise<ChatSteps> {
  const values = [accountId, conversationId, turnId];
  const rows = await database.query<StepRow>({ name: "steps", text, values });
  return { steps: rows.map(toStep), earlier: rows[0]?.earlier ?? 0 };
}

function toStep({ name, doing, is_error, result, result_chars }: StepRow): ChatStep {
  const label = doing ?? `using ${name}`;
  if (is_error === null || result === null) return { label, state: "open" };
  return {
    label,
    state: is_error ? "failed" : "done",
    result,
    leftOutChars: Math.max(0, (result_chars ?? 0) - mostResultChars),
  };
}
