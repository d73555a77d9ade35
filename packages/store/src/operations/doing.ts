/** Longer work lines are cut. */
const mostDoingChars = 200;

/**
 * SQL: the work line of the call that a turn began last and that has no result yet, as it was told, or null. `turn` is the alias of a row
 * with a `turn_id`.
 */
export function doingOf(turn: string): string {
  return `(
  select left(coalesce(entry.body ->> 'doing', 'using ' || (entry.body ->> 'name')), ${mostDoingChars})
    from entry
   where entry.turn_id = ${turn}.turn_id and kind = 'tool.started' and entry.id = (
     select max(call.started)
       from (select max(id) filter (where kind = 'tool.started') as started
               from entry
              where turn_id = ${turn}.turn_id and kind in ('tool.started', 'tool.result')
              group by body ->> 'callId'
             having not bool_or(kind = 'tool.result')) as call))`;
}
