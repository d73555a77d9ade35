import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import { isGatewayError } from "@talaria/protocol";
import pg from "pg";
import { connectionConfig, schema } from "../database/connection-config.ts";
import { databaseError } from "../database/database-error.ts";
import { lockId } from "./function-sets.ts";
import { readSqlSource, type SqlSource } from "./sql-source.ts";
import { readApplied, refuseUnreadable } from "./versions.ts";

/** How each kind of process reaches the database. Holds passwords. */
export interface DatabaseRoles {
  /** Owns tables and functions. */
  readonly owner: string;
  /** Reads and writes every table but logins to MCP servers; changes no schema. */
  readonly gateway: string;
  /** Reads and writes what turns need. */
  readonly worker: string;
  /** False: the given role may not create others, and all three are the given one. */
  readonly isOwn: boolean;
}

type Role = "owner" | "gateway" | "worker";

/** What a worker may do. It reads no adapter state, no pairing and nothing overheard that waits, and makes no token. */
const workerGrants: readonly (readonly [string, string])[] = [
  [
    "select, insert, update, delete",
    "process, media, media_chunk, mcp_login, workspace_copy, background_process, fact, fact_call, learned_skill, memory_pass",
  ],
  [
    "select, insert, update",
    "session, memory, turn, spending, outbox, told, attachment, open_call, file_taint, fact_subject, skill_standing",
  ],
  ["select, update", "inbox"],
  ["select, insert", "entry, skill_use"],
  ["insert", "usage"],
  [
    "select",
    "account, chat, chat_line, seen, migration, sent_message, receipt, preview, total, call_grant, home_conversation, owner_place, accepted_skill",
  ],
  ["select, update", "function_set"],
  ["select, update (heard)", "mcp_token"],
];

/** The queue's tables, which `@talaria/queue` makes. */
const queueSchema = "talaria_queue";

const duplicateRole = "42710";
const longestDatabaseName = 50;

/**
 * Makes sure that this database has its own roles, none of them with the rights of a superuser: `<database>_owner` (only
 * when the given role is a superuser), `<database>_gateway` and `<database>_worker`. Their passwords follow from the
 * given one, so that every process with the same address finds them. Repeatable, safe with many callers at once. Throws
 * `unsupported`, and has changed nothing, when this release can't work with the database, and `unavailable` when the server takes no
 * connection now.
 */
export async function createRoles(url: string, source: SqlSource = readSqlSource()): Promise<DatabaseRoles> {
  const given = { owner: url, gateway: url, worker: url, isOwn: false };
  const base = baseOf(url);
  if (base === undefined) return given;
  const made = await connected(url, async (client) => {
    refuseUnreadable(source.migrations, await readApplied(client));
    return await makeRoles(client, base);
  });
  return made !== undefined && (await canAllConnect(made)) ? made : given;
}

/** Undefined where the given role may not create others. */
async function makeRoles(client: pg.Client, base: Base): Promise<DatabaseRoles | undefined> {
  const { rows } = await client.query<Rights>(rightsText, [schema]);
  const [rights] = rows;
  if (rights === undefined || !rights.may_create) return undefined;
  const given = base.url.href;
  const hasOwner = rights.is_superuser && !rights.owns_tables;
  const [owner, gateway, worker] = await Promise.all([
    hasOwner ? urlOf(base, "owner") : given,
    urlOf(base, "gateway"),
    urlOf(base, "worker"),
  ]);
  await client.query("select pg_advisory_lock($1)", [lockId]);
  try {
    for (const address of hasOwner ? [owner, gateway, worker] : [gateway, worker]) await createRole(client, address);
    const [database, name] = [base.database, nameOf(base.database, "owner")].map((text) => pg.escapeIdentifier(text));
    if (hasOwner) await client.query(`grant create, connect on database ${database} to ${name}`);
  } catch (error) {
    // Providers of databases restrict further what their administrators may do.
    if (error instanceof pg.DatabaseError) return undefined;
    throw error;
  }
  return { owner, gateway, worker, isOwn: true };
}

async function canAllConnect({ owner, gateway, worker }: DatabaseRoles): Promise<boolean> {
  return (await Promise.all([owner, gateway, worker].map(canConnect))).every((can) => can);
}

