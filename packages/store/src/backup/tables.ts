import type pg from "pg";
import { schema } from "../database/connection-config.ts";

/** What each installation makes for itself: migrations are applied, functions installed, and processes enter anew. */
const ownOfEach = ["migration", "function_set", "process"];

export interface CopiedTable {
  readonly name: string;
  /** In the order of the copied rows, without those that the database computes. */
  readonly columns: readonly string[];
}

/** The tables that a backup holds, those that others refer to first. Throws when they refer to each other in a circle. */
export async function tablesToCopy(client: pg.Client): Promise<readonly CopiedTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(
    `select c.relname as name,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       array(select r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
         where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid) as needs
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' and c.relname <> all($2)
     order by c.relname`,
    [schema, ownOfEach],
  );
  const sorted: CopiedTable[] = [];
  const done = new Set<string>();
  while (sorted.length < rows.length) {
    const ready = rows.filter(({ name, needs }) => !done.has(name) && needs.every((other) => done.has(other)));
    if (ready.length === 0) throw new Error("tables refer to each other in a circle");
    for (const { name, columns } of ready) {
      done.add(name);
      sorted.push({ name, columns });
    }
  }
  return sorted;
}

/** A table with its columns, for `copy`. */
export function tableText(client: pg.Client, { name, columns }: CopiedTable): string {
  const quoted = columns.map((column) => client.escapeIdentifier(column)).join(", ");
  return `${schema}.${client.escapeIdentifier(name)} (${quoted})`;
}
