import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountPolicy } from "@talaria/protocol";
import { brandAs, type ConversationId, type InboundEvent, type UserId } from "@talaria/protocol";
import { attachmentFrom, type EventFacts, editOf, messageFrom, sampleEvents } from "@talaria/testkit";
import type { AdmissionReason } from "./admission-reasons.ts";
import { type AdmissionContext, admit, type Decision } from "./admit.ts";
import { policyWith } from "./testing/policy.ts";

const owner = "123456";
const boss = "9";
const team = "-100777";
const maxTextChars = 100;

interface Rules {
  readonly direct?: AccountPolicy["access"]["direct"];
  readonly groups?: AccountPolicy["access"]["groups"];
  readonly activation?: AccountPolicy["groups"]["activation"];
}

function policyOf({ direct = "pairing", groups = "allowlist", activation = "mention" }: Rules): AccountPolicy {
  const users = [brandAs<UserId>(owner)];
  return policyWith({
    access: {
      direct,
      groups,
      allow: { users, groups: [brandAs<ConversationId>(team)] },
      owners: [brandAs<UserId>(boss)],
    },
    groups: { activation, keywords: ["talaria"] },
  });
}

const groupAllowed = async () => false;
const blocked = async () => false;
const nobody: AdmissionContext = {
  approved: async () => false,
  blocked,
  groupAllowed,
  maxTextChars,
};

function decide(event: InboundEvent, rules: Rules = {}, context: AdmissionContext = nobody): Promise<Decision> {
  return admit(event, policyOf(rules), context);
}

const refused = (reason: AdmissionReason): Decision => ({ kind: "refuse", reason });
const ignored = (reason: AdmissionReason): Decision => ({ kind: "ignore", reason });
const turn: Decision = { kind: "turn" };
const pair: Decision = { kind: "pair" };
const commanded = (name: "stop" | "new" | "help"): Decision => ({ kind: "command", command: { name } });

/** One message each: who or what it is, what is known of it, the rules, the decision. */
function table(cases: readonly (readonly [string, EventFacts, Rules, Decision])[]): void {
  for (const [name, facts, rules, decision] of cases)
    it(name, async () => assert.deepEqual(await decide(messageFrom(facts), rules), decision));
}

describe("who may talk directly", () => {
  table([
    ["a listed person", { from: owner }, {}, turn],
    ["a stranger where strangers may ask", { from: "7" }, {}, pair],
    ["a stranger where a list decides", { from: "7" }, { direct: "allowlist" }, refused("not_allowed")],
    ["a listed person where a list decides", { from: owner }, { direct: "allowlist" }, turn],
    ["anybody where it is open", { from: "7" }, { direct: "open" }, turn],
    ["an owner who is on no list", { from: boss }, { direct: "allowlist" }, turn],
    ["nobody where it is off, listed or not", { from: owner }, { direct: "off" }, refused("account_off")],
    ["nobody without an id, even where it is open", { from: "" }, { direct: "open" }, refused("no_sender_id")],
    ["nobody with a blank id", { from: " \t" }, { direct: "open" }, refused("no_sender_id")],
  ]);

  it("a person who was approved", async () => {
    const context = { approved: async () => true, blocked, groupAllowed, maxTextChars };
    assert.deepEqual(await decide(messageFrom({ from: "7" }), {}, context), turn);
  });

  it("is looked up only for a stranger in a direct chat", async () => {
    let asked = 0;
    const approved = async () => {
      asked += 1;
      return true;
    };
    const context = { approved, blocked, groupAllowed, maxTextChars };
    await decide(messageFrom({ from: owner }), {}, context);
    await decide(messageFrom({ from: "7" }), { direct: "allowlist" }, context);
    await decide(messageFrom({ from: "7", kind: "group", conversation: team }), {}, context);
    assert.equal(asked, 0);
  });

  it("the lookup's failure is the caller's to see", async () => {
    const context = {
      approved: () => Promise.reject(new Error("the store is away")),
      blocked,
      groupAllowed,
      maxTextChars,
    };
    await assert.rejects(decide(messageFrom({ from: "7" }), {}, context), /the store is away/);
  });

  for (const id of [`${owner}7`, `7${owner}`, `x${owner}y`, owner.slice(1), `${owner} `, `+${owner}`, "１２３４５６"])
    it(`an id like a listed one is a stranger's: ${JSON.stringify(id)}`, async () => {
      assert.deepEqual(await decide(messageFrom({ from: id }), { direct: "allowlist" }), refused("not_allowed"));
    });

  for (const name of ["Ada Lovelace", "Аda Lovelace", "\u202eecalevoL adA", "A\u200bda Lovelace", owner])
    it(`a name decides nothing: ${JSON.stringify(name)}`, async () => {
      const event = messageFrom({ from: "7", name, handle: "ada" });
      assert.deepEqual(await decide(event, { direct: "allowlist" }), refused("not_allowed"));
    });
});

