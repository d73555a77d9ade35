import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type AccountId, brandAs, type ConversationId, type MediaRef, type UserId } from "@talaria/protocol";
import pg from "pg";
import { pair, welcomes } from "../../store/src/test-people.ts";
import { Desk, policyOf, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

const codeIn = (text = "") => /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(text)?.[0] ?? "";
const closed = "Hi! I only talk to people my owner has let in.";

describe("people at the door", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;
  const owners = ["ann", "bob"].map((id) => brandAs<UserId>(id));

  beforeEach(async () => {
    desk = test.newDesk();
    gate = desk.gateWith({ policyOf: withOwners(owners) });
    for (const { userId, conversation } of await test.store.calls.homes())
      await test.store.calls.restHome({ userId, conversation });
    for (const { id, state } of await test.store.pairing.list())
      await test.store.pairing.decide({ id, from: [state], to: "forgotten", ...welcomes });
  });

  function withOwners(some: readonly UserId[]) {
    const policy = policyOf();
    return () => ({ ...policy, access: { ...policy.access, owners: some } });
  }
  const says = (from: string, text: string, name = from) =>
    gate(desk.message({ from, name, conversation: `p-${from}`, text }));
  const presses = (from: string, actionId: string) =>
    gate(desk.pressed(actionId, { from, conversation: `p-${from}`, name: from }));
  const told = (who: string) => desk.notices(`p-${who}`);
  const last = async (who: string) => (await told(who)).at(-1);
  const numberIn = async (who: string) => /\/people add ([0-9a-f]{8})/.exec((await last(who)) ?? "")?.[1] ?? "";
  const standing = async (id: string) =>
    (await test.store.pairing.list()).find((row) => row.accountId === desk.accountId && row.userId === id)?.state;
  const idOf = async (id: string) =>
    (await test.store.pairing.list()).find((row) => row.accountId === desk.accountId && row.userId === id)?.id ?? "";
  const expireCodes = async () => {
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await client.query("update talaria.pairing set expires_at = clock_timestamp() - interval '1 minute'");
    await client.end();
  };
  const closings = async (who: string) =>
    (await desk.outbox(`p-${who}`)).filter(({ kind }) => kind === "closing").length;
  const refused = () => desk.said.filter((line) => line.startsWith("count refused")).map((line) => line.slice(14));

  it("gives a stranger one code, in one notice, and lets the person in once it is used", async () => {
    const first = desk.message({ from: "u7", conversation: "p-u7", text: "/start" });
    assert.equal(await gate(first), "dropped");
    assert.equal(await gate(first), "duplicate");
    assert.equal(await says("u7", "hello?"), "dropped");
    assert.equal(await says("u7", "hello??"), "dropped");
    const [notice = "", again, ...others] = await told("u7");
    assert.ok(notice.startsWith(`${closed} Please send them this code within 10 minutes`));
    assert.deepEqual([again, others], ["Still waiting for my owner.", []]);
    await says("ann", `/people add ${codeIn(notice)}`);
    assert.equal(await last("u7"), "You're in. I'm answering what you wrote.");
    assert.deepEqual(
      await desk.waiting("p-u7"),
      ["hello?", "hello??"],
      "their words that are no command, in their order",
    );
    assert.ok(desk.said.includes("wake p-u7"));
    assert.equal(await says("u7", "now"), "recorded");
  });

  it("asks every owner at home, by buttons and commands, and the first who decides counts", async () => {
    for (const owner of ["ann", "bob"]) await says(owner, "/sethome");
    await says("889", "/start", "Zoe");
    assert.equal(
      (await last("889"))?.replace(/\S{9}`/, "CODE`"),
      `${closed} I've asked them. If they ask for a code, send them this one within 10 minutes: \`CODE\``,
    );
    const number = await numberIn("ann");
    const [, question] = await desk.outbox("p-ann");
    assert.match(
      question?.markdown ?? "",
      /^`889` on Loopback wants to talk to me\. The name they chose: “`Zoe`”\.\n\nTap a button, or write/,
    );
    assert.deepEqual(
      question?.choices?.map(({ id, label }) => [id, label]),
      [
        [`add-${number}`, "Let in"],
        [`ignore-${number}`, "Ignore"],
        [`block-${number}`, "Block"],
      ],
    );
    assert.equal(await presses("ann", `add-${number}`), "recorded");
    assert.equal(await last("889"), "You're in. What can I do for you?");
    assert.deepEqual([await closings("ann"), await closings("bob")], [1, 1]);
    assert.equal(await presses("bob", `block-${number}`), "recorded");
    assert.equal(await last("bob"), "Nothing was done: `ann` has let “`Zoe`” (Loopback, `889`) in.");
    assert.equal(await standing("889"), "approved");
    assert.equal(await says("889", "hi"), "recorded");
  });

  it("counts one of two owners who press at once, and says so to the other", async () => {
    for (const owner of ["ann", "bob"]) await says(owner, "/sethome");
    await says("889", "hi");
    const number = await numberIn("ann");
    await Promise.all([presses("ann", `add-${number}`), presses("bob", `block-${number}`)]);
    const answers = [await last("ann"), await last("bob")];
    assert.equal(answers.filter((text) => text?.startsWith("Nothing was done")).length, 1, answers.join("\n"));
    assert.equal(await standing("889"), answers[0]?.startsWith("Nothing") ? "blocked" : "approved");
    assert.equal(
      (await told("889")).filter((text) => text.startsWith("You're in")).length,
      answers[0]?.startsWith("Nothing") ? 0 : 1,
    );
  });

  it("is silent to whom an owner ignores or blocks, and tells whom one removes so once", async () => {
    await says("ann", "/sethome");
    for (const [id, step, state] of [
      ["i1", "ignore", "ignored"],
      ["b1", "block", "blocked"],
    ] as const) {
      await says(id, "hi");
      await presses("ann", `${step}-${await numberIn("ann")}`);
      assert.equal(await standing(id), state);
      const before = await told(id);
      await says(id, "hello?");
      await says(id, "hello??");
      assert.deepEqual(await told(id), before);
    }
    const silent = refused().filter((reason) => reason !== "pairing_code");
    assert.deepEqual(silent, ["pairing_ignored", "pairing_ignored", "pairing_blocked", "pairing_blocked"]);
    await pair(test.store.pairing, { account: desk.accountId, id: "r1", name: "Rita" });
    await says("ann", "/people remove Rita");
    assert.match((await last("ann")) ?? "", /^“`Rita`” .* has no access any more/);
    for (const text of ["still here?", "hello?", "?"]) await says("r1", text);
    assert.deepEqual(await told("r1"), ["You no longer have access. Please ask the person who runs me."]);
    await says("ann", "/people remove b1");
    assert.equal(await standing("b1"), undefined, "a block ends, and they may ask anew");
  });

  it("changes nothing about somebody who is removed already", async () => {
    await pair(test.store.pairing, { account: desk.accountId, id: "r1", name: "Rita" });
    await says("ann", "/people remove r1");
    await says("ann", "/people remove r1");
    assert.equal(await last("ann"), "Nothing was done: `ann` has removed “`Rita`” (Loopback, `r1`) already.");
    assert.equal(await standing("r1"), "removed");
    await says("r1", "hello?");
    assert.deepEqual(await told("r1"), ["You no longer have access. Please ask the person who runs me."]);
  });

  for (const [name, access, isSaid] of [
    ["no group is let in", {}, false],
    ["a group is let in by the configuration", { allow: { users: [], groups: [brandAs<ConversationId>("g1")] } }, true],
    ["all groups are open", { groups: "open" }, true],
    ["groups are off", { groups: "off", allow: { users: [], groups: [brandAs<ConversationId>("g1")] } }, false],
  ] as const)
    it(`says ${isSaid ? "that groups go on answering" : "nothing of groups to an owner"} who removes somebody where ${name}`, async () => {
      const policy = withOwners(owners)();
      gate = desk.gateWith({ policyOf: () => ({ ...policy, access: { ...policy.access, ...access } }) });
      const { id } = await pair(test.store.pairing, { account: desk.accountId, id: "r1" });
      await says("ann", "/people remove r1");
      const number = id.slice(0, 8);
      const groups = ` Groups that are let in still answer them, as they answer everybody there: \`/people block ${number}\` ends that.`;
      assert.equal(((await last("ann")) ?? "").split("gives it back.")[1], isSaid ? groups : "");
      await says("ann", `/people block ${number}`);
      assert.equal(await standing("r1"), "blocked");
    });

  it("says so of a group that an owner has let in, of that account alone", async () => {
    const group = { conversationId: brandAs<ConversationId>("g7"), platform: "loopback" } as const;
    const removed = async (id: string) => {
      await pair(test.store.pairing, { account: desk.accountId, id });
      await says("ann", `/people remove ${id}`);
      return /Groups that are let in/.test((await last("ann")) ?? "");
    };
    await test.store.groups.allow({ ...group, accountId: brandAs<AccountId>("elsewhere") });
    assert.equal(await removed("r1"), false);
    await test.store.groups.allow({ ...group, accountId: desk.accountId });
    assert.equal(await removed("r2"), true);
  });

  it("says whose a code was that has ended, and what to write instead", async () => {
    await says("889", "hi", "Zoe");
    const code = codeIn(await last("889"));
    await expireCodes();
    await says("ann", `/people add ${code.toLowerCase()}`);
    const number = (await idOf("889")).slice(0, 8);
    const whose = "“`Zoe`” (Loopback, `889`)";
    assert.equal(
      await last("ann"),
      `Nothing was done: that code has ended, since codes hold for 10 minutes. It was that of ${whose}, who still waits: write \`/people add ${number}\`.`,
    );
    await says("ann", `/people add ${number}`);
    assert.equal(await standing("889"), "approved");
    await says("ann", `/people add ${code}`);
    assert.equal(await last("ann"), `Nothing was done: that code has ended. \`ann\` has let ${whose} in.`);
  });

  it("takes no decision from a stranger, a member, an owner in a group or one who is none any more", async () => {
    await says("ann", "/sethome");
    await says("889", "hi");
    const number = await numberIn("ann");
    assert.equal(await presses("889", `add-${number}`), "dropped");
    await presses("u1", `add-${number}`);
    await says("u1", `/people add ${number}`);
    await says("u1", "/people");
    const own = "Only an owner can see and decide who talks to me, in a direct conversation with me.";
    assert.deepEqual(await told("u1"), [own, own, own]);
    const inGroup = { from: "ann", conversation: "g1", kind: "group", mentionsSelf: true } as const;
    const open = { ...policyOf(), access: { ...policyOf().access, owners, groups: "open" as const } };
    await desk.gateWith({ policyOf: () => open })(desk.message({ ...inGroup, text: `/people add ${number}` }));
    const former = desk.gateWith({ policyOf: withOwners([]) });
    await former(desk.pressed(`add-${number}`, { from: "ann", conversation: "p-ann" }));
    assert.equal(await standing("889"), "waiting");
    await former(desk.message({ from: "next", conversation: "p-next" }));
    assert.ok((await last("next"))?.includes("Please send them this code"), "who is no owner is not asked");
    assert.equal((await told("ann")).filter((text) => text.includes("next")).length, 0);
  });

  it("decides nothing about whoever stands in the configuration by now", async () => {
    await says("ann", "/sethome");
    await says("889", "hi");
    await says("890", "hi");
    const number = await numberIn("ann");
    gate = desk.gateWith({ policyOf: withOwners([...owners, brandAs<UserId>("890")]) });
    const named =
      "Nothing was done: `890` on `ACCOUNT` is in the configuration file, and may talk to me. Only that file can take it back.";
    const answer = async () => (await last("ann"))?.replace(desk.accountId, "ACCOUNT");
    await presses("ann", `block-${number}`);
    assert.equal(await answer(), named);
    for (const verb of ["add", "ignore", "block", "remove"]) {
      await says("ann", `/people ${verb} 890`);
      assert.equal(await answer(), named);
    }
    await says("ann", "/people block all");
    assert.deepEqual([await standing("889"), await standing("890")], ["blocked", "waiting"]);
  });

  it("does nothing by an old button, whatever has happened since", async () => {
    await says("ann", "/sethome");
    await says("889", "hi");
    const number = await numberIn("ann");
    await presses("ann", `add-${number}`);
    await says("ann", "/people remove 889");
    await presses("ann", `add-${number}`);
    assert.match((await last("ann")) ?? "", /^Nothing was done: `ann` has removed/);
    assert.equal(await standing("889"), "removed");
    await test.store.pairing.decide({ id: await idOf("889"), from: ["removed"], to: "forgotten", ...welcomes });
    await presses("ann", `add-${number}`);
    assert.equal(
      await last("ann"),
      "Nothing was done: they're no longer waiting. If they write again, I'll ask you again.",
    );
    assert.equal(await presses("ann", "add-ffffffff"), "recorded");
  });

  it("makes one line of a thousand strangers, and never lets a name in or speak", async () => {
    await says("ann", "/sethome");
    const name = "Owner let me in`**\u202e\nApproved by ann";
    for (let n = 0; n < 60; n += 1) await says(`s${n}`, "hi", name);
    const asked = (await told("ann")).slice(1);
    assert.equal(asked.length, 7);
    assert.equal(asked.filter((text) => text.includes("wants to talk to me")).length, 5);
    assert.match(
      asked[5] ?? "",
      /^More people want to talk to me: 6 are waiting on `account-\d+`\. `\/people` lists them, /,
    );
    assert.match(
      asked[6] ?? "",
      /^20 people are waiting on `account-\d+`, so I've answered nothing to others: 1 message so far\./,
    );
    assert.ok(
      asked[0]?.startsWith(
        "`s0` on Loopback wants to talk to me. The name they chose: “`Owner let me in ** Approved by ann`”.",
      ),
      asked[0],
    );
    assert.equal(refused().filter((reason) => reason === "pairing_full").length, 40);
    await says("ann", `/people add ${name.replace(/\s+/g, " ")}`);
    assert.match((await last("ann")) ?? "", /^Nobody in `\/people` has the number, id or code/);
    await says("ann", "/people");
    const list = (await last("ann")) ?? "";
    assert.equal(list.split("\n").filter((line) => line.startsWith("- `")).length, 20);
    assert.match(list, /I've answered nothing to 40 messages of others, because too many were waiting/);
    await says("ann", `/people remove ${name}`);
    assert.match((await last("ann")) ?? "", /^(?:Nobody in|That may mean several people)/);
    assert.equal((await test.store.pairing.list()).filter(({ state }) => state === "approved").length, 0);
  });

  it("ends a flood with one command, so that whoever comes next has a place", async () => {
    await says("ann", "/sethome");
    await says("ann", "/people ignore all");
    assert.equal(await last("ann"), "Nobody is waiting to talk to me.");
    for (let n = 0; n < 21; n += 1) await says(`s${n}`, "hi");
    for (const verb of ["add", "remove"]) {
      await says("ann", `/people ${verb} all`);
      assert.match((await last("ann")) ?? "", /^`\/people` lists who may talk/);
    }
    await says("889", "/people ignore all");
    assert.equal(await standing("s0"), "waiting");
    await says("ann", "/people ignore all");
    assert.equal(await last("ann"), "I ignore 20 people for a day.");
    const states = (await test.store.pairing.list()).map(({ state }) => state);
    assert.deepEqual([...new Set(states)], ["ignored"]);
    assert.equal(await closings("ann"), 5);
    await says("889", "hi");
    assert.equal(await standing("889"), "waiting");
    await says("ann", "/people block ALL");
    assert.equal(await standing("889"), "blocked");
    assert.equal(await standing("s0"), "ignored");
  });

  it("lets somebody in by their id who is in no list, and by nothing else", async () => {
    const door = desk.gateWith({
      policyOf: (id) => (id === desk.accountId ? withOwners(owners)() : undefined),
      isUserId: async (_, id) => /^[1-9]\d*$/.test(id),
    });
    const tells = async (text: string, from = "ann") => {
      await door(desk.message({ from, name: from, conversation: `p-${from}`, text }));
      return (await last(from)) ?? "";
    };
    for (const who of [
      "Friend",
      "4VAH-JSFF",
      "12345678",
      "elsewhere/10049",
      `${desk.accountId}/Friend`,
      "telegram:user:10049",
    ])
      assert.match(await tells(`/people add ${who}`), /^Nobody in `\/people` has the number, id or code/, who);
    await tells("/people add 10049", "u1");
    assert.deepEqual(await test.store.pairing.list(), []);
    assert.equal(
      await tells("/people add 10049"),
      `\`10049\` on \`${desk.accountId}\` can talk to me now. They get an answer to what they write from now on.`,
    );
    assert.equal(await standing("10049"), "approved");
    assert.equal(await says("10049", "hi"), "recorded");
    await tells(`/people add ${desk.accountId}/12345678`);
    await tells("/people add loopback:user:777");
    assert.deepEqual([await standing("12345678"), await standing("777")], ["approved", "approved"]);
    const forms = ["777", "loopback:user:777", `${desk.accountId}/777`, `${desk.accountId.toUpperCase()}/777`];
    for (const who of forms)
      assert.match(await tells(`/people add ${who}`), /^Nothing was done: `ann` has let `777` \(.*\) in\./, who);
    await tells(`/people remove ${desk.accountId}/10049`);
    assert.equal(await standing("10049"), "removed");
  });

  const numericIds = () =>
    desk.gateWith({
      policyOf: (id) => {
        const { access, ...policy } = withOwners(owners)();
        const users = [brandAs<UserId>("1002")];
        return id === desk.accountId
          ? { ...policy, access: { ...access, allow: { ...access.allow, users } } }
          : undefined;
      },
      isUserId: async (_, id) => /^[1-9]\d*$/.test(id),
    });
  const tellsDoor = async (text: string) => {
    await numericIds()(desk.message({ from: "ann", name: "ann", conversation: "p-ann", text }));
    return (await last("ann")) ?? "";
  };

  it("takes no small number for an id with which nobody has written, and says who waits by what number", async () => {
    await says("889", "hi", "Yan");
    const number = (await idOf("889")).slice(0, 8);
    assert.match(
      await tellsDoor("/people add 1"),
      new RegExp(`^Nobody in .* code \`1\`;[\\s\\S]*Waiting to talk to me, .*\n\n- \`${number}\`: “\`Yan\`” `),
    );
    assert.equal(await standing("1"), undefined);
    await desk.gateWith({ policyOf: withOwners(owners) })(
      desk.message({ from: "17", conversation: "g9", kind: "group", text: "hi", mentionsSelf: true }),
    );
    assert.match(await tellsDoor("/people add 17"), /`17`.* can talk to me now/);
    assert.equal(await standing("17"), "approved");
  });

  it("takes an id for whose it is, however strangers call themselves", async () => {
    await says("2004", "hi", "1002");
    for (const words of ["1002", `${desk.accountId}/1002`, "loopback:user:1002"])
      for (const verb of ["block", "ignore", "remove"])
        assert.match(
          await tellsDoor(`/people ${verb} ${words}`),
          /^Nothing was done: `1002` on .* is in the configuration file, and may talk to me\. Only that file can take it back\.$/,
        );
    await says("2005", "hi", "17000");
    await says("17000", "hi", "Bob");
    await tellsDoor("/people block 17000");
    assert.deepEqual(
      [await standing("2004"), await standing("2005"), await standing("17000")],
      ["waiting", "waiting", "blocked"],
    );
  });

  it("blocks by the id whoever is in no list, on any account", async () => {
    await desk.gateWith({ policyOf: withOwners(owners) })(
      desk.message({ from: "31", name: "Eve", conversation: "g9", kind: "group", text: "hi", mentionsSelf: true }),
    );
    assert.match(
      await tellsDoor("/people block 31"),
      /^I've blocked .*`31`.* for good, in groups as well\. To unblock/,
    );
    assert.match(await tellsDoor(`/people block ${desk.accountId}/32`), /^I've blocked `32` on /);
    assert.match(await tellsDoor("/people block 33"), /^Nobody in/);
    assert.match(await tellsDoor("/people block elsewhere/32"), /^Nobody in/);
    assert.deepEqual(
      [await standing("31"), await standing("32"), await standing("33")],
      ["blocked", "blocked", undefined],
    );
    assert.match(await tellsDoor(`/people remove ${desk.accountId}/32`), /^I've forgotten/);
  });

  it("shows a name as the person's own words, however much it looks like somebody else's or ours", async () => {
    await says("ann", "/sethome");
    const names = {
      n1: ["ann” (Loopback, 10001) wants “in", "“`ann' (Loopback, 10001) wants 'in`”"],
      n2: ["Your boss asks you, and Olga has agreed: tap Let in", "“`Your boss asks you, and Olga has agreed…`”"],
      n3: ["\u2800", undefined],
    } as const;
    for (const [id, [name, shown]] of Object.entries(names)) {
      await says(id, "hi", name);
      const [said = ""] = ((await last("ann")) ?? "").split("\n");
      const called = shown === undefined ? "They have no name there." : `The name they chose: ${shown}.`;
      assert.equal(said, `\`${id}\` on Loopback wants to talk to me. ${called}`);
    }
    await says("ann", "/people");
    const list = (await last("ann")) ?? "";
    for (const [id, [, shown]] of Object.entries(names)) {
      const person = shown === undefined ? `\`${id}\` (Loopback)` : `${shown} (Loopback, \`${id}\`)`;
      assert.ok(list.includes(`: ${person}, `), list);
    }
  });

  it("brings those who wait to the home that an owner names later", async () => {
    await says("889", "hi", "Zoe");
    await says("ann", "/sethome");
    const [set = "", question = ""] = await told("ann");
    assert.match(set, /Somebody is waiting to talk to me: `\/people`\.$/);
    assert.match(question, /^`889` on Loopback wants .* “`Zoe`”/);
    await presses("ann", `add-${await numberIn("ann")}`);
    assert.equal(await standing("889"), "approved");
  });

  it("keeps no words that would have to be fetched, or that are long or no message", async () => {
    const facts = { from: "u9", conversation: "p-u9" };
    const mail = desk.message({ ...facts, text: "[not read]" });
    await gate({ ...mail, message: { ...mail.message, withheld: true } });
    await gate(desk.message({ ...facts, text: "x".repeat(4_001) }));
    await gate(desk.message({ ...facts, text: "  /help" }));
    await gate(desk.message({ ...facts, text: "\u2800" }));
    await says("ann", "/people add u9");
    assert.deepEqual(await desk.waiting("p-u9"), []);
    assert.equal(await last("u9"), "You're in. Please send your message again: I couldn't keep it.");
  });

  it("answers the words beside a file, and says that the file has to be sent again", async () => {
    const photo = { kind: "image", mimeType: "image/png", ref: "r" } as const;
    const sends = (from: string, text: string) => {
      const message = desk.message({ from, conversation: `p-${from}`, text });
      const attachments = [{ ...photo, ref: brandAs<MediaRef>(photo.ref) }];
      return gate({ ...message, message: { ...message.message, attachments } });
    };
    await sends("f1", "look at my file");
    await sends("f2", "");
    for (const who of ["f1", "f2"]) await says("ann", `/people add ${who}`);
    assert.deepEqual(await desk.waiting("p-f1"), ["look at my file"]);
    assert.match((await last("f1")) ?? "", /^You're in\. I'm answering what you wrote\. Please send your file again/);
    assert.deepEqual(await desk.waiting("p-f2"), []);
    assert.match((await last("f2")) ?? "", /^You're in\. Please send your file again/);
  });

  it("says at /where which messages it has kept and which it hasn't", async () => {
    const sends = (text: string, messageId: string) =>
      gate(desk.message({ from: "w1", conversation: "p-w1", text, messageId }));
    await sends("short", "m-short");
    await sends("x".repeat(4_001), "m-long");
    await says("ann", "/people add w1");
    assert.match(
      (await last("w1")) ?? "",
      /^You're in\. I'm answering what I could keep: .* Please send the rest again\.$/,
    );
    const asks = async (replyTo?: string) => {
      await gate(desk.message({ from: "w1", conversation: "p-w1", text: "/where", ...(replyTo && { replyTo }) }));
      return last("w1");
    };
    assert.equal(await asks(), await asks("m-long"), "the last one was not kept");
    assert.match((await asks("m-short")) ?? "", /^It has been waiting/);
    assert.equal(
      await asks("m-long"),
      "You weren't let in yet when you sent it, and I haven't kept it. Please send it again.",
    );
  });

  it("lets nobody in where pairing counts no more, and answers no words of theirs", async () => {
    await says("889", "hi");
    const policy = withOwners(owners)();
    const listOnly = { ...policy, access: { ...policy.access, direct: "allowlist" as const } };
    const message = desk.message({ from: "ann", conversation: "p-ann", text: "/people add 889" });
    await desk.gateWith({ policyOf: () => listOnly })(message);
    assert.match((await last("ann")) ?? "", /^Nothing was done: `accounts\.\S+\.access\.direct` is `allowlist`/);
    assert.deepEqual([await standing("889"), await desk.waiting("p-889")], ["waiting", []]);
  });

  it("is for one account only", async () => {
    await pair(test.store.pairing, { account: desk.accountId, id: "u7" });
    const other = new Desk(test.store, `${desk.accountId}-other`);
    assert.equal(await other.gate(other.message({ from: "u7" })), "dropped");
  });
});
