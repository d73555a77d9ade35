import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { brandAs, type GrantScope, type Role, type UserId } from "@talaria/protocol";
import pg from "pg";
import type { SessionEffect } from "../ports/inbox.ts";
import { pair, removePerson } from "../test-people.ts";
import {
  accountId,
  beginTurn,
  completeTurn,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newWorker,
  type TestStore,
} from "../test-store.ts";

describe("processes in the background", () => {
  let test: TestStore;
  let client: pg.Client;
  let session: string;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    session = randomUUID();
  });

  /** A process that a turn of Ada's has begun. Her turn runs on. */
  async function begun(role: Role = "member", covers: readonly string[] = ["npm start"]) {
    const { store } = test;
    await store.inbox.record(entryOf(randomUUID(), session));
    const turn = await beginTurn(store, session, await newWorker(store));
    const { sender } = eventOf("any", session);
    const process = { command: "npm start", hosts: ["example.org"], covers, askers: [{ sender, role }] };
    const begin = () =>
      store.background.begin(turn.lease, turn.start.turnId, { ...process, route: conversationOf(session) });
    const id = await begin();
    assert.ok(id);
    const { holder } = turn.lease;
    return { id, begin, turn, holder, toEnd: async () => (await store.background.toEnd(holder)).map((one) => one.id) };
  }

  async function settle(effect: SessionEffect) {
    const event = eventOf(randomUUID(), session);
    return await test.store.inbox.settle({ event, outcome: "command", reason: "command:any", effect });
  }

  async function agreed(scope: GrantScope, target: string): Promise<string> {
    const id = randomUUID().slice(0, 8);
    const by = JSON.stringify(eventOf("any", session).sender);
    const terms = JSON.stringify({ patterns: [{ permission: "exec", target }] });
    await client.query(
      `insert into call_grant (id, scope, session_key, account_id, covers, terms, given_by, by_role)
       values ($1, $2, $3, $4, 'all', $5, $6, 'member')`,
      [id, scope, keyOf(session), accountId, terms, by],
    );
    return id;
  }

  const here = async () => (await test.store.background.running(keyOf(session))).map(({ id }) => id);

  it("are listed while they run and their worker lives, in their session and among all", async () => {
    const { id, holder } = await begun();
    const [row] = await test.store.background.running(keyOf(session));
    assert.deepEqual([row?.id, row?.command, row?.hosts, row?.heldBy], [id, "npm start", ["example.org"], holder]);
    assert.ok((await test.store.background.running()).some((one) => one.id === id));
    assert.ok((await test.store.background.counts()).some((one) => one.accountId === accountId && one.processes > 0));
    await test.store.background.ended(holder, [id]);
    assert.deepEqual(await here(), []);
    const other = await begun2();
    assert.deepEqual(await here(), [other.id]);
    await test.store.processes.retire(other.holder);
    assert.deepEqual(await here(), []);
  });

  /** Another one, in a session of its own. */
  async function begun2() {
    session = randomUUID();
    return await begun();
  }

  it("don't start once somebody has ended their turn", async () => {
    const { begin, id } = await begun();
    await settle({ kind: "stop", sessionKey: keyOf(session) });
    assert.equal(await begin(), undefined);
    assert.deepEqual(await here(), [id]);
  });

  it("belong to the worker that has the session: another one's lease begins nothing", async () => {
    const { turn } = await begun();
    const process = { command: "x", hosts: [], covers: [], askers: [], route: conversationOf(session) };
    const lost = { ...turn.lease, fence: turn.lease.fence - 1 };
    await assert.rejects(test.store.background.begin(lost, turn.start.turnId, process), { code: "conflict" });
  });

  it("end by their number, and by that of no other session", async () => {
    const { id, toEnd, holder } = await begun();
    const elsewhere = await settle({ kind: "end_background", sessionKey: keyOf("other"), ids: [id], why: "told" });
    assert.ok(elsewhere.outcome === "settled" && !elsewhere.applied);
    assert.deepEqual(await toEnd(), []);
    const settled = await settle({ kind: "end_background", sessionKey: keyOf(session), ids: [id], why: "told" });
    assert.ok(settled.outcome === "settled" && settled.applied);
    assert.ok(settled.ended?.some((one) => one.holder === holder && one.sessionKey === keyOf(session)));
    assert.deepEqual(await test.store.background.toEnd(holder), [{ id, reason: "told" }]);
    assert.deepEqual(await here(), []);
  });

  it("outlive a stop and a reset, unless these are for everything", async () => {
    const { id, turn, toEnd } = await begun();
    await completeTurn(test.store, turn);
    await settle({ kind: "stop", sessionKey: keyOf(session) });
    await settle({ kind: "reset", sessionKey: keyOf(session) });
    assert.deepEqual([await here(), await toEnd()], [[id], []]);
    const settled = await settle({ kind: "stop", sessionKey: keyOf(session), why: "told" });
    assert.ok(settled.outcome === "settled" && settled.applied);
    assert.deepEqual([await here(), await toEnd()], [[], [id]]);
  });

  it("end with their turn or conversation where they were let go, since nobody would be told how they end", async () => {
    const stops: Record<string, (turn: Awaited<ReturnType<typeof begun>>["turn"]) => Promise<unknown>> = {
      stop: () => settle({ kind: "stop", sessionKey: keyOf(session) }),
      reset: () => settle({ kind: "reset", sessionKey: keyOf(session) }),
      "the turn's own end": ({ lease, start: { turnId } }) =>
        test.store.turns.commit(lease, { turnId, outcome: "aborted", entries: [], outbox: [], usage: {} }),
    };
    for (const [name, stop] of Object.entries(stops)) {
      session = randomUUID();
      const { id, turn, toEnd } = await begun();
      const process = { command: "reading https://example.org/", hosts: [], covers: [], askers: [] };
      const more = { route: conversationOf(session), isLetGo: true, ranMs: 3_600_000 } as const;
      const letGo = await test.store.background.begin(turn.lease, turn.start.turnId, { ...process, ...more });
      const rows = await test.store.background.running(keyOf(session));
      assert.deepEqual(
        rows.map((row) => [row.id, row.isLetGo]),
        [
          [id, false],
          [letGo, true],
        ],
      );
      const [first, second] = rows.map(({ startedAt }) => Date.parse(startedAt));
      assert.ok((first ?? 0) - (second ?? 0) > 3_000_000, "it has run before");
      await stop(turn);
      assert.deepEqual([await here(), await toEnd()], [[id], [letGo]], name);
    }
  });

  it("end with a shell that nobody lists, by what ends all, and with the right of whoever asked", async () => {
    const userId = brandAs<UserId>("42");
    const ends = {
      all: () => settle({ kind: "stop", sessionKey: keyOf(session), why: "told" }),
      right: () => test.store.rights.weaken({ accountId, userId, role: "guest", lost: ["member"] }),
    };
    for (const end of Object.values(ends)) {
      session = randomUUID();
      const { id, turn, toEnd } = await begun();
      const { sender } = eventOf("any", session);
      const askers = [{ sender, role: "member" }] as const;
      const row = { command: "the shell", hosts: [], covers: [], askers, route: conversationOf(session) };
      const shell = await test.store.background.begin(turn.lease, turn.start.turnId, { ...row, isShell: true });
      await completeTurn(test.store, turn);
      await settle({ kind: "stop", sessionKey: keyOf(session) });
      assert.deepEqual([await here(), await toEnd()], [[id], []]);
      await end();
      assert.deepEqual(new Set(await toEnd()), new Set([id, shell]));
    }
  });

  it("go on in a new conversation, but for the shell of the former one", async () => {
    const { id, turn, toEnd } = await begun();
    const row = { command: "the shell", hosts: [], covers: [], askers: [], route: conversationOf(session) };
    const shell = await test.store.background.begin(turn.lease, turn.start.turnId, { ...row, isShell: true });
    await completeTurn(test.store, turn);
    await settle({ kind: "reset", sessionKey: keyOf(session) });
    assert.deepEqual([await here(), await toEnd()], [[id], [shell]]);
  });

  it("end with the agreement that they were started under", async () => {
    const { id, toEnd } = await begun("member", ["npm start", "https://example.org"]);
    const other = await agreed("session", "npm test");
    const own = await agreed("session", "https://example.org");
    await settle({ kind: "revoke", sessionKey: keyOf(session), id: other });
    assert.deepEqual(await toEnd(), []);
    await settle({ kind: "revoke", sessionKey: keyOf(session), id: own });
    assert.deepEqual(await toEnd(), [id]);
  });

  it("end with an agreement of their account that its giver may give no more", async () => {
    const { id, toEnd } = await begun();
    await test.store.calls.removeGrant(await agreed("always", "npm start"));
    assert.deepEqual(await toEnd(), [id]);
  });

  it("end with a new conversation where they were agreed to for the old one", async () => {
    const { id, toEnd } = await begun();
    await agreed("session", "npm start");
    const settled = await settle({ kind: "reset", sessionKey: keyOf(session) });
    assert.deepEqual(await toEnd(), [id]);
    assert.ok(settled.outcome === "settled" && settled.ended?.some((one) => one.sessionKey === keyOf(session)));
  });

  it("end with the role of whoever asked, and with no other", async () => {
    const userId = brandAs<UserId>("42");
    const { id, turn, holder, toEnd } = await begun("owner");
    await completeTurn(test.store, turn);
    await test.store.rights.weaken({ accountId, userId, role: "guest", lost: ["member"] });
    assert.deepEqual(await toEnd(), []);
    assert.ok((await test.store.rights.atWork()).some((one) => one.role === "owner" && one.sender.userId === userId));
    const ended = await test.store.rights.weaken({ accountId, userId, role: "guest", lost: ["owner"] });
    assert.ok(ended.some((one) => one.sessionKey === keyOf(session) && one.holder === holder));
    assert.deepEqual(await toEnd(), [id]);
  });

  it("end where nobody may write any more", async () => {
    const { id, turn, holder, toEnd } = await begun("guest");
    await completeTurn(test.store, turn);
    const { conversationId } = conversationOf(session);
    const ended = await test.store.rights.shut(accountId, conversationId);
    assert.deepEqual(ended, [{ sessionKey: keyOf(session), holder }]);
    assert.deepEqual(await toEnd(), [id]);
  });

  it("end when the pairing of whoever asked is taken back", async () => {
    const userId = brandAs<UserId>("42");
    const { id, turn, toEnd } = await begun("guest");
    await completeTurn(test.store, turn);
    const row = await pair(test.store.pairing, { account: accountId, id: userId });
    assert.deepEqual(await toEnd(), []);
    assert.ok(await removePerson(test.store.pairing, row.id));
    assert.deepEqual(await toEnd(), [id]);
  });

  it("are forgotten an hour after their worker has gone", async () => {
    const { holder } = await begun();
    await test.store.processes.retire(holder);
    await client.query(
      "update background_process set started_at = started_at - interval '2 hours' where held_by = $1",
      [holder],
    );
    await test.store.operations.prune(30, new AbortController().signal);
    const { rows } = await client.query("select id from background_process where held_by = $1", [holder]);
    assert.deepEqual(rows, []);
  });
});