describe("an identity that nobody has checked", () => {
  const claimed: EventFacts = { from: owner, assurance: "claimed" };
  table([
    ["matches no list", claimed, { direct: "allowlist" }, refused("unverified_sender")],
    ["gets no pairing code", { ...claimed, from: "7" }, {}, refused("unverified_sender")],
    ["talks where everybody may", claimed, { direct: "open" }, turn],
  ]);

  it("is not approved because somebody else was", async () => {
    const context = { approved: async () => true, blocked, groupAllowed, maxTextChars };
    assert.deepEqual(await decide(messageFrom(claimed), {}, context), refused("unverified_sender"));
  });
});

describe("who may talk in groups", () => {
  const inTeam: EventFacts = { kind: "group", conversation: team, mentionsSelf: true };
  const elsewhere: EventFacts = { ...inTeam, conversation: "-100999" };
  const notGranted = refused("group_not_allowed");
  table([
    ["anybody in a listed group", { ...inTeam, from: "7" }, {}, turn],
    ["a listed person in another group", { ...elsewhere, from: owner }, {}, notGranted],
    ["a group that took a listed group's name", { ...elsewhere, title: team }, {}, notGranted],
    ["a group whose id contains a listed one", { ...inTeam, conversation: `${team}1` }, {}, notGranted],
    ["any group where groups are open", { ...elsewhere, from: "7" }, { groups: "open" }, turn],
    ["no group where groups are off", { ...inTeam, from: owner }, { groups: "off" }, refused("account_off")],
    ["a broadcast, as a group", { ...inTeam, kind: "broadcast", conversation: "-5" }, {}, notGranted],
    ["direct rules do not matter", inTeam, { direct: "off" }, turn],
    ["nobody whose id is only claimed", { ...inTeam, assurance: "claimed" }, {}, refused("unverified_sender")],
  ]);

  it("a person paired in a direct chat is not let into a group", async () => {
    const context = { approved: async () => true, blocked, groupAllowed, maxTextChars };
    assert.deepEqual(await decide(messageFrom({ ...elsewhere, from: "7" }), {}, context), notGranted);
  });
});

describe("who may call us into a chat that we are no member of", () => {
  const call = (from: string, facts: EventFacts = {}) => {
    const event = messageFrom({ kind: "group", conversation: "-guest:1", mentionsSelf: true, from, ...facts });
    return { ...event, conversation: { ...event.conversation, guest: true } } as const;
  };
  const paired = { approved: async () => true, blocked, groupAllowed, maxTextChars };

  it("is who is known, or everybody where groups are open; nobody else is told anything", async () => {
    assert.deepEqual(await decide(call(owner)), turn);
    assert.deepEqual(await decide(call("7")), refused("not_allowed"));
    assert.deepEqual(await decide(call("7"), { direct: "open" }), refused("not_allowed"));
    assert.deepEqual(await decide(call("7"), {}, paired), turn);
    assert.deepEqual(await decide(call("7"), { groups: "open" }), turn);
    assert.deepEqual(await decide(call(owner), { groups: "off" }), refused("account_off"));
    assert.deepEqual(await decide(call(owner, { assurance: "claimed" })), refused("unverified_sender"));
  });
});

describe("a bot where bots are answered", () => {
  const facts = { role: "bot", from: owner } as const;
  const answered = async (more: EventFacts, rules: Rules = {}) => {
    const policy = policyOf(rules);
    return admit(messageFrom({ ...facts, ...more }), { ...policy, access: { ...policy.access, bots: "on" } }, nobody);
  };

  it("is treated as a person with its id, except that it gets no code and gives no commands", async () => {
    assert.deepEqual(await answered({}), turn);
    assert.deepEqual(await answered({ from: "7" }), refused("not_allowed"));
    assert.deepEqual(await answered({ kind: "group", conversation: team }), ignored("not_addressed"));
    assert.deepEqual(await answered({ kind: "group", conversation: team, mentionsSelf: true }), turn);
    assert.deepEqual(await answered({ text: "/stop" }), turn);
  });
});

describe("who is no person", () => {
  const open: Rules = { direct: "open", groups: "open" };
  table([
    ["we ourselves: not even recorded", { role: "self" }, open, { kind: "echo" }],
    ["we ourselves, without an id", { role: "self", from: "" }, open, { kind: "echo" }],
    ["another bot", { role: "bot" }, open, ignored("from_bot")],
    ["another bot that carries a listed id", { role: "bot", from: owner }, {}, ignored("from_bot")],
    ["the platform itself", { role: "system" }, open, ignored("from_system")],
    ["a system with a verified signature", { role: "system", assurance: "signed" }, open, turn],
    ["nobody knows who", { role: "unknown", from: "7" }, { direct: "allowlist" }, refused("not_allowed")],
  ]);
});

