import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  type AccountPolicy,
  brandAs,
  type Instant,
  type MessageId,
  type ThreadId,
  type UserId,
} from "@talaria/protocol";
import type { StoredContext } from "@talaria/store";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("the gate and what a session remembers", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  /** A question and its answer. */
  async function asked(text: string, facts: EventFacts = {}, gate: Gate = desk.gate, context?: StoredContext) {
    await desk.runTurn(text, facts, gate);
    await desk.endTurn(context);
  }

  /** Gives a command, and reads what it answers. */
  async function told(text: string, facts: EventFacts = {}, gate: Gate = desk.gate): Promise<string> {
    const place = facts.conversation ?? "c1";
    const before = (await desk.notices(place)).length;
    await gate(desk.message({ text, ...facts }));
    return (await desk.notices(place)).slice(before).join("\n---\n");
  }

  const remembered = (conversation = "c1") => desk.remembered(conversation);

  it("takes back the last questions with their answers, and says which", async () => {
    for (const text of ["one", "two *stars* [x](y)", "three"]) await asked(text);
    assert.equal(
      await told("/undo 2"),
      "Taken back; I no longer know of it:\n\n- “three”\n- “two \\*stars\\* \\[x\\](y)”\n\nFiles stay as they are, and what was done elsewhere is not undone.",
    );
    assert.deepEqual(await remembered(), ["one"]);
    await told("/undo");
    assert.deepEqual(await remembered(), []);
    assert.equal(await told("/undo"), "I remember nothing here yet.");
  });

  it("takes back once however often the command is delivered", async () => {
    for (const text of ["one", "two", "three"]) await asked(text);
    const undo = desk.message({ text: "/undo" });
    assert.equal(await desk.gate(undo), "recorded");
    assert.equal(await desk.gate(undo), "duplicate");
    assert.deepEqual(await remembered(), ["one", "two"]);
  });

  for (const given of ["/undo 0", "/undo 21", "/undo all", "/undo -1", "/undo 1.5", `/undo ${"9".repeat(900)}`])
    it(`explains itself to ${given.slice(0, 20)}`, async () => {
      await asked("one");
      assert.match(await told(given), /^`\/undo` takes back .*Nothing was done\.$/);
      assert.deepEqual(await remembered(), ["one"]);
    });

  it("changes no memory while an answer is under way, and says what to do", async () => {
    await asked("one");
    await desk.runTurn("two");
    for (const command of ["/undo", "/branch", "/branch 1"])
      assert.match(await told(command), /^Nothing was done, .* `\/stop` .* then `\/(undo|branch)` again\.$/, command);
    await desk.endTurn();
    await told("/new");
    await desk.runTurn("three");
    assert.match(await told("/resume 1"), /`\/resume 1` again/);
  });

  it("does nothing when something came between the look and the commit", async () => {
    for (const text of ["one", "two"]) await asked(text);
    const stale = desk.gateWith({
      memories: {
        ...test.store.memories,
        turns: async (key, most) => (await test.store.memories.turns(key, most + 1)).slice(1),
      },
    });
    assert.match(await told("/undo", {}, stale), /^Nothing was done/);
    assert.deepEqual(await remembered(), ["one", "two"]);
  });

  it("begins a branch, and goes back to what it began with", async () => {
    for (const text of ["one", "two"]) await asked(text);
    assert.equal(
      await told("/branch"),
      "This is a branch now: I remember everything up to here. Files stay as they are, and what was done elsewhere is not undone. `/resume 1` goes back to the conversation before.",
    );
    await asked("three");
    assert.deepEqual(await remembered(), ["one", "two", "three"]);
    assert.equal(await told("/resume 1"), "Going on with “one” (1). `/resume 2` goes back.");
    assert.deepEqual(await remembered(), ["one", "two"]);
    const list = await told("/resume");
    assert.match(
      list,
      /^What I remember here:\n\n- `1` “one”: 2 turns, last used \d{4}-\d\d-\d\d \d\d:\d\d UTC, this one\n- `2` “Branch of one”: 3 turns, /,
    );
    assert.equal(await told("/resume 1"), "That's the one we're in: “one” (1).");
  });

  it("branches from the message that is answered, from a count, and from words", async () => {
    for (const [n, text] of ["apples", "pears", "plums"].entries()) await asked(text, { messageId: `m-${n}` });
    const reply = desk.message({ text: "/branch" });
    const message = { ...reply.message, replyTo: brandAs<MessageId>("m-1") };
    await desk.gate({ ...reply, message });
    assert.deepEqual(await remembered(), ["apples", "pears"]);
    assert.match(await told("/branch 1"), /everything up to “apples”\. Files stay as they are.* `\/resume 2`/);
    assert.deepEqual(await remembered(), ["apples"]);
    await told("/resume 1");
    assert.match(await told("/branch  PEARS"), /everything up to “pears”/);
    for (const lost of ["/branch 99", "/branch 100000", "/branch cherries"])
      assert.match(await told(lost), /^I can't begin a branch there/, lost);
  });

  it("names a branch of a branch after what that began with, each with its number", async () => {
    await asked("one");
    await told("/title Team talk");
    for (const title of ["Branch of Team talk", "Branch of Team talk (2)", "Branch of Team talk (3)"]) {
      assert.match(await told("/branch"), /branch now/);
      assert.equal(await told("/title"), `The title is “${title}”.`);
    }
    await told(`/title ${"x".repeat(80)}`);
    for (const end of ["x…", "… (2)"]) {
      await told("/branch");
      const title = (await told("/title")).slice("The title is “".length, -2);
      assert.ok(title.startsWith("Branch of x") && title.endsWith(end) && title.length === 80, title);
    }
  });

  it("finds no message of another conversation", async () => {
    await asked("mine", { messageId: "m-mine" });
    await asked("theirs", { conversation: "c2", from: "u1", messageId: "m-theirs" });
    const reply = desk.message({ text: "/branch" });
    await desk.gate({ ...reply, message: { ...reply.message, replyTo: brandAs<MessageId>("m-theirs") } });
    assert.match((await desk.notices("c1")).at(-1) ?? "", /^I can't begin a branch there/);
    assert.match(await told("/resume theirs"), /^I have nothing like that here/);
    assert.deepEqual(await remembered(), ["mine"]);
  });

  it("starts anew under a new number, and finds former memories by their words", async () => {
    await asked("a trip to Rome");
    await told("/new");
    await asked("a trip to Paris");
    await told("/new");
    assert.match(await told("/resume"), /- `2` “a trip to Paris”: 1 turn, last.*\n- `1` “a trip to Rome”/);
    assert.match(await told("/resume trip"), /^Which one\?\n\n- `2`/);
    assert.equal(await told("/resume ROME"), "Going on with “a trip to Rome” (1).");
    assert.deepEqual(await remembered(), ["a trip to Rome"]);
    await told("/new");
    await asked("a third");
    assert.match(await told("/resume"), /^What I remember here:\n\n- `5` “a third”/);
  });

  it("keeps a title: one line, nothing invisible, no markup", async () => {
    assert.equal(await told("/title Rome"), "There is no conversation here yet. Write to me, and one begins.");
    await asked("one");
    assert.match(await told("/title"), /^This has no title yet/);
    assert.equal(await told("/title My  *big*\n\u202etrip\u0007 <b>"), "The title is now “My \\*big\\* trip \\<b\\>”.");
    assert.match(await told("/resume"), /“My \\\*big\\\* trip \\<b\\>”/);
    assert.match(await told(`/title ${"x".repeat(81)}`), /^A title has at most 80 characters, yours has 81\./);
    assert.match(await told("/title \u202e\u200b---"), /^A title needs at least one letter/);
    assert.equal(await told("/title"), "The title is “My \\*big\\* trip \\<b\\>”.");
    assert.match(await told("/branch"), /branch now/);
    assert.equal(await told("/title"), "The title is “Branch of My \\*big\\* trip \\<b\\>”.");
  });

  it("tells where the conversation was named, for platforms that show names", async () => {
    const renamed: unknown[] = [];
    const gate = desk.gateWith({ renamed: ({ threadId }, title) => renamed.push([threadId, title]) });
    await asked("one");
    await told("/title", {}, gate);
    await told("/title ---", {}, gate);
    const named = desk.message({ text: "/title My trip" });
    const replyTo = { ...named.conversation, threadId: brandAs<ThreadId>("t1") };
    for (let n = 0; n < 2; n += 1) await gate(named, { replyTo });
    assert.deepEqual(renamed, [["t1", "My trip"]]);
    await told("/title Rome", {}, gate);
    assert.deepEqual(renamed.at(-1), [undefined, "Rome"]);
  });

  it("says how full the window is, and what fills it", async () => {
    assert.equal(await told("/context"), "There is no conversation here yet. Write to me, and one begins.");
    await asked("one");
    assert.match(await told("/context"), /^I don't know yet/);
    const parts = { prompt: 2_000, tools: 0, words: 1_500, answers: 500, results: 40_000, checkpoint: 0 };
    const at = brandAs<Instant>("2026-11-23T10:00:00.000Z");
    await asked("two", {}, desk.gate, { tokens: 44_000, windowTokens: 128_000, parts, compressions: 2, at });
    assert.equal(
      await told("/context"),
      "My window is 34 % full: 44,000 of 128,000 tokens, after the answer of 2026-11-23 10:00 UTC.\n\n- who I am and the rules: 2,000\n- what people wrote: 1,500\n- what I answered: 500\n- what tools brought: 40,000\n\nCompressed 2 times.",
    );
    await told("/undo");
    assert.match(await told("/context"), /^I don't know yet/);
  });

  it("marks a memory for compressing, once", async () => {
    await desk.gate(desk.message({ text: "one" }));
    assert.equal(await told("/compact"), "I remember nothing here yet.");
    await told("/stop");
    await asked("two");
    assert.match(await told("/compact"), /^I'll compress what I remember when you write next\./);
    assert.equal(await told("/compact"), "I'll do it when you write next.");
    await asked("three");
    assert.match(await told("/compact"), /^I'll compress/);
  });

  it("says at once that there is too little to compress, where it knows that", async () => {
    const at = brandAs<Instant>("2026-11-23T10:00:00.000Z");
    const context = (windowTokens: number, more: Partial<StoredContext["parts"]>): StoredContext => {
      const parts = { prompt: 4_000, tools: 9_000, words: 0, answers: 0, results: 0, checkpoint: 0, ...more };
      return { tokens: 20_000, windowTokens, parts, compressions: 0, at };
    };
    await asked("one", {}, desk.gate, context(128_000, { words: 40, answers: 25 }));
    assert.equal(
      await told("/compact"),
      "There is too little to compress: what was said and done here takes 65 of 128,000 tokens.",
    );
    await asked("two", {}, desk.gate, context(128_000, { words: 10, checkpoint: 30_000 }));
    assert.equal(
      await told("/compact"),
      "There is too little to compress: what was said and done since the last time takes 10 of 128,000 tokens.",
    );
    await asked("three", {}, desk.gate, context(8_000, { results: 401 }));
    assert.match(await told("/compact"), /^I'll compress/);
    await asked("four", {}, desk.gate, context(8_000, { results: 399 }));
    await desk.runTurn("five");
    assert.match(await told("/compact"), /^I'll compress/, "more is under way");
  });

  describe("in a group", () => {
    const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true } as const;

    /** `boss` is an owner and `u1` is listed. */
    function group(owners = ["boss"], sessions: Partial<AccountPolicy["sessions"]> = {}): Gate {
      const policy = openGroups();
      const access = { ...policy.access, owners: owners.map((id) => brandAs<UserId>(id)) };
      return desk.gateWith({ policyOf: () => ({ ...policy, access, sessions: { ...policy.sessions, ...sessions } }) });
    }

    it("lets a member take back a member's words, and not an owner's", async () => {
      const gate = group();
      await asked("of the boss", { ...inGroup, from: "boss" }, gate);
      await asked("of a member", inGroup, gate);
      const refused = "Only an owner can take this back, since an owner asked it: “of the boss”. Nothing was done.";
      assert.equal(await told("/undo 2", { ...inGroup, from: "u1" }, gate), refused);
      assert.match(await told("/undo", { ...inGroup, from: "u1" }, gate), /^Taken back/);
      assert.equal(await told("/undo", { ...inGroup, from: "u1" }, gate), refused, "each time");
      assert.deepEqual(await remembered("g1"), ["of the boss"]);
      assert.match(await told("/undo", { ...inGroup, from: "boss" }, gate), /^Taken back/);
      assert.deepEqual(await remembered("g1"), []);
    });

    it("asks who is an owner now, not who was one then", async () => {
      await asked("of the former boss", { ...inGroup, from: "boss" }, group());
      assert.match(await told("/undo", { ...inGroup, from: "u1" }, group([])), /^Taken back/);
      await asked("of one to come", { ...inGroup, from: "rising" }, group());
      assert.match(await told("/undo", { ...inGroup, from: "u1" }, group(["rising"])), /^Only an owner/);
    });

    it("refuses guests whatever changes or lists memories, and lets them read the rest", async () => {
      const gate = group();
      await asked("one", { ...inGroup, from: "guest" }, gate);
      const guest = { ...inGroup, from: "guest" };
      for (const command of ["/undo", "/branch", "/resume", "/resume 1", "/title x", "/compact"]) {
        assert.equal(await gate(desk.message({ ...guest, text: command })), "dropped", command);
        assert.ok(desk.said.includes("count refused needs_member"));
      }
      assert.deepEqual(await remembered("g1"), ["one"]);
      for (const command of ["/context", "/title"])
        assert.equal(await gate(desk.message({ ...guest, text: command })), "recorded", command);
    });

    it("lets guests change a memory that is theirs alone", async () => {
      const gate = group(["boss"], { groups: "sender" });
      assert.equal(await gate(desk.message({ ...inGroup, from: "guest", text: "/title mine" })), "recorded");
    });

    it("believes nobody who only claims to be somebody", async () => {
      const claim = { ...inGroup, from: "boss", assurance: "claimed" } as const;
      for (const command of ["/undo", "/resume", "/title x"])
        assert.equal(await group()(desk.message({ ...claim, text: command })), "dropped", command);
    });
  });
});
