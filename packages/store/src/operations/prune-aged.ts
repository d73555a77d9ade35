import type { Database } from "../database/database.ts";

/** How many rows one statement looks at, which takes some tens of milliseconds. */
const pageRows = 2_000;

/** A table whose rows are deleted once the time `at` is old enough. */
export interface AgedTable {
  readonly table: string;
  /** Must be indexed. */
  readonly at: string;
  /**
   * What else must be true of a row. Subqueries are scalar, so that each row costs one index lookup; with `exists` the
   * planner reads the whole other table.
   */
  readonly deletable: string;
  /** Further deletions in the same statement. They find the deleted rows in `gone`. */
  readonly along?: readonly string[];
}

/** The order matters: a turn goes before its events, and an event before its record in `seen`. */
export const agedTables: readonly AgedTable[] = [
  {
    table: "turn",
    at: "ended_at",
    // A pending text may still replace the preview of its turn.
    deletable: "(select id from outbox where outbox.turn_id = turn.turn_id and state = 'pending' limit 1) is null",
    along: [
      "delete from preview where turn_id = any (array(select turn_id from gone))",
      // What a retry has taken back is not read any more, and must not come back without the row that says so.
      `delete from entry where ctid = any (array(
         select retracted.ctid
           from gone cross join lateral (
             select entry.ctid from entry
              where entry.session_key = gone.session_key and entry.generation = gone.generation
                and entry.turn_id = gone.turn_id
             offset 0) as retracted
          where gone.retracted))`,
    ],
  },
  {
    table: "inbox",
    at: "recorded_at",
    deletable: `(reason is not null or turn_id is not null)
                and (select turn.turn_id from turn where turn.turn_id = inbox.turn_id) is null`,
  },
  {
    table: "seen",
    at: "recorded_at",
    deletable: `(select seq from inbox
                  where inbox.event_id = seen.event_id and inbox.account_id = seen.account_id limit 1) is null`,
  },
  {
    table: "attachment",
    at: "created_at",
    deletable: `(select seq from inbox
                  where inbox.event_id = attachment.event_id and inbox.account_id = attachment.account_id
                  limit 1) is null`,
  },
  { table: "open_call", at: "asked_at", deletable: "settled_at is not null" },
  { table: "call_grant", at: "given_at", deletable: "scope = 'session'" },
  { table: "outbox", at: "settled_at", deletable: "state <> 'pending'" },
  { table: "chat_line", at: "at", deletable: "true" },
  { table: "given_command", at: "at", deletable: "true" },
  { table: "sent_message", at: "sent_at", deletable: "true" },
  { table: "usage", at: "at", deletable: "true" },
  { table: "skill_use", at: "used_at", deletable: "true" },
  { table: "receipt", at: "told_at", deletable: "true" },
];

interface Page {
  readonly looked: number;
  readonly gone: number;
  /** Time, with microseconds, and place of the last row that was looked at. */
  readonly until: string | null;
  readonly place: string | null;
}

/** Returns how many rows were deleted. May be aborted at any moment; the next call starts over. */
export async function pruneAged(
  database: Database,
  table: AgedTable,
  olderThanDays: number,
  signal: AbortSignal,
): Promise<number> {
  const query = { name: `prune_${table.table}`, text: pageText(table) };
  let total = 0;
  let last: Pick<Page, "until" | "place"> = { until: "-infinity", place: "(0,0)" };
  while (!signal.aborted) {
    const values = [last.until, last.place, olderThanDays, pageRows];
    const [page] = await database.query<Page>({ ...query, values });
    if (page === undefined) break;
    total += page.gone;
    if (page.looked < pageRows) break;
    last = page;
  }
  return total;
}

function pageText({ table, at, deletable, along = [] }: AgedTable): string {
  const further = along.map((text, n) => `, also_${n} as (${text})`).join("");
  return `
    with page as materialized (
      select ctid as place, ${at} as at from ${table}
       where ${at} >= $1::timestamptz and (${at} > $1::timestamptz or ctid > $2::tid)
         and ${at} < now() - $3::integer * interval '1 day'
       order by ${at}, ctid
       limit $4
    ), gone as (
      delete from ${table} where ctid = any (array(select place from page)) and ${deletable} returning *
    )${further}
    select count(*)::integer as looked, (select count(*) from gone)::integer as gone,
           (array_agg(at order by at desc, place desc))[1]::text as until,
           (array_agg(place order by at desc, place desc))[1]::text as place
      from page`;
}
