import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  brandAs,
  type Conversation,
  type ConversationId,
  type ProcessId,
  type Role,
  type SessionKey,
  type UserId,
} from "@talaria/protocol";
import pg from "pg";
import { pair, removePerson } from "../test-people.ts";
import {
  accountId,
  beginTurn,
  completeTurn,
  createTestStore,
  entryOf,
  limits,
  newWorker,
  type TestStore,
} from "../test-store.ts";

const userId = brandAs<UserId>("ada");

describe("work of somebody who has lost rights", () => {
  let test: TestStore;
  let client: pg.Client;
  let worker: ProcessId;
  before(async () => {
    test = await createTestStore();
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
    worker = await newWorker(test.store);
  });
  after(async () => {
    await client.end();
    await test[Symbol.asyncDispose]();
  });

  async function say(id: string, session: string, role: Role, by: UserId = userId): Promise<void> {
    const entry = entryOf(id, session);
    const sender = { ...entry.event.sender, userId: by };
    await test.store.inbox.record({ ...entry, event: { ...entry.event, sender }, role });
  }

  /** As a call that waits: of a turn that has ended meanwhile, such as a process that tells its end. */
  async function waitingCall(id: string, session: string, role: Role, by: UserId = userId): Promise<void> {
    await say(`before ${id}`, session, "guest", by);
    await client.query(
      `insert into talaria.open_call (id, session_key, turn_id, call_id, name, arguments, waits_for, shown, askers, route, expires_at)
       values ($1, $2, $1, $1, 'terminal', '{}', 'process', '', $3, $4, clock_timestamp() + interval '1 hour')`,
      [
        id,
        `acct/${session}`,
        JSON.stringify([{ sender: { userId: by, role: "person", assurance: "platform" }, role }]),
        JSON.stringify({ accountId, platform: "loopback", conversationId: session, kind: "direct" }),
      ],
    );
  }

  async function giveUp(key: string): Promise<void> {
    await client.query("update talaria.inbox set reason = 'set_aside' where session_key = $1", [key]);
    await client.query("update talaria.session set set_aside_at = clock_timestamp() where session_key = $1", [key]);
  }

  const settlementOf = async (id: string) =>
    (await client.query("select settlement from talaria.open_call where id = $1", [id])).rows[0]?.settlement;

  it("is found once for each role and place, whether it runs or waits, those with rights first", async () => {
    await say("runs", "a", "owner");
    await beginTurn(test.store, "a", worker);
    await say("waits", "b", "member");
    await say("a guest's", "c", "guest", brandAs<UserId>("eve"));
    await waitingCall("00000001", "d", "owner");
    const found = await test.store.rights.atWork();
    const shown = found.map(({ sender, role }) => `${sender.userId} ${role}`);
    assert.deepEqual(shown.slice(0, 3).sort(), ["ada member", "ada owner", "ada owner"]);
    assert.deepEqual(shown.slice(3).sort(), ["ada guest", "eve guest"]);
  });

  it("is read with what a route may use by now, and ends what runs with more", async () => {
    const { rights, turns, inbox } = test.store;
    const hook = brandAs<UserId>("hook");
    const mandate = { owner: "loopback:user:ada", toolsets: ["web", "terminal", "files"] };
    const post = async (id: string, session: string) => {
      const entry = entryOf(id, session);
      const sender = { ...entry.event.sender, userId: hook, role: "system", assurance: "signed", mandate } as const;
      await inbox.record({ ...entry, event: { ...entry.event, sender }, role: "owner" });
    };
    await post("posted first", "hooked");
    const { lease } = await beginTurn(test.store, "hooked", worker);
    await post("posted later", "unread");
    const found = await rights.atWork();
    assert.deepEqual(found.filter(({ sender }) => sender.userId === hook).length, 2);
    const now = { owner: mandate.owner, toolsets: ["files", "browser", "web"] };
    await rights.weaken({ accountId, userId: hook, role: "owner", lost: ["owner"], mandate: now });
    assert.equal(await turns.cancelled(lease, 1), "stopped");
    const claimed = await turns.claim(brandAs<SessionKey>("acct/unread"), worker, limits);
    assert.deepEqual(claimed?.pending[0]?.event.sender.mandate, { owner: mandate.owner, toolsets: ["web", "files"] });
    assert.equal(claimed?.pending[0]?.role, "owner");
  });

  it("ends, and words that wait are read with the role of now; that of others goes on", async () => {
    const { turns, rights, inbox } = test.store;
    await say("owner's", "mine", "owner");
    await say("another's", "theirs", "owner", brandAs<UserId>("bob"));
    const mine = await beginTurn(test.store, "mine", worker);
    const theirs = await beginTurn(test.store, "theirs", worker);
    await say("later", "quiet", "owner");
    await waitingCall("00000002", "process", "owner");
    await waitingCall("00000003", "process of a member", "member");
    await waitingCall("00000004", "process of another", "owner", brandAs<UserId>("bob"));
    const ended = await rights.weaken({ accountId, userId, role: "member", lost: ["owner"] });
    assert.deepEqual(
      ended.filter(({ sessionKey }) => ["acct/mine", "acct/theirs"].includes(sessionKey)),
      [{ sessionKey: "acct/mine", holder: worker }],
      "who runs it can be told at once",
    );
    assert.equal(await turns.cancelled(mine.lease, 1), "stopped");
    assert.equal(await turns.cancelled(theirs.lease, 1), undefined);
    assert.deepEqual(
      [await settlementOf("00000002"), await settlementOf("00000003"), await settlementOf("00000004")],
      ["cancelled", null, null],
    );
    const { rows } = await client.query("select role from talaria.inbox where session_key = 'acct/quiet'");
    assert.deepEqual(rows, [{ role: "member" }]);
    assert.equal((await inbox.record(entryOf("again", "quiet"))).outcome, "recorded", "the conversation goes on");
  });

  it("comes back with the role of now where it was given up and an operator lets it try again", async () => {
    await say("given up", "aside", "owner");
    await giveUp("acct/aside");
    assert.ok((await test.store.rights.atWork()).some(({ role }) => role === "owner"));
    await test.store.rights.weaken({ accountId, userId, role: "guest", lost: ["owner", "member"] });
    const { rows } = await client.query("select role from talaria.inbox where session_key = 'acct/aside'");
    assert.deepEqual(rows, [{ role: "guest" }]);
  });

  it("ends in a conversation where nobody may write any more, and does not come back there", async () => {
    const { operations, rights, turns } = test.store;
    await say("there", "shut", "guest");
    await say("elsewhere", "open", "guest");
    await say("given up there", "shut aside", "guest");
    await giveUp("acct/shut aside");
    const shut = await beginTurn(test.store, "shut", worker);
    const open = await beginTurn(test.store, "open", worker);
    for (const session of ["shut", "shut aside"])
      assert.deepEqual(
        await rights.shut(accountId, entryOf("", session).event.conversation.conversationId),
        session === "shut" ? [{ sessionKey: `acct/${session}`, holder: worker }] : [{ sessionKey: `acct/${session}` }],
      );
    assert.equal(await turns.cancelled(shut.lease, 1), "stopped");
    assert.equal(await turns.cancelled(open.lease, 1), undefined);
    assert.equal(await operations.retrySetAside(brandAs<SessionKey>("acct/shut aside")), 0);
  });

  describe("of a room that has a third person now", () => {
    const roomOf = (conversation: string, kind: "direct" | "group"): Conversation => ({
      accountId,
      platform: "matrix",
      conversationId: brandAs<ConversationId>(conversation),
      kind,
    });
    const became = (conversation: string, kind: "direct" | "group") =>
      test.store.rights.endFormerKind(roomOf(conversation, kind), { markdown: `${kind} now` });
    const notices = async (conversation: string) =>
      (await client.query("select body from talaria.outbox where conversation_id = $1", [conversation])).rows.map(
        ({ body }) => `${body.kind} ${body.conversation.kind} ${body.markdown}`,
      );

    it("ends: turns, calls that wait, words that wait and what was given up; one line says it once", async () => {
      const { turns } = test.store;
      await say("runs in private", "room", "owner");
      const running = await beginTurn(test.store, "room", worker);
      await say("queued", "room", "owner");
      await waitingCall("00000010", "room/t/thread", "owner");
      await say("given up in private", "room/u/ada", "owner");
      await giveUp("acct/room/u/ada");
      const ended = await became("room", "group");
      assert.deepEqual(ended, [
        { sessionKey: "acct/room", holder: worker },
        { sessionKey: "acct/room/t/thread" },
        { sessionKey: "acct/room/u/ada" },
      ]);
      assert.equal(await turns.cancelled(running.lease, 1), "stopped");
      assert.equal(await settlementOf("00000010"), "cancelled");
      assert.equal(await test.store.operations.retrySetAside(brandAs<SessionKey>("acct/room/u/ada")), 0);
      assert.deepEqual(await became("room", "group"), [], "the turn that still stops is no news");
      assert.deepEqual(await notices("room"), ["notice group group now"]);
    });

    it("goes on where the kind is the same, in other rooms, and where a conversation keeps its kind", async () => {
      for (const [n, session] of ["lone/g", "lone/g/t/x", "lon", "lone-2", "lone!", "lone0"].entries())
        await waitingCall(`0000002${n}`, session, "owner");
      assert.deepEqual(await became("lone", "group"), []);
      assert.deepEqual(await notices("lone"), []);
      const slack = { ...roomOf("lon", "group"), platform: "slack" as const };
      assert.deepEqual(await test.store.rights.endFormerKind(slack, { markdown: "" }), []);
      const back = await became("lone", "direct");
      assert.deepEqual(
        back.map(({ sessionKey }) => sessionKey),
        ["acct/lone/g", "acct/lone/g/t/x"],
      );
      assert.deepEqual(await notices("lone"), ["notice direct direct now"]);
    });

    it("is no home any more, and a call that a stopped turn made before it heard of that waits for nobody", async () => {
      const set = (place: string) =>
        client.query("insert into talaria.home_conversation values ($1, $2, $3)", [
          accountId,
          place,
          roomOf(place, "direct"),
        ]);
      await set("home");
      await set("another");
      await say("asks at home", "home", "owner");
      const turn = await beginTurn(test.store, "home", worker);
      await became("home", "group");
      await client.query(
        `insert into talaria.open_call (id, session_key, turn_id, call_id, name, arguments, waits_for, shown, askers, route, expires_at)
         values ('00000030', 'acct/home', $1, 'c', 'process', '{}', 'process', '', '[]', '{}', clock_timestamp() + interval '1 hour')`,
        [turn.start.turnId],
      );
      await completeTurn(test.store, turn);
      assert.equal(await settlementOf("00000030"), "cancelled");
      const homes = await test.store.calls.homes();
      assert.deepEqual(
        homes.map(({ userId: of }) => of),
        ["another"],
      );
    });
  });

  it("ends with a pairing that is taken back, also where a process was to tell its end", async () => {
    const { pairing } = test.store;
    const approved = await pair(pairing, { account: accountId, id: userId });
    assert.ok(await removePerson(pairing, approved.id));
    assert.deepEqual([await settlementOf("00000003"), await settlementOf("00000004")], ["cancelled", null]);
  });
});
