import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import { brandAs, type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import pg from "pg";
import { holdLease } from "../processes/held-lease.ts";
import { createStore } from "../store.ts";
import { migrate } from "./migrate.ts";
import { asRole, createRoles, grantToRoles } from "./roles.ts";

describe("the roles of a database", () => {
  let url: string;
  let drop: () => Promise<void>;

  before(async () => {
    ({ url, drop } = await createTestDatabase());
  });
  after(() => drop());

  const userOf = (address: string) => decodeURIComponent(new URL(address).username).replace(/^test_[0-9a-f]+_/, "");

  async function run(address: string, statement: string) {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    try {
      return await client.query(statement);
    } finally {
      await client.end();
    }
  }

  it("are made once, by any number of starters, and each finds the same", async () => {
    const made = await Promise.all([createRoles(url), createRoles(url), createRoles(url)]);
    for (const roles of made) assert.deepEqual(roles, made[0]);
    const [roles] = made;
    assert.ok(roles?.isOwn);
    assert.deepEqual([roles.owner, roles.gateway, roles.worker].map(userOf), ["owner", "gateway", "worker"]);
    assert.deepEqual(await asRole(url, "worker"), { url: roles.worker, isOwn: true });
    assert.deepEqual(await asRole(roles.worker, "worker"), { url: roles.worker, isOwn: true });
  });

  it("get what they need of the tables after each migration, and no more", async () => {
    const roles = await createRoles(url);
    await migrate(roles.owner, silentLog);
    await grantToRoles(roles);
    await grantToRoles(roles);
    await run(roles.worker, "select count(*) from talaria.inbox");
    await run(roles.gateway, "select count(*) from talaria.pairing");
    for (const table of ["adapter_state", "pairing"])
      await assert.rejects(run(roles.worker, `select count(*) from talaria.${table}`), /permission denied/);
    await run(roles.worker, "select count(*) from talaria.mcp_login");
    await run(roles.worker, "delete from talaria.fact");
    await assert.rejects(run(roles.worker, "delete from talaria.fact_subject"), /permission denied/);
    for (const statement of ["select count(*) from", "delete from", "update"])
      await assert.rejects(
        run(roles.worker, `${statement} talaria.usage ${statement === "update" ? "set cost = 0" : ""}`),
        /permission denied/,
      );
    await run(roles.worker, "update talaria.mcp_token set heard = heard");
    for (const change of ["set role = 'owner'", "set digest = ''"])
      await assert.rejects(run(roles.worker, `update talaria.mcp_token ${change}`), /permission denied/);
    await assert.rejects(run(roles.worker, "delete from talaria.mcp_token"), /permission denied/);
    await run(roles.worker, "select count(*) from talaria.accepted_skill");
    const accepts = "insert into talaria.accepted_skill (digest, name) values ('\\x01', 'mine')";
    await assert.rejects(run(roles.worker, accepts), /permission denied/);
    const used = "'s', 't', 'a', 'c', '{}', 1, 0, 0, 1, 0";
    await run(
      roles.worker,
      `insert into talaria.usage (session_key, turn_id, account_id, conversation_id, people, input_tokens, cached_tokens,
                                  cache_write_tokens, output_tokens, reasoning_tokens) values (${used})`,
    );
    await run(roles.gateway, "select count(*) from talaria.usage");
    await assert.rejects(run(roles.gateway, "select count(*) from talaria.mcp_login"), /permission denied/);
    for (const address of [roles.gateway, roles.worker])
      await assert.rejects(run(address, "create table talaria.mine (a int)"), /permission denied/);
  });

  it("let a worker's lease be given up, by whoever keeps it and by the worker that follows", async () => {
    const roles = await createRoles(url);
    const left = async () => (await run(roles.gateway, "select id from talaria.process")).rows;
    const ttlMs = 60_000;
    const worker = (id: string) => ({ id: brandAs<ProcessId>(id), kind: "worker", host: "here", pid: 1 }) as const;
    const watch = { beat: () => undefined, lapsed: () => undefined };
    const held = await holdLease({ url: roles.worker, process: worker("w-1"), ttlMs, stuckAfterMs: ttlMs }, watch);
    const store = createStore({ url: roles.worker, log: silentLog, clock: systemClock, maxConnections: 1 });
    try {
      await store.processes.register(worker("w-2"), ttlMs);
      assert.equal((await left()).length, 2);
      await held.retire();
      await store.processes.retire(brandAs<ProcessId>("w-2"));
      assert.deepEqual(await left(), []);
    } finally {
      await store.close();
    }
  });

  it("are the given one where it may not create others", async () => {
    const roles = await createRoles(url);
    assert.deepEqual(await createRoles(roles.gateway), {
      owner: roles.gateway,
      gateway: roles.gateway,
      worker: roles.gateway,
      isOwn: false,
    });
  });

  it("are the given one where the address has no password to make others from", async () => {
    const bare = new URL(url);
    bare.password = "";
    assert.equal((await createRoles(bare.href)).isOwn, false);
    assert.deepEqual(await asRole(bare.href, "worker"), { url: bare.href, isOwn: false });
  });

  it("are not given up for the shared one because nobody can connect now", async () => {
    await using other = await database();
    const roles = await createRoles(other.url);
    assert.ok(roles.isOwn);
    const worker = pg.escapeIdentifier(decodeURIComponent(new URL(roles.worker).username));
    const full = { code: "unavailable", message: /takes no more connections: .* max_connections/ };
    await run(other.url, `alter role ${worker} connection limit 0`);
    await assert.rejects(createRoles(other.url), full);
    await assert.rejects(asRole(other.url, "worker"), full);
    await run(other.url, `alter role ${worker} connection limit -1`);
    assert.deepEqual(await createRoles(other.url), roles);
    await assert.rejects(asRole("postgres://talaria:secret@127.0.0.1:1/talaria", "worker"), { code: "unavailable" });
  });

  it("are the given one in a database that has none", async () => {
    await using other = await database();
    assert.deepEqual(await asRole(other.url, "worker"), { url: other.url, isOwn: false });
  });
});

async function database() {
  const { url, drop } = await createTestDatabase();
  return { url, [Symbol.asyncDispose]: drop };
}
