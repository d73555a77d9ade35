import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { brandAs, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { createStore } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { startSystemPostgres, systemPostgresVersion } from "./debian-postgres.ts";
import { FleetProcess } from "./fleet-process.ts";

const run = promisify(execFile);
const version = systemPostgresVersion();
const skip = version === undefined && process.env.CI !== "true" ? "needs PostgreSQL from the system's packages" : false;

it("a dump of a running database, restored elsewhere, goes on where it was", { skip }, async (test) => {
  assert.ok(version, "PostgreSQL from the system's packages is missing");
  await using postgres = await startSystemPostgres(version);
  const folder = await mkdtemp(join(tmpdir(), "talaria-dump-"));
  test.after(() => rm(folder, { recursive: true, force: true }));
  // With a password in it, so that the dump holds the rights of the roles as well.
  const addressOf = (database: string) =>
    postgres.url.replace("talaria@", "talaria:any@").replace(/talaria$/, database);
  const [source, target] = [addressOf("talaria"), addressOf("restored")];
  const migrate = async (url: string) => {
    await using migration = new FleetProcess("migrate", { TALARIA_HOME: folder, DATABASE_URL: url });
    assert.equal(await migration.ended(), 0, migration.output);
  };
  const open = (url: string) => createStore({ url, log: silentLog, clock: systemClock, maxConnections: 1 });
  const event = messageFrom({ text: "before the dump" });
  const { accountId } = event.conversation;
  await migrate(source);
  const store = open(source);
  test.after(() => store.close());
  const sessionKey = brandAs<SessionKey>("dumped");
  await store.inbox.record({ sessionKey, event, route: event.conversation, mode: "queue", role: "member" });

  const dump = join(folder, "talaria.dump");
  await run("pg_dump", ["--format=custom", `--file=${dump}`, source]);
  await run("psql", [source, "-c", "create database restored"]);
  await run("pg_restore", ["--no-owner", "--no-acl", `--dbname=${target}`, dump]);
  await migrate(target);
  const restored = open(target);
  test.after(() => restored.close());
  assert.equal((await restored.inbox.status(accountId, event.id))?.state, "waiting");
  const next = { ...event, id: brandAs<typeof event.id>("after the restore") };
  const recorded = await restored.inbox.record({
    sessionKey,
    event: next,
    route: event.conversation,
    mode: "queue",
    role: "member",
  });
  assert.deepEqual(recorded.outcome === "recorded" && recorded.seq, 2);
});
