import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

export interface Migration {
  readonly version: number;
  readonly name: string;
  /** The oldest version whose releases can work with the tables that this migration leaves behind. */
  readonly readableBy: number;
  readonly checksum: string;
  readonly sql: string;
}

/** All functions of one release, and the schema that is theirs alone: it is named by their digest. */
export interface FunctionSet {
  readonly schema: string;
  readonly sql: string;
}

export interface SqlSource {
  readonly migrations: readonly Migration[];
  readonly functions: FunctionSet;
}

/** This package's own folder: `schema` holds the migrations, every other `.sql` file is functions. */
const ownFolder = join(import.meta.dirname, "..");

/** Reads the SQL of a release. Tests may make a next one by changing a copy of the folder. */
export function readSqlSource(folder: string = ownFolder): SqlSource {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sql"))
    .sort()
    .map((path) => ({ path: path.split(sep).join("/"), sql: readFileSync(join(folder, path), "utf8") }));
  return {
    migrations: files.filter(isMigration).map(({ path, sql }, index) => toMigration(path, sql, index + 1)),
    functions: toFunctionSet(files.filter((file) => !isMigration(file)).map(({ sql }) => sql)),
  };
}

function isMigration({ path }: { readonly path: string }): boolean {
  return path.startsWith("schema/");
}

function toMigration(path: string, sql: string, version: number): Migration {
  const readableBy = Number(/^-- readable by: (\d+)$/m.exec(sql)?.[1]);
  if (!(readableBy >= 1 && readableBy <= version))
    throw new Error(`${path} must say which version can read its tables: "-- readable by: n", n from 1 to ${version}`);
  const name = path.replace(/^schema\/|\.sql$/g, "");
  return { version, name, readableBy, checksum: digestOf(sql), sql };
}

function toFunctionSet(texts: readonly string[]): FunctionSet {
  const sql = texts.join("\n");
  return { schema: `talaria_fn_${digestOf(sql).slice(0, 12)}`, sql };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