/**
 * Whether the role may: a pooler or the rules of the server may know the given role only. Throws `unavailable` where the server takes
 * nobody now, which says nothing about the role.
 */
async function canConnect(url: string): Promise<boolean> {
  try {
    await connected(url, async () => undefined);
    return true;
  } catch (error) {
    if (isGatewayError(error, "unavailable") && error.effect === "none") throw error;
    return false;
  }
}

/**
 * Lets the roles do what they need on the tables as they are now. Called with the owner's address after each migration by
 * the newest release only: an older one does not know all tables, and would take rights from newer workers.
 */
export async function grantToRoles({ owner, gateway, worker }: DatabaseRoles): Promise<void> {
  const [gatewayName, workerName] = [gateway, worker].map((url) =>
    pg.escapeIdentifier(decodeURIComponent(new URL(url).username)),
  );
  await connected(owner, async (client) => {
    const { rows } = await client.query("select to_regnamespace($1) is not null as found", [queueSchema]);
    const schemas = [schema, ...(rows[0].found === true ? [queueSchema] : [])];
    const statements = [
      `grant usage on schema ${schemas.join(", ")} to ${gatewayName}, ${workerName}`,
      `grant select, insert, update, delete on all tables in schema ${schemas.join(", ")} to ${gatewayName}`,
      `revoke all on ${schema}.mcp_login from ${gatewayName}`,
      `revoke all on all tables in schema ${schema} from ${workerName}`,
      ...workerGrants.map(([rights, tables]) => `grant ${rights} on ${tables} to ${workerName}`),
      ...schemas
        .slice(1)
        .map((queue) => `grant select, insert, update, delete on all tables in schema ${queue} to ${workerName}`),
    ];
    await client.query("select pg_advisory_lock($1)", [lockId]);
    await client.query(`begin; ${statements.join("; ")}; commit`);
  });
}

/**
 * The address for one kind of process, made from the owner's; an address that is such a role's already is used as it is.
 * `isOwn` is false, and the address the given one, when the database has no such role. Throws `unavailable` when the server takes no
 * connection now.
 */
export async function asRole(
  url: string,
  role: "gateway" | "worker",
): Promise<{ readonly url: string; readonly isOwn: boolean }> {
  const base = baseOf(url);
  if (base === undefined) return { url, isOwn: false };
  if (base.user === nameOf(base.database, role)) return { url, isOwn: true };
  const own = await urlOf(base, role);
  return (await canConnect(own)) ? { url: own, isOwn: true } : { url, isOwn: false };
}

interface Rights {
  readonly may_create: boolean;
  readonly is_superuser: boolean;
  /** There are tables already, and they belong to the given role. */
  readonly owns_tables: boolean;
}

const rightsText = `
  select rolsuper or rolcreaterole as may_create, rolsuper as is_superuser,
         coalesce((select nspowner = pg_roles.oid from pg_namespace where nspname = $1), false) as owns_tables
    from pg_roles where rolname = current_user`;

interface Base {
  readonly url: URL;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Undefined for an address from which no passwords can be made, for example one without a password. */
function baseOf(address: string): Base | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const database = decodeURIComponent(url.pathname.slice(1));
  if (user === "" || password === "" || database === "" || database.length > longestDatabaseName) return undefined;
  return { url, user, password, database };
}

function nameOf(database: string, role: Role): string {
  return `${database}_${role}`;
}

const derive = promisify<string, string, number, Buffer>(scrypt);

/** Whoever knows one role's password learns neither another one's nor the given one. */
async function urlOf({ url, password, database }: Base, role: Role): Promise<string> {
  const own = new URL(url);
  own.username = encodeURIComponent(nameOf(database, role));
  own.password = (await derive(password, `talaria database role ${nameOf(database, role)}`, 24)).toString("base64url");
  return own.href;
}

async function createRole(client: pg.Client, address: string): Promise<void> {
  const { username, password } = new URL(address);
  const name = pg.escapeIdentifier(decodeURIComponent(username));
  const rights = `login nocreatedb nocreaterole password ${pg.escapeLiteral(password)}`;
  try {
    await client.query(`create role ${name} ${rights}`);
  } catch (error) {
    if ((error as { code?: string }).code !== duplicateRole) throw error;
    await client.query(`alter role ${name} ${rights}`);
  }
}

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(connectionConfig(url));
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw databaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