describe("what is no new message", () => {
  const expected: readonly (readonly [string, Decision])[] = [
    ["message.created", turn],
    ["message.edited", turn],
    ["reaction.added", ignored("reaction")],
    ["reaction.removed", ignored("reaction")],
    ["action.invoked", commanded("stop")],
    ["message.deleted", turn],
  ];

  it("is decided by its type once the sender is let in", async () => {
    const decisions = await Promise.all(
      sampleEvents({ from: owner }).map(async (event) => [event.type, await decide(event)] as const),
    );
    assert.deepEqual(decisions, expected);
  });

  it("passes the same door as a message: nothing of a stranger is taken, and only words ask for access", async () => {
    for (const event of sampleEvents({ from: "7" })) {
      const isMessage = event.type === "message.created";
      assert.deepEqual(await decide(event), isMessage ? pair : refused("not_allowed"), event.type);
      assert.deepEqual(await decide(event, { direct: "allowlist" }), refused("not_allowed"), event.type);
    }
    for (const event of sampleEvents({ kind: "group", conversation: "-5" }))
      assert.deepEqual(await decide(event), refused("group_not_allowed"), event.type);
  });

  it("is for the agent when one of its buttons was pressed, by somebody who may", async () => {
    const [action] = sampleEvents({ from: owner }).filter(({ type }) => type === "action.invoked");
    assert.ok(action?.type === "action.invoked");
    assert.deepEqual(await decide({ ...action, actionId: "approve" }), turn);
    const sender = { ...action.sender, userId: brandAs<UserId>("7") };
    assert.deepEqual(await decide({ ...action, actionId: "approve", sender }), refused("not_allowed"));
    assert.deepEqual(await decide({ ...action, actionId: "stop", sender }), refused("not_allowed"));
  });
});

describe("whom a message in a group is for", () => {
  const said: EventFacts = { kind: "group", conversation: team };
  table([
    ["not us", said, {}, ignored("not_addressed")],
    ["us, by a mention", { ...said, mentionsSelf: true }, {}, turn],
    ["us, by an answer to one of ours", { ...said, repliesToSelf: true }, {}, turn],
    ["us, where we listen to everything", said, { activation: "always" }, turn],
    ["not us, even when it is much too long", { ...said, text: "x".repeat(101) }, {}, ignored("not_addressed")],
    ["not us, even when it is a command", { ...said, text: "/stop" }, {}, ignored("not_addressed")],
    ["us, by a command that names us", { ...said, text: "/stop", mentionsSelf: true }, {}, commanded("stop")],
  ]);
});

describe("what there is to read", () => {
  const blank = [
    "",
    "   ",
    "\n\t\r",
    "\u200b\u200d\u2060",
    "\ufeff",
    "\u00ad",
    "\u0000",
    "\u3164",
    "\ufe0f",
    "\u034f",
    "\u2800",
  ];
  for (const text of blank)
    it(`nothing in ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(await decide(messageFrom({ from: owner, text })), ignored("empty"));
    });

  for (const text of [".", "👍", "👨‍👩‍👧", "\u200b.\u200b", "ا", "0"])
    it(`something in ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(await decide(messageFrom({ from: owner, text })), turn);
    });

  it("a message that is answered without a word", async () => {
    const said = messageFrom({ from: owner, text: "" });
    const quote = { userId: brandAs<UserId>("9"), displayName: "Bob", markdown: "", attachments: [attachmentFrom()] };
    assert.ok(said.type === "message.created");
    assert.deepEqual(await decide({ ...said, message: { ...said.message, quote } }), turn);
  });

  it("an attachment without a text", async () => {
    assert.deepEqual(await decide(messageFrom({ from: owner, text: " ", attachments: [attachmentFrom()] })), turn);
  });

  it("the longest text, and not one character more", async () => {
    assert.deepEqual(await decide(messageFrom({ from: owner, text: "x".repeat(100) })), turn);
    assert.deepEqual(await decide(messageFrom({ from: owner, text: "x".repeat(101) })), {
      kind: "refuse",
      reason: "too_long",
      notice: "Your message is too long: 101 characters. I can read up to 100. Please shorten or split it.",
    });
  });
});

describe("what is a command", () => {
  table([
    ["a known name", { from: owner, text: "/new" }, {}, commanded("new")],
    ["not of a stranger", { from: "7", text: "/new" }, { direct: "allowlist" }, refused("not_allowed")],
    ["a stranger's only asks for access", { from: "7", text: "/stop" }, {}, pair],
    ["a name without a meaning is a message", { from: owner, text: "/approved 1234" }, {}, turn],
    [
      "not the text of a signed system",
      { role: "system", assurance: "signed", text: "/new" },
      { direct: "open" },
      turn,
    ],
  ]);

  it("not what a message was changed to", async () => {
    assert.deepEqual(await decide(editOf(messageFrom({ from: owner, text: "x" }), "/new")), turn);
  });
});
