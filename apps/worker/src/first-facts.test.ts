import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AskedCall, UserEntry } from "@talaria/agent";
import {
  type Asker,
  brandAs,
  type Conversation,
  type FactSubject,
  instantOf,
  type Role,
  type SessionKey,
  sessionKeyOf,
  silentLog,
  turnIdOf,
} from "@talaria/protocol";
import type { FactsChange, SessionLease } from "@talaria/store";
import { createFactAccess } from "./fact-access.ts";
import { createFirstFacts } from "./first-facts.ts";
import { createTestStore, ScriptedModel, says, Talk, type TestStore, TestWorker } from "./worker.fixture.ts";

const accountId = brandAs<Conversation["accountId"]>("acct");
const mostMs = 120_000;

function place(id: string, kind: Conversation["kind"]): Conversation {
  return { accountId, platform: "telegram", conversationId: brandAs(id), kind };
}

function asker(id: string, role: Role): Asker {
  return { sender: { userId: brandAs(id), role: "person", displayName: id, assurance: "platform" }, role };
}

function said({ sender, role }: Asker): UserEntry {
  return { kind: "user", eventId: brandAs("e"), sender, role, markdown: "hi", attachments: [], at: instantOf(0) };
}

describe("what a prompt begins with", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  /** Writes as the holder of some turn: who may see it is decided when it is read. */
  async function teacher() {
    const talk = new Talk(test);
    await talk.say("teach");
    const worker = await TestWorker.start(test, new ScriptedModel(says("")));
    const limits = { historyEntries: 10, historyBytes: 10_000, pendingEvents: 10, givenUpMarkdown: "" };
    const claim = await test.store.turns.claim(talk.key, worker.id, limits);
    assert.ok(claim?.pending[0]);
    const turnId = turnIdOf(talk.key, claim.pending[0].seq);
    const take = claim.pending.map(({ seq }) => seq);
    const { route } = claim.pending[0];
    await test.store.turns.begin(claim.lease, { turnId, take, drop: [], route, entries: [], prompt: "be kind" });
    return {
      lease: claim.lease,
      turnId,
      teach: async (
        subject: FactSubject,
        text: string,
        by: Asker,
        more: { readonly audience?: readonly string[] } = {},
      ) => {
        const { version } = await test.store.facts.of(subject);
        const change: FactsChange = {
          ...{ ...subject, version, callKey: `${subject.scope} ${subject.key} ${text}`, author: by.sender.userId },
          ...{
            archive: [],
            confirm: [],
            add: { text, trust: "said", version: 1, derived: { taint: [], askers: [by], ...more } },
          },
        };
        assert.ok(await test.store.facts.change(claim.lease, turnId, change));
      },
    };
  }

  const snapshotOf = (conversation: Conversation, by: Asker, sessionKey = keyOf(conversation, by)) =>
    createFirstFacts({ facts: test.store.facts, log: silentLog })(sessionKey, conversation, [said(by)], true);

  function keyOf(conversation: Conversation, { sender }: Asker): SessionKey {
    return sessionKeyOf(conversation, sender, "conversation");
  }

  it("is nothing where nothing is known, and else the same bytes, counted as used", async () => {
    const ada = asker("first-ada", "member");
    const direct = place("first-ada", "direct");
    assert.equal(await snapshotOf(direct, ada), "");
    const { teach } = await teacher();
    const subject = { scope: "person", key: "acct/first-ada" } as const;
    await teach(subject, "prefers <tables>", ada);
    const snapshot = await snapshotOf(direct, ada);
    assert.match(
      snapshot,
      /^# What you remember\n[\s\S]*\n<facts about="the person you talk with">\n\d+ \(.*, said\): prefers &lt;tables&gt;\n<\/facts>$/,
    );
    assert.equal(await snapshotOf(direct, ada), snapshot);
    assert.equal((await test.store.facts.of(subject)).facts[0]?.uses, 2);
  });

  it("leaves out what members have taught a group, and tells only those of it who may recall it", async () => {
    const { teach } = await teacher();
    const group = place("first-group", "group");
    await teach({ scope: "group", key: "acct/first-group" }, "meets on Mondays", asker("ada", "member"));
    assert.match(await snapshotOf(group, asker("olga", "owner")), /1 more came from what others wrote/);
    assert.equal(await snapshotOf(group, asker("eve", "guest")), "");
    await teach({ scope: "group", key: "acct/first-group" }, "is called the bakers", asker("olga", "owner"));
    assert.match(
      await snapshotOf(group, asker("eve", "guest")),
      /about="this group and its people">\n\d+ .*the bakers/,
    );
  });

  it("shows, as every tool does, nothing that one person alone has taught in private to 63 others and 8 groups", {
    timeout: mostMs,
  }, async () => {
    const { lease, turnId, teach } = await teacher();
    const people = Array.from({ length: 64 }, (_, n) => asker(`person-${n}`, n % 8 === 0 ? "owner" : "member"));
    const groups = Array.from({ length: 8 }, (_, n) => place(`group-${n}`, "group"));
    const agent = { scope: "agent", key: "" } as const;
    for (const [n, by] of people.entries()) {
      const direct = place(by.sender.userId, "direct");
      await teach({ scope: "person", key: `acct/${by.sender.userId}` }, `canary p${n}.`, by);
      await teach({ scope: "workspace", key: keyOf(direct, by) }, `canary w${n}.`, by);
      await teach(agent, `canary a${n}.`, by, { audience: [`acct/${direct.conversationId}`] });
    }
    for (const [n, group] of groups.entries()) {
      const by = people[n * 8] as Asker;
      await teach({ scope: "group", key: `acct/${group.conversationId}` }, `canary g${n}.`, by);
      await teach(agent, `canary b${n}.`, by, { audience: [`acct/${group.conversationId}`] });
    }
    const canariesIn = async (conversation: Conversation, by: Asker) => {
      const sessionKey = keyOf(conversation, by);
      const held: SessionLease = { ...lease, sessionKey };
      const access = createFactAccess({
        facts: test.store.facts,
        lease: held,
        turnId,
        patiently: (work) => work(false),
      });
      const asked = { conversation, history: [], journal: [said(by)], tools: new Map() } as unknown as AskedCall;
      const { content } = await access(asked).recall(["canary"]);
      const read = `${await snapshotOf(conversation, by)}\n${content}`;
      return [...new Set([...read.matchAll(/canary (\w+)\./g)].map(([, name]) => name))].toSorted();
    };
    for (const [n, by] of people.entries()) {
      assert.deepEqual(await canariesIn(place(by.sender.userId, "direct"), by), [`a${n}`, `p${n}`, `w${n}`]);
      const m = n % 8;
      assert.deepEqual(await canariesIn(groups[m] as Conversation, by), [`b${m}`, `g${m}`]);
    }
  });
});
