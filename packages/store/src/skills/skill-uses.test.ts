import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { brandAs, type SessionKey, type UserId } from "@talaria/protocol";
import pg from "pg";
import type { SkillTending } from "../ports/skills.ts";
import {
  accountId,
  beginTurn,
  completeTurn,
  createTestStore,
  entryOf,
  newAccountLease,
  newWorker,
  type RunningTurn,
  type TestStore,
} from "../test-store.ts";

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
const tending: SkillTending = {
  spared: ["quota"],
  archiveDays: 60,
  news: {
    learnt: { markdown: "learnt {name} {version}" },
    setAside: { markdown: "set aside {name}" },
    archived: { markdown: "archived {name}" },
  },
};

describe("uses of skills", () => {
  let test: TestStore;
  let events = 0;
  before(async () => {
    test = await createTestStore();
    const { event } = entryOf("home", "owner");
    const home = { kind: "home", sessionKey: brandAs<SessionKey>("owner"), userId: brandAs<UserId>("olga") } as const;
    const effect = { ...home, conversation: event.conversation };
    await test.store.inbox.settle({ event, outcome: "command", reason: "home", effect });
  });
  after(() => test[Symbol.asyncDispose]());

  const begin = async (session: string) => {
    events += 1;
    await test.store.inbox.record(entryOf(`event-${events}`, session));
    return await beginTurn(test.store, session, await newWorker(test.store));
  };
  const uses = async ({ lease, start }: RunningTurn, name: string, digest = digestOf(name)) =>
    test.store.skills.use({
      ...{ turnId: start.turnId, sessionKey: lease.sessionKey, name, digest },
      users: ["acct/ada"],
    });
  const end = async (turn: RunningTurn, outcome: "completed" | "failed", reason = "repeated_failure") => {
    if (outcome === "completed") return completeTurn(test.store, turn);
    const { turnId } = turn.start;
    return test.store.turns.commit(turn.lease, { turnId, outcome, reason, entries: [], outbox: [] });
  };
  let sessions = 0;
  const usedOnce = async (name: string, ...ended: readonly ["completed" | "failed", string?]) => {
    sessions += 1;
    const turn = await begin(`uses-${sessions}`);
    await uses(turn, name);
    await end(turn, ...ended);
    return (await test.store.skills.tend(tending)).setAside;
  };
  const isAside = async (name: string) => (await test.store.skills.setAside([digestOf(name)])).size === 1;
  const wrong = async (name: string, user?: string, session = "nowhere") => {
    events += 1;
    const effect = { kind: "skill_failed", sessionKey: brandAs<SessionKey>(session), name } as const;
    const settled = await test.store.inbox.settle({
      event: entryOf(`event-${events}`, session).event,
      ...{ outcome: "command", reason: "learned", effect: { ...effect, ...(user !== undefined && { user }) } },
    });
    return settled.outcome === "settled" && settled.applied;
  };
  const told = async () => {
    const lease = await newAccountLease(test.store, `gateway-${Math.random()}`);
    return (await test.store.outbox.due(lease, [], 100)).map(({ markdown }) => markdown);
  };

  it("are counted once for each turn", async () => {
    const turn = await begin("counted");
    for (let n = 0; n < 3; n += 1) await uses(turn, "counted");
    await end(turn, "completed");
    const [standing] = (await test.store.skills.standings()).filter(({ name }) => name === "counted");
    assert.deepEqual([standing?.uses, standing?.isSetAside], [1, false]);
  });

  it("set a skill aside after two in a row that have failed, until somebody brings it back", async () => {
    assert.deepEqual(await usedOnce("breaks", "failed"), []);
    assert.deepEqual(await usedOnce("breaks", "completed"), []);
    assert.deepEqual(await usedOnce("breaks", "failed"), []);
    assert.deepEqual(await usedOnce("breaks", "failed", "quota"), [], "that was not the skill's");
    assert.deepEqual(await usedOnce("breaks", "failed"), ["breaks"]);
    assert.equal(await isAside("breaks"), true);
    assert.equal((await test.store.skills.setAside([digestOf("another version")])).size, 0);
    assert.deepEqual([await test.store.skills.restore("breaks"), await isAside("breaks")], [true, false]);
    assert.deepEqual(await usedOnce("breaks", "failed"), [], "what was before counts no more");
    assert.equal(await test.store.skills.restore("nobody's"), false);
  });

  it("have failed, also where the turn had not, when whoever used it says so", async () => {
    await usedOnce("wrong", "completed");
    assert.deepEqual([await wrong("wrong", "acct/bob"), await wrong("wrong", "acct/ada")], [false, true]);
    assert.equal(await wrong("wrong", "acct/ada"), false, "it was said already");
    await usedOnce("wrong", "completed");
    assert.deepEqual([await wrong("wrong"), await isAside("wrong")], [true, true]);
    assert.deepEqual((await test.store.skills.tend(tending)).setAside, ["wrong"]);
  });

  it("that are none for 60 days put what the agent has written into the archive, and owners are told of all of it once", async () => {
    const turn = await begin("learns");
    const write = (name: string) =>
      test.store.skills.write(turn.lease, turn.start.turnId, {
        ...{ name, digest: digestOf(name), description: "x", files: [{ path: "SKILL.md", text: name }], author: "ada" },
        ...{ place: "acct/here", derived: { taint: [], askers: [] }, callKey: name },
      });
    for (const name of ["old", "used"]) await write(name);
    const client = new pg.Client(test.url);
    await client.connect();
    await client.query("set search_path to talaria");
    await client.query("update learned_skill set written_at = now() - interval '61 days'");
    await client.end();
    await uses(turn, "used");
    const first = await test.store.skills.tend(tending);
    assert.deepEqual([first.archived, first.accounts], [["old"], [accountId]]);
    assert.deepEqual(await test.store.skills.tend(tending), { accounts: [], setAside: [], archived: [] });
    const seen = async () => (await test.store.skills.learnedIn("acct/here")).map(({ name }) => name);
    assert.deepEqual(await seen(), ["used"]);
    assert.equal(await test.store.skills.restore("old"), true);
    assert.deepEqual((await test.store.skills.tend(tending)).archived, []);
    assert.deepEqual(await seen(), ["old", "used"]);
    const texts = await told();
    for (const text of ["set aside breaks", "set aside wrong", "archived old", "learnt used 1"])
      assert.equal(texts.filter((one) => one === text).length, 1, text);
  });
});
