import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { limitId, type SpendingLimits } from "@talaria/policy";
import {
  type AccountPolicy,
  brandAs,
  type ProcessId,
  type SessionKey,
  sessionKeyOf,
  type UserId,
} from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import pg from "pg";
import { type Desk, off, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const windowMs = 86_400_000;
const spending: SpendingLimits = {
  owner: off,
  person: { ...off, tokensPerDay: 400 },
  guest: off,
  conversation: { ...off, tokensPerDay: 400 },
  account: off,
};

describe("messages that a limit has refused", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  let direct: "open" | "off";
  let members: readonly UserId[];

  beforeEach(() => {
    desk = test.newDesk();
    direct = "open";
    members = [brandAs<UserId>("u1"), brandAs<UserId>("u2")];
    gate = desk.gateWith({
      spending,
      policyOf,
      wake: (key) => desk.said.push(`wake ${key}`),
    });
  });

  function policyOf(): AccountPolicy {
    const policy = openGroups();
    const allow = { ...policy.access.allow, users: members };
    return { ...policy, access: { ...policy.access, direct, allow, owners: [brandAs<UserId>("boss")] } };
  }

  const keyOf = (user: string) => `tokens/person/${desk.accountId}/${user}`;
  const sessionOf = (facts: EventFacts): SessionKey => {
    const { conversation, sender } = desk.message(facts);
    return sessionKeyOf(conversation, sender, "thread");
  };

  async function claim(facts: EventFacts) {
    const holder = brandAs<ProcessId>(`worker-${crypto.randomUUID()}`);
    await test.store.processes.register({ id: holder, kind: "worker", host: "here", pid: 1 }, 60_000);
    const limits = { historyEntries: 10, historyBytes: 100_000, pendingEvents: 500, givenUpMarkdown: "Given up." };
    return test.store.turns.claim(sessionOf(facts), holder, limits);
  }

  /** What waits in a conversation is refused by this counter, as a worker does it. */
  async function refuse(facts: EventFacts, key: string): Promise<void> {
    const found = await claim(facts);
    assert.ok(found);
    const drop = found.pending.map(({ seq }) => ({ seq, reason: "spending_limit", limit: key }));
    await test.store.turns.drop(found.lease, drop, [{ key, windowMs, events: drop.length }]);
    await test.store.turns.handOver(found.lease);
  }

  async function say(text: string, facts: EventFacts): Promise<void> {
    await gate(desk.message({ text, mentionsSelf: true, ...facts }));
  }

  async function refused(text: string, facts: EventFacts, key = keyOf(facts.from ?? "u1")): Promise<void> {
    await say(text, facts);
    await refuse(facts, key);
  }

  const lift = (key: string, facts: EventFacts = {}) =>
    gate(desk.message({ from: "boss", conversation: "b1", text: `/lift ${limitId(key)}`, ...facts }));

  /** What a worker would read now, with the role of each. */
  async function waiting(facts: EventFacts): Promise<readonly string[]> {
    const found = await claim(facts);
    if (found === undefined) return [];
    await test.store.turns.handOver(found.lease);
    return found.pending.map(
      ({ event, role }) => `${role}: ${"message" in event ? event.message.markdown : event.type}`,
    );
  }

  async function alter(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    await client.query(text).finally(() => client.end());
  }

  const mine = { from: "u1", conversation: "d1" } as const;

  it("wait again in their order once an owner lifts it, and their conversation is told once", async () => {
    await refused("first", mine);
    await refused("second", mine);
    const elsewhere = { ...mine, kind: "group", conversation: "g1" } as const;
    await refused("in a group", elsewhere);
    assert.deepEqual(await waiting(mine), []);
    desk.said.length = 0;
    await lift(keyOf("u1"));
    assert.deepEqual(await waiting(mine), ["member: first", "member: second"]);
    assert.deepEqual(await waiting(elsewhere), ["member: in a group"]);
    for (const place of ["d1", "g1"] as const) {
      const told = await desk.notices(place);
      assert.equal(told.length, 1, place);
      const words = {
        d1: /^An owner has lifted your daily limit of tokens for a day\. I'm answering what you wrote meanwhile: no need to write it again\.$/,
        g1: /for `[^`]+` \(`u1`\) .* I answer now what I had left because of it: no need to write it again\.$/,
      };
      assert.match(told[0] ?? "", words[place]);
    }
    const woken = desk.said.filter((line) => line.startsWith("wake ")).toSorted();
    assert.ok([mine, elsewhere].every((facts) => woken.includes(`wake ${sessionOf(facts)}`)));
    await alter("update inbox set recorded_at = recorded_at - interval '1 minute' where reason is null");
    const { sessions } = await test.store.turns.stranded();
    assert.ok(
      [mine, elsewhere].every((facts) => sessions.some(({ sessionKey }) => sessionKey === sessionOf(facts))),
      "and are found without having been told of",
    );
    const again = sessionOf(mine);
    await lift(keyOf("u1"));
    assert.equal((await desk.notices("d1")).length, 1);
    assert.equal((await test.store.operations.waitingFrom(again)).messages, 2);
  });

  it("are not those of another limit, and none of theirs is told anything", async () => {
    const other = { from: "u2", conversation: "d2" } as const;
    await refused("mine", mine);
    await refused("theirs", other);
    await lift(keyOf("u1"));
    assert.deepEqual(await waiting(other), []);
    assert.deepEqual(await desk.notices("d2"), []);
  });

  it("are left where their sender was heard again, has stopped, begun anew, or taken them back", async () => {
    await refused("before", mine);
    await say("answered meanwhile", mine);
    const stopped = { ...mine, conversation: "d3" };
    await refused("stopped", stopped);
    await gate(desk.message({ ...stopped, text: "/stop" }));
    const reset = { ...mine, conversation: "d4" };
    await refused("forgotten", reset);
    await gate(desk.message({ ...reset, text: "/new" }));
    const back = { ...mine, conversation: "d5" };
    const event = desk.message({ ...back, text: "taken back" });
    await gate(event);
    await refuse(back, keyOf("u1"));
    const { message, ...about } = event;
    await gate({ ...about, id: brandAs(`${event.id}-deleted`), type: "message.deleted", messageId: message.messageId });
    await lift(keyOf("u1"));
    assert.deepEqual(await waiting(mine), ["member: answered meanwhile"]);
    assert.match((await desk.notices("d1")).at(-1) ?? "", /Please write again what you still need an answer to\.$/);
    for (const { conversation } of [stopped, reset])
      assert.match((await desk.notices(conversation)).at(-1) ?? "", /lifted .* Please write again what/, conversation);
    for (const facts of [stopped, reset, back])
      assert.ok(!(await waiting(facts)).some((line) => /stopped|forgotten|taken back/.test(line)), facts.conversation);
    assert.deepEqual(await desk.notices("d5"), []);
  });

  it("are left once their sender may not write any more, and wait with the rights of now", async () => {
    const group = { ...mine, kind: "group", conversation: "g1" } as const;
    await refused("as a member", group);
    await refused("in private", mine);
    members = [];
    direct = "off";
    await lift(keyOf("u1"), { kind: "group", conversation: "g2", mentionsSelf: true });
    assert.deepEqual(await waiting(mine), []);
    assert.deepEqual(await desk.notices("d1"), []);
    assert.deepEqual(await waiting(group), ["guest: as a member"]);
  });

  it("are the newest twenty of a conversation, of the last day and of the window that is open", async () => {
    for (let n = 1; n <= 22; n += 1) await say(`no ${n}`, mine);
    await refuse(mine, keyOf("u1"));
    const old = { ...mine, conversation: "d6" };
    await refused("yesterday", old);
    const former = { ...mine, conversation: "d7" };
    await refused("a former window", former);
    await alter(`
      update spending set started_at = started_at - interval '25 hours', window_ms = 2592000000 where key = '${keyOf("u1")}';
      update inbox set dropped_at = dropped_at - interval '24 hours 5 minutes' where session_key = '${sessionOf(old)}';
      update inbox set dropped_at = dropped_at - interval '26 hours' where session_key = '${sessionOf(former)}'`);
    await lift(keyOf("u1"));
    assert.deepEqual(
      await waiting(mine),
      Array.from({ length: 20 }, (_, n) => `member: no ${n + 3}`),
    );
    assert.match(
      (await desk.notices("d1")).at(-1) ?? "",
      /I'm answering the newest of what you wrote meanwhile: 20 messages at most, of the last 24 hours\. Please write again/,
    );
    assert.deepEqual(await waiting(old), []);
    assert.match(
      (await desk.notices("d6")).at(-1) ?? "",
      /^An owner has lifted your daily limit of tokens for a day\. Please write again/,
    );
    assert.deepEqual([await waiting(former), await desk.notices("d7")], [[], []]);
  });

  it("are told of by whose limit it was: others of the group wait for theirs, and read so", async () => {
    const group = { kind: "group", conversation: "g1" } as const;
    for (const from of ["u1", "u2"]) await refused(`of ${from}`, { ...group, from, name: `${from}*` });
    await lift(keyOf("u1"));
    assert.match(
      (await desk.notices("g1")).at(-1) ?? "",
      /^An owner has lifted the daily limit of tokens for `u1\*` \(`u1`\) on account .*no need to write it again\.$/,
    );
    assert.deepEqual(await waiting(group), ["member: of u1"]);
    const where = desk.message({ ...group, from: "u2", text: "/where", mentionsSelf: true });
    await gate(where);
    assert.match((await desk.notices("g1")).at(-1) ?? "", /^It came while a limit was reached/);
    await lift(keyOf("u2"));
    assert.match((await desk.notices("g1")).at(-1) ?? "", /for `u2\*` \(`u2`\)/);
    assert.deepEqual(await waiting(group), ["member: of u1", "member: of u2"]);
  });

  it("wait until an owner lifts it also where the configuration has raised it since", async () => {
    await refused("refused", mine);
    const raised = { ...spending, person: { ...off, tokensPerDay: 1_000 } };
    gate = desk.gateWith({ spending: raised, policyOf });
    assert.deepEqual(await waiting(mine), []);
    await lift(keyOf("u1"));
    assert.deepEqual(await waiting(mine), ["member: refused"]);
  });

  it("come behind what others wrote since, and what another limit refuses then keeps its place in the talk", async () => {
    const group = { kind: "group", conversation: "g1" } as const;
    const shared = `tokens/conversation/${desk.accountId}/g1`;
    await refused("one", { ...group, from: "u1" }, keyOf("u1"));
    await refused("two", { ...group, from: "u1" }, shared);
    await say("another", { ...group, from: "u2" });
    await lift(keyOf("u1"));
    assert.deepEqual(await waiting(group), ["member: another", "member: one"]);
    await refuse(group, shared);
    await lift(shared);
    assert.deepEqual(await waiting(group), ["member: one", "member: two", "member: another"]);
  });

  it("are told where the limit is lifted by the answer to that alone", async () => {
    const group = { kind: "group", conversation: "g1" } as const;
    await refused("here", { ...group, from: "u1" });
    await lift(keyOf("u1"), { ...group, mentionsSelf: true });
    const told = await desk.notices("g1");
    assert.equal(told.length, 1);
    assert.match(
      told[0] ?? "",
      /^I've lifted the daily limit.* I answer what it has refused in the last 24 hours, up to 20/,
    );
    assert.deepEqual(await waiting(group), ["member: here"]);
  });

  it("are told of in the message of the notice about the limit, unless something has to be written again", async () => {
    const subject = `limit ${limitId(keyOf("u1"))}`;
    await refused("answered now", mine);
    const left = { ...mine, conversation: "d8" };
    await refused("left", left);
    await say("gone on", left);
    const group = { kind: "group", conversation: "g1" } as const;
    await refused("left here", { ...group, from: "u1" });
    await say("gone on here", { ...group, from: "u1" });
    await gate(desk.pressed(`lift-${limitId(keyOf("u1"))}`, { from: "boss", ...group }));
    const of = async (place: string) => (await desk.outbox(place)).map(({ replaces }) => replaces);
    assert.deepEqual([await of("d1"), await of("d8"), await of("g1")], [[subject], [undefined], [undefined, subject]]);
    await gate(desk.pressed(`lift-${limitId(keyOf("u1"))}`, { from: "boss", ...group }));
    assert.deepEqual(await of("g1"), [undefined, subject], "what was lifted before still stands there");
  });

  it("stay unanswered where a private conversation has become a group", async () => {
    await refused("in private", mine);
    const event = desk.message({ ...mine, kind: "group", text: "hello all", from: "u2", mentionsSelf: true });
    await gate({ ...event, conversation: { ...event.conversation, platform: "matrix" } });
    await lift(keyOf("u1"));
    assert.deepEqual(await waiting(mine), []);
    assert.ok((await desk.notices("d1")).every((text) => !text.includes("lifted")));
  });
});
