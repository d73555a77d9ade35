import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import {
  type Asker,
  brandAs,
  type GrantScope,
  instantOf,
  type Role,
  silentLog,
  systemClock,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import type { EventFacts } from "@talaria/testkit";
import pg from "pg";
import { Desk, openGroups } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const hourMs = 3_600_000;
const claimLimits = { historyEntries: 10, historyBytes: 100_000, pendingEvents: 10, givenUpMarkdown: "Given up." };

describe("the gate and calls that wait for an approval", () => {
  let database: { url: string; drop(): Promise<void> };
  let store: Store;
  let account = 0;
  let desk: Desk;
  let gate: Gate;

  before(async () => {
    database = await createTestDatabase();
    await migrate(database.url, silentLog);
    store = createStore({ url: database.url, log: silentLog, clock: systemClock, maxConnections: 4 });
  });
  after(async () => {
    await store.close();
    await database.drop();
  });
  beforeEach(() => {
    account += 1;
    desk = new Desk(store, `approvals-${account}`);
    const policy = openGroups();
    const access = { ...policy.access, owners: [brandAs<UserId>("boss")] };
    gate = desk.gateWith({ policyOf: () => ({ ...policy, access }) });
  });

  const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true } as const;

  /** A turn in the group that waits for so many calls. Answers with their ids. */
  async function waiting(
    count = 1,
    approver: Role = "owner",
    facts: EventFacts = inGroup,
    scopes: readonly GrantScope[] = [],
    askers: readonly (readonly Asker[])[] = [],
  ): Promise<readonly string[]> {
    await desk.runTurn("deploy", { from: "u1", ...facts }, gate);
    const asks = Array.from({ length: count }, (_, n) => ({
      id: `${account.toString(16).padStart(6, "0")}${n.toString(16).padStart(2, "0")}`,
      callId: `c${n}`,
      name: "deploy",
      arguments: `{"n":${n}}`,
      waitsFor: "approval" as const,
      shown: `Deploy ${n}?`,
      approver,
      askers: askers[n] ?? [],
      expiresAt: instantOf(Date.now() + hourMs),
      ...(scopes.length === 0 ? {} : { offer: { scopes, covers: "deploy: `blue`", terms: { n } } }),
    }));
    await store.turns.append(
      desk.lease,
      brandAs<TurnId>(`turn-${desk.lease.sessionKey}`),
      [],
      asks.map((ask) => ({ ask })),
    );
    return asks.map(({ id }) => id);
  }

  const settlementOf = async (id: string | undefined) => (await store.calls.find(id ?? ""))?.settlement;

  it("lets an owner approve by a command, wakes the session, and says so once", async () => {
    const [id] = await waiting();
    await gate(desk.message({ from: "boss", text: "/approve", ...inGroup }));
    assert.equal(await settlementOf(id), "approved");
    assert.deepEqual((await desk.notices("g1")).slice(-1), ["Approved."]);
    await gate(desk.message({ from: "boss", text: `/approve ${id}`, ...inGroup }));
    assert.deepEqual((await desk.notices("g1")).slice(-1), ["That was already approved by `Ada`."]);
  });

  it("leaves it to the edited question to say so where its button was pressed, unless more is to be said", async () => {
    const [id] = await waiting();
    const press = (choice: string) => gate(desk.pressed(choice, { from: "boss", ...inGroup }));
    await press(`approve-${id}`);
    await press(`deny-${id}`);
    const told = (await desk.outbox("g1")).filter(({ kind }) => kind === "command");
    assert.deepEqual(
      told.map(({ markdown, saidByEdit }) => [markdown, saidByEdit]),
      [
        ["Approved.", true],
        ["That was already approved by `Ada`.", undefined],
      ],
    );
  });

  it("keeps the reason of a denial, and the number may be written in capitals", async () => {
    const [, second] = await waiting(2);
    await gate(desk.message({ from: "boss", text: `/deny ${second?.toUpperCase()} not on a Friday`, ...inGroup }));
    assert.equal(await settlementOf(second), "denied");
    const { sessionKey, holder } = desk.lease;
    const claim = await store.turns.claim(sessionKey, holder, claimLimits);
    const [event] = (claim?.pending ?? []).flatMap(({ event: one }) => (one.type === "call.settled" ? one : []));
    assert.equal(event?.call.content, "not on a Friday");
    assert.equal(event?.call.by?.userId, "boss");
  });

  for (const words of [
    "no",
    "not that one",
    "1",
    "all",
    "session",
    "always",
    "deadbeef0",
    "NO!",
    "{id} please",
    "{id} never",
  ])
    it(`approves nothing by "/approve ${words}"`, async () => {
      const [id = ""] = await waiting(1, "owner", inGroup, ["session", "always"]);
      await gate(desk.message({ from: "boss", text: `/approve ${words.replace("{id}", id)}`, ...inGroup }));
      assert.match((await desk.notices("g1")).at(-1) ?? "", /^Nothing was approved\. `\/approve` needs the number /);
      assert.equal(await settlementOf(id), undefined);
    });

  for (const [who, expected] of [
    ["u1", "Only an owner can decide that."],
    ["stranger", "Only an owner can decide that."],
  ] as const)
    it(`lets nobody else decide: ${who}`, async () => {
      const [id] = await waiting();
      const acceptances = [
        await gate(desk.message({ from: who, text: `/approve ${id}`, ...inGroup })),
        await gate(desk.pressed(`approve-${id}`, { from: who, ...inGroup })),
      ];
      assert.deepEqual(acceptances, ["dropped", "dropped"], "the platform leaves the buttons to others");
      assert.equal(await settlementOf(id), undefined);
      assert.ok((await desk.notices("g1")).includes(expected));
    });

  it("leaves it to the platform to tell whoever may not press a button, where it does", async () => {
    const [id] = await waiting();
    const traitsOf = () => ({ choices: { close: true } }) as const;
    const policy = openGroups();
    const closing = desk.gateWith({ policyOf: () => policy, traitsOf });
    const told: string[] = [];
    const press = desk.pressed(`approve-${id}`, { from: "u1", ...inGroup });
    assert.equal(await closing(press, { tellRefused: (words) => told.push(words) }), "dropped");
    assert.deepEqual(told, ["Only an owner can decide that."]);
    assert.deepEqual(await desk.notices("g1"), []);
    await closing(desk.message({ from: "u1", text: `/approve ${id}`, ...inGroup }));
    assert.deepEqual(await desk.notices("g1"), ["Only an owner can decide that."]);
  });

  it("tells whoever presses by a notice where the platform shows them nothing", async () => {
    const [id] = await waiting();
    for (const again of [1, 2])
      await gate(desk.pressed(`approve-${id}`, { from: "u1", ...inGroup, messageId: `m-${again}` }));
    assert.deepEqual(await desk.notices("g1"), ["Only an owner can decide that."], "once");
  });

  it("lets whoever alone has asked withdraw that, and nothing more", async () => {
    const asker = (from: string) => ({ sender: desk.message({ from, ...inGroup }).sender, role: "member" }) as const;
    const [own, shared, listed] = await waiting(
      3,
      "owner",
      inGroup,
      [],
      [[asker("u1")], [asker("u1"), asker("u2")], [asker("u2")]],
    );
    await gate(desk.pressed(`approve-${own}`, { from: "u1", ...inGroup }));
    await gate(desk.message({ from: "u1", text: `/deny ${shared}`, ...inGroup }));
    await gate(desk.message({ from: "u1", text: `/deny ${listed}`, ...inGroup }));
    await gate(desk.pressed(`deny-${own}`, { from: "stranger", ...inGroup }));
    for (const id of [own, shared, listed]) assert.equal(await settlementOf(id), undefined, id);
    await gate(desk.pressed(`deny-${own}`, { from: "u1", ...inGroup }));
    const { settlement, content } = (await store.calls.find(own ?? "")) ?? {};
    assert.deepEqual([settlement, content], ["denied", "withdrawn by whoever had asked for it"]);
    assert.equal((await store.calls.find(own ?? ""))?.isTakenBack, true);
    await gate(desk.message({ from: "u2", text: `/deny ${listed} not needed`, ...inGroup }));
    assert.deepEqual((await store.calls.find(listed ?? ""))?.content, "not needed");
    assert.equal((await desk.notices("g1")).at(-1), "Withdrawn: I won't do it.");
    await gate(desk.message({ from: "boss", text: `/deny ${shared}`, ...inGroup }));
    assert.equal((await desk.notices("g1")).at(-1), "Denied.");
    assert.equal((await store.calls.find(shared ?? ""))?.isTakenBack, undefined);
  });

  it("lets only people decide, whatever role a bot has", async () => {
    const [id] = await waiting();
    const policy = openGroups();
    const access = { ...policy.access, bots: "on", owners: [brandAs<UserId>("boss")] } as const;
    const talkative = desk.gateWith({ policyOf: () => ({ ...policy, access }) });
    await talkative(desk.message({ from: "boss", role: "bot", text: `/approve ${id}`, ...inGroup }));
    await talkative(desk.pressed(`approve-${id}`, { from: "boss", role: "bot", ...inGroup }));
    assert.equal(await settlementOf(id), undefined);
    await talkative(desk.pressed(`approve-${id}`, { from: "boss", ...inGroup }));
    assert.equal(await settlementOf(id), "approved");
  });

  it("takes a press of the button for the same, twice for once", async () => {
    const [id] = await waiting();
    await gate(desk.pressed(`deny-${id}`, { from: "boss", ...inGroup }));
    await gate(desk.pressed(`approve-${id}`, { from: "boss", ...inGroup }));
    assert.equal(await settlementOf(id), "denied");
  });

  it("asks which one is meant when several wait", async () => {
    const ids = await waiting(2);
    await gate(desk.message({ from: "boss", text: "/approve", ...inGroup }));
    assert.deepEqual(await Promise.all(ids.map(settlementOf)), [undefined, undefined]);
    const [notice = ""] = (await desk.notices("g1")).slice(-1);
    for (const id of ids) assert.ok(notice.includes(`\`${id}\``));
  });

  it("does not reach into other places: a member of another group, a stranger's direct chat", async () => {
    const [id] = await waiting(1, "member");
    const elsewhere = { conversation: "g2", kind: "group", mentionsSelf: true } as const;
    await gate(desk.message({ from: "u1", text: `/approve ${id}`, ...elsewhere }));
    await gate(desk.message({ from: "u1", text: `/approve ${id}`, conversation: "c9" }));
    assert.equal(await settlementOf(id), undefined);
    const inPrivate = { from: "boss", text: `/approve ${id}`, conversation: "c8" };
    await gate(desk.message(inPrivate));
    assert.match((await desk.notices("c8")).at(-1) ?? "", /^Nothing is approved yet[\s\S]*Deploy 0\?/);
    await gate(desk.message(inPrivate));
    assert.equal(await settlementOf(id), "approved", "an owner may decide in private");
  });

  it("lists what waits, and nothing of other sessions", async () => {
    const [id] = await waiting();
    await gate(desk.message({ from: "u1", text: "/approvals", ...inGroup }));
    assert.match((await desk.notices("g1")).at(-1) ?? "", new RegExp(`\`${id}\`: Deploy 0\\?`));
    await gate(desk.message({ from: "u1", text: "/approvals", conversation: "c1" }));
    assert.equal((await desk.notices("c1")).at(-1), "Nothing here waits for your approval.");
  });

  const both = ["session", "always"] as const;
  const granted = () => store.calls.grants(desk.lease.sessionKey, desk.accountId);
  const last = async (place: string) => (await desk.notices(place)).at(-1) ?? "";

  it("keeps what is agreed to for the conversation, lists it, and ends it when an owner says so", async () => {
    const [id] = await waiting(1, "owner", inGroup, both);
    await gate(desk.message({ from: "boss", text: `/approve ${id} session`, ...inGroup }));
    assert.equal(await settlementOf(id), "approved");
    assert.match(await last("g1"), /^Approved, for this conversation: deploy: `blue`\./);
    const [grant] = await granted();
    assert.deepEqual(grant, { id, scope: "session", covers: "deploy: `blue`", terms: { n: 0 }, byRole: "owner" });
    await gate(desk.message({ from: "u1", text: "/approvals", ...inGroup }));
    assert.match(await last("g1"), new RegExp(`\`${id}\`: deploy: \`blue\` \\(this conversation\\)`));
    await gate(desk.message({ from: "u1", text: `/revoke ${id}`, ...inGroup }));
    assert.equal(await last("g1"), "Only an owner can decide that.");
    await gate(desk.message({ from: "boss", text: `/revoke ${id}`, conversation: "c7" }));
    assert.match(await last("c7"), /^There is no agreement/);
    assert.equal((await granted()).length, 1);
    await gate(desk.message({ from: "boss", text: `/revoke ${id?.toUpperCase()}`, ...inGroup }));
    assert.deepEqual([await last("g1"), await granted()], ["I'll ask again next time.", []]);
  });

  it("ends what was agreed to for the conversation with it, and keeps what holds for ever", async () => {
    const inPrivate = { conversation: "c1" };
    const [first, second] = await waiting(2, "member", inPrivate, both);
    const policy = { ...openGroups(), access: { ...openGroups().access, owners: [brandAs<UserId>("u1")] } };
    const owned = desk.gateWith({ policyOf: () => policy });
    await owned(desk.pressed(`session-${first}`, { from: "u1", ...inPrivate }));
    await owned(desk.pressed(`always-${second}`, { from: "u1", ...inPrivate }));
    assert.deepEqual((await granted()).map(({ scope }) => scope).toSorted(), ["always", "session"]);
    await owned(desk.message({ from: "u1", text: "/new", ...inPrivate }));
    assert.deepEqual(
      (await granted()).map(({ id }) => id),
      [second],
    );
    await desk.runTurn("hello", { from: "u1", conversation: "c2" }, owned);
    assert.deepEqual(
      (await granted()).map(({ id }) => id),
      [second],
      "in other conversations of the account",
    );
    const stranger = new Desk(store, `approvals-${account}-b`);
    await stranger.runTurn("hello", { from: "u1" }, stranger.gateWith({ policyOf: () => policy }));
    assert.deepEqual(
      await store.calls.grants(stranger.lease.sessionKey, stranger.accountId),
      [],
      "of no other account",
    );
  });

  it("ends what holds for ever also from a conversation that has had no turn, and when the session is forgotten", async () => {
    const [id] = await waiting(1, "owner", inGroup, both);
    await gate(desk.message({ from: "boss", text: `/approve ${id} always`, ...inGroup }));
    await gate(desk.message({ from: "boss", text: "/approvals", conversation: "b7" }));
    assert.match(await last("b7"), new RegExp(`\`${id}\`: deploy`));
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("delete from talaria.session where session_key = $1", [desk.lease.sessionKey]);
    await client.end();
    await gate(desk.message({ from: "boss", text: `/revoke ${id}`, conversation: "b7" }));
    assert.deepEqual([await last("b7"), await granted()], ["I'll ask again next time.", []]);
  });

  for (const [name, from, scopes, scope, said] of [
    ["nobody offered", "boss", [], "session", /only this once/],
    ["is not offered for ever", "boss", ["session"], "always", /only this once/],
    ["only owners give for ever", "u1", both, "always", /^Only an owner can approve something for ever/],
  ] as const)
    it(`agrees to nothing that ${name}, and the call still waits`, async () => {
      const [id] = await waiting(1, "member", inGroup, scopes);
      await gate(desk.message({ from, text: `/approve ${id} ${scope}`, ...inGroup }));
      assert.match(await last("g1"), said);
      assert.deepEqual([await settlementOf(id), await granted()], [undefined, []]);
    });

  it("lets owners alone say where they are asked, in a direct conversation", async () => {
    const homes = async () =>
      (await store.calls.homes()).filter(({ conversation }) => conversation.accountId === desk.accountId);
    for (const refused of [
      { from: "u1", conversation: "c1" },
      { from: "boss", ...inGroup },
    ])
      assert.equal(await gate(desk.message({ ...refused, text: "/sethome" })), "dropped");
    assert.deepEqual(await homes(), []);
    assert.match((await desk.notices("c1")).at(-1) ?? "", /on another platform: `owners` in the configuration needs/);
    assert.match(await last("g1"), /^Only an owner can be asked for approvals, in a direct conversation with me\.$/);
    await gate(desk.message({ from: "boss", text: "/sethome", conversation: "old" }));
    await gate(desk.message({ from: "boss", text: "/sethome", conversation: "b1" }));
    const [home, ...others] = await homes();
    assert.deepEqual([home?.userId, home?.conversation.conversationId, others], ["boss", "b1", []]);
    await gate(desk.message({ from: "boss", text: "/sethome off", conversation: "b1" }));
    await gate(desk.message({ from: "boss", text: "/sethome off", conversation: "b1" }));
    assert.deepEqual((await desk.notices("b1")).slice(-2), ["I'll no longer ask you here.", "I don't ask you here."]);
    assert.deepEqual(await homes(), []);
  });

  for (const command of ["/stop", "/new"])
    it(`cancels what waits with ${command}`, async () => {
      const [id] = await waiting(1, "owner", { conversation: "c1" });
      await gate(desk.message({ from: "u1", text: command, conversation: "c1" }));
      assert.equal(await settlementOf(id), "cancelled");
    });
});
