import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  type AccountId,
  brandAs,
  isGatewayError,
  type ProcessId,
  silentLog,
  systemClock,
  type UserId,
} from "@talaria/protocol";
import pg from "pg";
import { readSqlSource } from "../schema/sql-source.ts";
import { createStore } from "../store.ts";
import { askAccess, letIn, pair, removePerson } from "../test-people.ts";
import { accountId, beginTurn, createTestStore, entryOf, eventOf, newWorker, type TestStore } from "../test-store.ts";
import { loadOrCreateKey } from "./key-file.ts";

const unauthorized = (error: unknown) => isGatewayError(error, "unauthorized");
const user = (name: string) => brandAs<UserId>(name);
const account = (name: string) => brandAs<AccountId>(name);

describe("what the store keeps for adapters, people and processes", () => {
  let test: TestStore;
  let client: pg.Client;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  it("gives a new code for an event that was never settled, and none once it was", async () => {
    const { inbox, pairing } = test.store;
    const event = eventOf("asks", "asks");
    const ask = () => askAccess(pairing, { account: accountId, id: "asker", name: "Ada", eventId: event.id });
    const lost = await ask();
    const shown = await ask();
    assert.ok(lost.outcome === "code" && shown.outcome === "code");
    await inbox.settle({ event, outcome: "refused", reason: "pairing_code" });
    assert.deepEqual(await ask(), { outcome: "waiting" }, "a redelivery does not make the shown code void");
    assert.equal(await letIn(pairing, lost.code), undefined);
    const approved = await letIn(pairing, shown.code);
    assert.equal(approved?.userId, "asker");
    await removePerson(pairing, approved!.id);
  });

  it("pairs a person by a code that is shown once, typed carelessly, and used once", async () => {
    const { pairing } = test.store;
    const asked = await askAccess(pairing, { account: accountId, id: "1", name: "Ada" });
    assert.ok(asked.outcome === "code");
    assert.match(asked.code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    assert.equal((await askAccess(pairing, { account: accountId, id: "1", name: "Ada" })).outcome, "waiting");
    assert.equal(await pairing.isApproved(accountId, user("1")), false);
    assert.equal(await letIn(pairing, "0000-0000"), undefined);
    const typed = ` ${asked.code.toLowerCase().replace("-", "").replaceAll("0", "o").replaceAll("1", "l")} `;
    const approvals = await Promise.all([letIn(pairing, typed), letIn(test.open().pairing, typed)]);
    const [approved] = approvals.filter((row) => row !== undefined);
    assert.equal(approvals.filter((row) => row !== undefined).length, 1);
    assert.deepEqual([approved?.userId, approved?.displayName, approved?.state], ["1", "Ada", "approved"]);
    assert.equal(await pairing.isApproved(accountId, user("1")), true);
    assert.equal(await pairing.isApproved(account("other"), user("1")), false);
    assert.equal(await removePerson(pairing, approved!.id), true);
    assert.equal(await pairing.isApproved(accountId, user("1")), false);
    assert.equal(await removePerson(pairing, approved!.id), false);
  });

  it("stores only a hash of the code", async () => {
    const asked = await askAccess(test.store.pairing, { account: "hashed", id: "1", name: "Ada" });
    assert.ok(asked.outcome === "code");
    const { rows } = await client.query("select pairing::text as row from talaria.pairing where account_id = 'hashed'");
    assert.equal(rows[0].row.includes(asked.code.replace("-", "")), false);
  });

  it("lets twenty people wait per account, however many ask at once", async () => {
    const other = test.open();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        askAccess((index % 2 ? other : test.store).pairing, { account: "crowd", id: `${index % 50}` }),
      ),
    );
    const codes = answers.flatMap((answer) => (answer.outcome === "code" ? [answer.code] : []));
    assert.equal(codes.length, 20);
    assert.equal(new Set(codes).size, 20);
    assert.equal((await askAccess(test.store.pairing, { account: "calm", id: "1", name: "Ada" })).outcome, "code");
  });

  it("makes one request of an account wait for the one before", async () => {
    const { pairing } = test.store;
    for (let n = 0; n < 19; n++) await askAccess(pairing, { account: "queue", id: `${n}`, name: "Eve" });
    await client.query("begin");
    await client.query(`set local search_path = ${readSqlSource().functions.schema}, talaria`);
    const who = { id: "x", accountId: "queue", userId: "twentieth", displayName: "Eve", eventId: "asks" };
    const call = { ...who, codeHash: "00", validMs: 60_000, noticeMs: 60_000, maxWaiting: 20 };
    await client.query("select request_pairing($1)", [JSON.stringify(call)]);
    const answered: string[] = [];
    const last = askAccess(pairing, { account: "queue", id: "last" }).then(({ outcome }) => answered.push(outcome));
    await untilSomebodyWaits(client);
    assert.deepEqual(answered, []);
    await client.query("commit");
    await last;
    assert.deepEqual(answered, ["full"]);
  });

  it("takes a code for ten minutes, and tells its person once more that they wait, and nothing else for a day", async () => {
    const { pairing } = test.store;
    const ask = () => askAccess(pairing, { account: "slow", id: "1", name: "Ada" });
    const passes = (interval: string) =>
      client.query(
        `update talaria.pairing set expires_at = expires_at - $1::interval, created_at = created_at - $1::interval
          where account_id = 'slow' returning expires_at - created_at as valid`,
        [interval],
      );
    const asked = await ask();
    assert.ok(asked.outcome === "code");
    const { rows } = await passes("9 minutes 50 seconds");
    assert.equal(rows[0].valid.minutes ?? 0, rows[0].valid.seconds ? 9 : 10);
    assert.deepEqual(await ask(), { outcome: "waiting", tells: true });
    await passes("20 seconds");
    assert.equal(await letIn(pairing, asked.code), undefined);
    assert.deepEqual(await ask(), { outcome: "waiting" });
    assert.equal((await pairing.list()).filter((row) => row.accountId === account("slow")).length, 1);
    await passes("23 hours 45 minutes");
    assert.deepEqual(await ask(), { outcome: "waiting" });
    await passes("10 minutes");
    assert.equal((await ask()).outcome, "code");
  });

  it("lets an operator approve a request by its id when its code has expired", async () => {
    const { pairing } = test.store;
    await askAccess(pairing, { account: "late", id: "1", name: "Ada" });
    await client.query("update talaria.pairing set expires_at = clock_timestamp() where account_id = 'late'");
    const [waiting] = (await pairing.list()).filter((row) => row.accountId === account("late"));
    assert.equal((await letIn(pairing, waiting!.id))?.state, "approved");
    assert.equal(await pairing.isApproved(account("late"), user("1")), true);
    assert.equal(await letIn(pairing, waiting!.id), undefined);
  });

  it("gives the next twenty their codes when those before have expired", async () => {
    const { pairing } = test.store;
    for (let n = 0; n < 20; n += 1) await askAccess(pairing, { account: "full", id: `${n}`, name: "Eve" });
    const ask = () => askAccess(pairing, { account: "full", id: "ada", name: "Ada" });
    assert.equal((await ask()).outcome, "full");
    await client.query("update talaria.pairing set expires_at = clock_timestamp() where account_id = 'full'");
    assert.equal((await ask()).outcome, "code");
  });

  it("ends the running turn of a person who is removed, and drops what waits and what they agreed to, and nobody else's", async () => {
    const { pairing, turns, inbox } = test.store;
    const worker = await newWorker(test.store);
    const sessions = ["of the revoked", "of another"];
    for (const [index, session] of sessions.entries()) {
      const entry = entryOf(`asks ${session}`, session);
      const sender = { ...entry.event.sender, userId: user(`person ${index}`) };
      await inbox.record({ ...entry, event: { ...entry.event, sender } });
    }
    const mine = await beginTurn(test.store, "of the revoked", worker);
    const other = await beginTurn(test.store, "of another", worker);
    const approved = await pair(pairing, { account: accountId, id: "person 0" });
    const given = [
      ["as a member", accountId, "person 0", "member"],
      ["as an owner", accountId, "person 0", "owner"],
      ["elsewhere", account("elsewhere"), "person 0", "member"],
      ["by another", accountId, "person 1", "member"],
    ];
    for (const [id, at, userId, role] of given)
      await client.query(
        `insert into talaria.call_grant (id, scope, session_key, account_id, covers, terms, given_by, by_role)
         values ($1, 'session', 's', $2, '', '{}', jsonb_build_object('userId', $3::text), $4)`,
        [id, at, userId, role],
      );
    await removePerson(pairing, approved.id);
    const { rows } = await client.query("delete from talaria.call_grant returning id");
    assert.deepEqual(rows.map(({ id }) => id).sort(), ["as an owner", "by another", "elsewhere"]);
    assert.equal(await turns.cancelled(mine.lease, 1), "stopped");
    assert.equal(await turns.cancelled(other.lease, 1), undefined);
    await test.store.processes.retire(worker);
  });

  it("encrypts what adapters remember, bound to account and name", async () => {
    const { adapterState } = test.store;
    await adapterState.write(accountId, "token", "secret \0 ✓");
    await adapterState.write(accountId, "other", "else");
    assert.equal(await adapterState.read(accountId, "token"), "secret \0 ✓");
    await adapterState.write(accountId, "token", "newer secret");
    assert.equal(await adapterState.read(accountId, "token"), "newer secret");
    assert.equal(await adapterState.read(accountId, "missing"), undefined);
    const { rows } = await client.query("select value from talaria.adapter_state where name = 'token'");
    assert.equal(rows[0].value.includes("secret"), false);
    await client.query(
      "update talaria.adapter_state set value = (select value from talaria.adapter_state where name = 'token') where name = 'other'",
    );
    await assert.rejects(adapterState.read(accountId, "other"), unauthorized);
    await adapterState.remove(accountId, "token");
    assert.equal(await adapterState.read(accountId, "token"), undefined);
  });

  it("says so when the key is another one or missing", async () => {
    await test.store.adapterState.write(accountId, "kept", "value");
    const options = { url: test.url, log: silentLog, clock: systemClock, maxConnections: 1 };
    for (const store of [createStore({ ...options, secretKey: new Uint8Array(32) }), createStore(options)]) {
      await assert.rejects(store.adapterState.read(accountId, "kept"), unauthorized);
      await store.close();
    }
  });

  it("makes one key file for many starters, private, and refuses one that others may read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "talaria-key-"));
    try {
      const file = join(folder, "key");
      const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateKey(file)));
      for (const key of keys) assert.deepEqual(Buffer.from(key), await readFile(file));
      assert.equal(keys[0]?.length, 32);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      await chmod(file, 0o640);
      await assert.rejects(loadOrCreateKey(file), unauthorized);
      await chmod(file, 0o600);
      await writeFile(file, "short");
      await assert.rejects(loadOrCreateKey(file), (error) => isGatewayError(error, "invalid_request"));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("lists living processes with what they report, and tells one that it was thought dead", async () => {
    const { processes } = test.store;
    const [lively, sleepy] = [brandAs<ProcessId>("lively"), brandAs<ProcessId>("sleepy")];
    await processes.register({ id: lively, kind: "gateway", host: "h", pid: 7 }, 60_000);
    await processes.register({ id: sleepy, kind: "worker", host: "h", pid: 8 }, 30);
    assert.equal(await processes.renew(lively, 60_000, { turns: 3 }), true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await processes.renew(sleepy, 60_000, {}), false);
    const rows = await processes.list();
    assert.deepEqual(
      rows.map(({ id, kind, pid, stats }) => [id, kind, pid, stats]),
      [["lively", "gateway", 7, { turns: 3 }]],
    );
    await processes.retire(lively);
    assert.deepEqual(await processes.list(), []);
  });
});

/** Resolves once another connection waits for a lock. */
async function untilSomebodyWaits(client: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const { rows } = await client.query(
      "select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())",
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail("nobody waits");
}
