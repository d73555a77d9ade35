import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type Asker, brandAs, type Derived, isGatewayError, type UserId } from "@talaria/protocol";
import type { NewSkill } from "../ports/skills.ts";
import { beginTurn, createTestStore, entryOf, newWorker, type RunningTurn, type TestStore } from "../test-store.ts";

const ada: Asker = {
  sender: { userId: brandAs<UserId>("ada"), role: "person", displayName: "Ada", assurance: "platform" },
  role: "member",
};
const derived: Derived = { taint: [{ kind: "tool", name: "web_fetch" }], askers: [ada], audience: ["acct/here"] };
const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

describe("skills that the agent has written", () => {
  let test: TestStore;
  let turn: RunningTurn;
  let calls = 0;
  before(async () => {
    test = await createTestStore();
    await test.store.inbox.record(entryOf("learning", "learning"));
    turn = await beginTurn(test.store, "learning", await newWorker(test.store));
  });
  after(() => test[Symbol.asyncDispose]());

  function proposal(name: string, text: string, place = "acct/here"): NewSkill {
    calls += 1;
    return {
      ...{
        name,
        place,
        callKey: `call-${calls}`,
        author: "ada",
        eventId: brandAs("e1"),
        derived,
        description: `of ${text}`,
      },
      ...{ digest: digestOf(`${name} ${text}`), files: [{ path: "SKILL.md", text }] },
    };
  }
  const write = (skill: NewSkill) => test.store.skills.write(turn.lease, turn.start.turnId, skill);
  const seenIn = async (place: string, name: string) => {
    const found = (await test.store.skills.learnedIn(place)).find((one) => one.name === name);
    return found && `${found.version}${found.acceptedAt === undefined ? "" : " accepted"}`;
  };
  const accept = (name: string, text: string) =>
    test.store.skills.accept({ name, digest: digestOf(`${name} ${text}`), acceptedBy: "acct/owner" });

  it("are for the place where they were written, until an owner accepts that very version", async () => {
    assert.deepEqual(await write(proposal("tidy", "one")), { version: 1, isNew: true });
    assert.deepEqual([await seenIn("acct/here", "tidy"), await seenIn("acct/other", "tidy")], ["1", undefined]);
    assert.equal(await test.store.skills.filesOf("tidy", { place: "acct/other" }), undefined);
    await accept("tidy", "one");
    assert.equal(await seenIn("acct/other", "tidy"), "1 accepted");
    assert.deepEqual(await write(proposal("tidy", "two")), { version: 2, isNew: true });
    assert.deepEqual([await seenIn("acct/here", "tidy"), await seenIn("acct/other", "tidy")], ["2", "1 accepted"]);
    assert.deepEqual(await test.store.skills.filesOf("tidy", { place: "acct/other" }), [
      { path: "SKILL.md", text: "one" },
    ]);
    const [newest] = (await test.store.skills.learned()).filter(({ name }) => name === "tidy");
    assert.ok(newest);
    const { writtenAt: _, ...rest } = newest;
    assert.deepEqual(rest, {
      ...{ name: "tidy", version: 2, digest: digestOf("tidy two"), description: "of two", place: "acct/here" },
      ...{ sessionKey: turn.lease.sessionKey, author: "ada", eventId: "e1", derived },
      ...{ isWithdrawn: false, isArchived: false, isSetAside: false },
    });
  });

  it("are written once for each call, and not again where they are the same", async () => {
    const once = proposal("once", "one");
    assert.deepEqual(
      [await write(once), await write(once)],
      [
        { version: 1, isNew: true },
        { version: 1, isNew: true },
      ],
    );
    assert.deepEqual(await write(proposal("once", "one")), { version: 1, isNew: false });
  });

  it("are nobody else's to replace before they are known there", async () => {
    await write(proposal("mine", "one"));
    assert.equal(await write(proposal("mine", "two", "acct/other")), "taken");
    await accept("mine", "one");
    assert.deepEqual(await write(proposal("mine", "two", "acct/other")), { version: 2, isNew: true });
    assert.deepEqual([await seenIn("acct/other", "mine"), await seenIn("acct/here", "mine")], ["2", "1 accepted"]);
  });

  it("go back to an earlier version, which counts for others only where it was accepted", async () => {
    const { skills } = test.store;
    for (const text of ["one", "two", "three"]) await write(proposal("back", text));
    await accept("back", "one");
    await accept("back", "three");
    assert.equal(await seenIn("acct/other", "back"), "3 accepted");
    const done = await skills.rollBack("back");
    assert.deepEqual([done?.from, done?.skill.version, done?.skill.acceptedAt], [3, 2, undefined]);
    assert.deepEqual([await seenIn("acct/here", "back"), await seenIn("acct/other", "back")], ["2", "1 accepted"]);
    await skills.rollBack("back", 1);
    assert.deepEqual([await seenIn("acct/here", "back"), await skills.rollBack("back")], ["1 accepted", undefined]);
    await skills.rollBack("back", 3);
    assert.equal(await seenIn("acct/other", "back"), "3 accepted");
    assert.equal(await skills.rollBack("back", 9), undefined);
    assert.deepEqual(await write(proposal("back", "four")), { version: 4, isNew: true });
  });

  it("that were taken back are not accepted any more, also where the same is written again", async () => {
    const { skills } = test.store;
    for (const text of ["one", "two"]) {
      await write(proposal("again", text));
      await accept("again", text);
    }
    await skills.rollBack("again");
    const isAccepted = async () => (await skills.accepted([digestOf("again two")])).size === 1;
    assert.deepEqual([await seenIn("acct/other", "again"), await isAccepted()], ["1 accepted", false]);
    assert.deepEqual(await write(proposal("again", "two")), { version: 3, isNew: true });
    assert.deepEqual([await seenIn("acct/here", "again"), await seenIn("acct/other", "again")], ["3", "1 accepted"]);
    await accept("again", "two");
    assert.equal(await seenIn("acct/other", "again"), "3 accepted");
  });

  it("keep ten versions of a name, and the one that counts for everybody", async () => {
    for (let n = 1; n <= 13; n += 1) {
      await write(proposal("often", String(n)));
      if (n === 2) await accept("often", "2");
    }
    const versions = (await test.store.skills.learned()).filter(({ name }) => name === "often");
    assert.deepEqual(
      versions.map(({ version }) => version),
      [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 2],
    );
    assert.equal(await seenIn("acct/other", "often"), "2 accepted");
  });

  it("are 30 of a place at most", async () => {
    for (let n = 0; n < 30; n += 1) await write(proposal(`full-${n}`, "x", "acct/full"));
    assert.equal(await write(proposal("one-more", "x", "acct/full")), "full");
    assert.deepEqual(await write(proposal("full-3", "y", "acct/full")), { version: 2, isNew: true });
  });

  it("are forgotten with all versions by the operator, and by who taught them while nobody has accepted them", async () => {
    const { skills, inbox } = test.store;
    const forget = async (name: string, author: string) => {
      const { event } = entryOf(`forget ${name} ${author}`, "learning");
      const effect = { kind: "forget_skill", sessionKey: turn.lease.sessionKey, name, place: "acct/here", author };
      const settled = await inbox.settle({ event, outcome: "command", reason: "learned", effect: effect as never });
      return settled.outcome === "settled" && settled.applied;
    };
    await write(proposal("gone", "one"));
    assert.deepEqual(
      [await forget("gone", "bob"), await forget("gone", "ada"), await seenIn("acct/here", "gone")],
      [false, true, undefined],
    );
    await write(proposal("gone", "one"));
    await accept("gone", "one");
    assert.equal(await forget("gone", "ada"), false);
    assert.deepEqual([await skills.forget("gone"), await skills.forget("gone")], [true, false]);
    assert.equal((await skills.accepted([digestOf("gone one")])).size, 0);
  });

  it("are written by the holder of the session alone", async () => {
    const lease = { ...turn.lease, fence: turn.lease.fence - 1 };
    await assert.rejects(test.store.skills.write(lease, turn.start.turnId, proposal("late", "x")), (error) =>
      isGatewayError(error, "conflict"),
    );
  });
});
