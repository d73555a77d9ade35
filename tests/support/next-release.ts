import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const schemaFolder = join(import.meta.dirname, "../../packages/store/src/schema");

const migrations = readdirSync(schemaFolder)
  .filter((name) => name.endsWith(".sql"))
  .sort();

/** The version of the tables that this release makes. */
export const presentVersion = migrations.length;

/** Above the number of the last, which is not its version where one was left out. */
const nextNumber = Number.parseInt(migrations.at(-1) ?? "", 10) + 1;

/**
 * Turns a copy of `packages/store/src` into the SQL of a next release: one more migration, which adds columns and the table
 * `next_note`, which its workers may write, and a changed function that fills one of the columns. Afterwards `inbox.recorded_by` is "next" for each event that the next release recorded,
 * and `turn.begun_by` is the schema of the functions that began the turn.
 *
 * `readableBy`: the oldest version whose release can work with the database; `presentVersion` is this one, the next keeps it out.
 */
export async function writeNextRelease(folder: string, readableBy: number): Promise<void> {
  await writeFile(
    join(folder, "schema", `${String(nextNumber).padStart(4, "0")}-next.sql`),
    `-- readable by: ${readableBy}

alter table inbox add column recorded_by text;
alter table turn add column begun_by text;
create table next_note (n integer);
alter table turn alter column begun_by set default split_part(current_setting('search_path'), ',', 1);
`,
  );
  const file = join(folder, "inbox", "record-events.sql");
  const text = await readFile(file, "utf8");
  const changed = text
    .replace("body, route, recorded_at)", "body, route, recorded_at, recorded_by)")
    .replace(
      "body, route, recorded\n      from numbered join touched",
      "body, route, recorded, 'next'\n      from numbered join touched",
    );
  if (changed.length !== text.length + ", recorded_by".length + ", 'next'".length)
    throw new Error(`${file} no longer contains the lines that this changes`);
  await writeFile(file, changed);
}

/** Lets the workers of a next release write its new table. `folder` is a copy of `packages/store/src` with its code. */
export async function grantNextTable(folder: string): Promise<void> {
  const file = join(folder, "schema", "roles.ts");
  const text = await readFile(file, "utf8");
  const changed = text.replace(
    '  ["select, insert", "entry, skill_use"],',
    '  ["select, insert", "entry, skill_use, next_note"],',
  );
  if (changed === text) throw new Error(`${file} no longer contains the line that this changes`);
  await writeFile(file, changed);
}
