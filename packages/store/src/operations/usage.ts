import type { Database, Value } from "../database/database.ts";
import type { Usage, UsageGroup, UsageQuery } from "../ports/usage.ts";

const groups: Readonly<Record<Exclude<UsageGroup, "day">, string>> = {
  person: "coalesce(person, '')",
  model: "coalesce(model || coalesce(' (' || provider || ')', ''), served_by, '')",
  purpose: "coalesce(purpose, 'turns')",
  account: "account_id",
  conversation: "account_id || '/' || conversation_id",
  session: "session_key",
  turn: "turn_id",
  total: "''",
};

interface Row extends Omit<Usage, "cost"> {
  readonly cost: number | null;
}

/** Days newest first, everything else the most expensive first, then the most tokens. Nothing where nothing was used. */
export async function readUsage(database: Database, query: UsageQuery): Promise<readonly Usage[]> {
  const { by, timeZone = "UTC", accountId, person, turn, limit } = query;
  const values: Value[] = [limit];
  const filters = [timeFilter(query, values)];
  if (accountId !== undefined) filters.push(`account_id = $${values.push(accountId)}`);
  if (person !== undefined)
    filters.push(`people @> array[$${values.push(`${person.accountId}/${person.userId}`)}::text]`);
  if (turn !== undefined)
    filters.push(`session_key = $${values.push(turn.sessionKey)} and turn_id = $${values.push(turn.turnId)}`);
  const people = by === "person" ? " left join lateral unnest(people) as one (person) on true" : "";
  const order = by === "day" ? `"of" desc` : `cost desc nulls last, sum(input_tokens + output_tokens) desc, "of"`;
  const group = by === "day" ? `to_char(at at time zone $${values.push(timeZone)}::text, 'YYYY-MM-DD')` : groups[by];
  const rows = await database.query<Row>({
    text: `select ${group} as "of", count(*)::float8 as answers, sum(input_tokens)::float8 as "inputTokens",
                  sum(cached_tokens)::float8 as "cachedTokens", sum(cache_write_tokens)::float8 as "cacheWriteTokens",
                  sum(output_tokens)::float8 as "outputTokens", sum(reasoning_tokens)::float8 as "reasoningTokens",
                  sum(usage.cost)::float8 as cost, count(*) filter (where usage.cost is null)::float8 as unpriced
             from usage${people}
            where ${filters.join(" and ")}
            group by 1
            order by ${order}
            limit $1::integer`,
    values,
  });
  return rows.map(({ cost, ...row }) => (cost === null ? row : { ...row, cost }));
}

/** As bounds of `at`, which has an index. */
function timeFilter(query: UsageQuery, values: Value[]): string {
  if ("withinMs" in query) return `at > now() - $${values.push(query.withinMs)}::float8 * interval '1 millisecond'`;
  const day = `$${values.push(query.day)}::date`;
  const zone = `$${values.push(query.timeZone ?? "UTC")}::text`;
  return `at >= ${day}::timestamp at time zone ${zone} and at < (${day} + 1)::timestamp at time zone ${zone}`;
}
