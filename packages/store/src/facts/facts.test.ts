import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Asker, brandAs, type Derived, type FactSubject, isGatewayError, type UserId } from "@talaria/protocol";
import type { FactsChange } from "../ports/facts.ts";
import type { SessionLease } from "../ports/turns.ts";
import { beginTurn, createTestStore, entryOf, newWorker, type RunningTurn, type TestStore } from "../test-store.ts";

const ada: Asker = {
  sender: { userId: brandAs<UserId>("ada"), role: "person", displayName: "Ada", assurance: "platform" },
  role: "member",
};
const derived: Derived = { taint: [], askers: [ada] };
const person = (key: string): FactSubject => ({ scope: "person", key });

describe("facts in the store", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  async function turnIn(session: string): Promise<RunningTurn> {
    await test.store.inbox.record(entryOf(session, session));
    return await beginTurn(test.store, session, await newWorker(test.store));
  }

  async function changeOf(
    subject: FactSubject,
    callKey: string,
    more: Partial<FactsChange> = {},
    store = test.store,
  ): Promise<FactsChange> {
    const { version } = await store.facts.of(subject);
    return { ...subject, version, callKey, author: "ada", archive: [], confirm: [], ...more };
  }

  const adding = (text: string, more: Partial<Derived> = {}) => ({
    add: { text, trust: "said" as const, version: 1, derived: { ...derived, ...more } },
  });

  const textsOf = async (subjects: readonly FactSubject[], place = "acct/elsewhere") =>
    (await test.store.facts.seen({ subjects, place })).map(({ text }) => text);

  it("come back as they were written, with their sources", async () => {
    const { lease, start } = await turnIn("whole");
    const subject = person("acct/whole");
    const taint = [{ kind: "tool", name: "web_fetch" }] as const;
    const change = await changeOf(subject, "whole-1", {
      eventId: brandAs("e1"),
      add: { text: "prefers 表", trust: "inferred", about: "acct/ada", version: 3, derived: { ...derived, taint } },
    });
    assert.equal(await test.store.facts.change(lease, start.turnId, change), true);
    const [fact, ...others] = (await test.store.facts.of(subject)).facts;
    assert.ok(fact);
    const { id, createdAt, confirmedAt, ...rest } = fact;
    assert.deepEqual(others, []);
    assert.match(id, /^\d+$/);
    assert.equal(createdAt, confirmedAt);
    assert.deepEqual(rest, {
      ...{ ...subject, text: "prefers 表", trust: "inferred", author: "ada", eventId: "e1", about: "acct/ada" },
      ...{ derived: { ...derived, taint }, uses: 0, version: 3 },
    });
  });

  it("are seen of the subjects that are asked for, and where their audience is", async () => {
    const { lease, start } = await turnIn("seen");
    const agent: FactSubject = { scope: "agent", key: "" };
    const group: FactSubject = { scope: "group", key: "acct/g" };
    const write = async (subject: FactSubject, text: string, more: Partial<Derived> = {}) =>
      test.store.facts.change(lease, start.turnId, await changeOf(subject, `seen-${text}`, adding(text, more)));
    await write(agent, "for all");
    await write(agent, "for one", { audience: ["acct/seen", "acct/other"] });
    await write(person("acct/seen"), "private");
    await write(group, "of the group");
    assert.deepEqual(await textsOf([agent, person("acct/seen")], "acct/seen"), ["for all", "for one", "private"]);
    assert.deepEqual(await textsOf([agent, group], "acct/g"), ["for all", "of the group"]);
    assert.deepEqual(await textsOf([agent]), ["for all"]);
    assert.deepEqual(await textsOf([]), []);
  });

  it("go into the archive, are found there by words, and are replaced by what is known instead", async () => {
    const { lease, start } = await turnIn("archive");
    const subject = person("acct/archive");
    const change = async (key: string, more: Partial<FactsChange>) =>
      test.store.facts.change(lease, start.turnId, await changeOf(subject, key, more));
    await change("a1", adding("lives in Rome"));
    await change("a2", adding("has a dog"));
    const [rome, dog] = (await test.store.facts.of(subject)).facts;
    assert.ok(rome && dog);
    await change("a3", { ...adding("lives in Oslo"), archive: [{ id: rome.id, why: "replaced" }] });
    await change("a4", { archive: [{ id: dog.id, why: "removed" }] });
    const [oslo] = (await test.store.facts.of(subject)).facts;
    const reach = { subjects: [subject], place: "acct/archive" };
    const archived = await test.store.facts.archived(reach, []);
    assert.deepEqual(
      archived.map(({ text, why, replacedBy }) => [text, why, replacedBy]),
      [
        ["has a dog", "removed", undefined],
        ["lives in Rome", "replaced", oslo?.id],
      ],
    );
    assert.deepEqual(
      (await test.store.facts.archived(reach, ["LIVES", "rome"])).map(({ text }) => text),
      ["lives in Rome"],
    );
    assert.deepEqual(await test.store.facts.archived({ ...reach, subjects: [person("acct/bob")] }, []), []);
    await change("a5", { confirm: [{ id: String(oslo?.id), trust: "said" }], ...{ archive: [] } });
    await change("a6", { ...adding("no room for it"), isArchived: true });
    assert.deepEqual(await textsOf([subject]), ["lives in Oslo"]);
  });

  it("are exported with what somebody has taught elsewhere on their account, its archive, and where it was said", async () => {
    const { lease, start } = await turnIn("export");
    const write = async (subject: FactSubject, text: string, more: Partial<FactsChange> = {}) =>
      test.store.facts.change(
        lease,
        start.turnId,
        await changeOf(subject, `export ${text}`, { ...adding(text), ...more }),
      );
    const own = person("acct/eda");
    const author = "eda";
    await write(own, "lives in Rome", { author, eventId: entryOf("export", "export").event.id });
    const [rome] = (await test.store.facts.of(own)).facts;
    await write(own, "lives in Oslo", { author, archive: [{ id: String(rome?.id), why: "replaced" }] });
    await write({ scope: "group", key: "acct/g" }, "meets on Mondays", { author });
    await write({ scope: "workspace", key: "acct/c" }, "builds with make", { author });
    for (const [scope, key, by] of [
      ["group", "acct/g", "bob"],
      ["group", "acct2/g", author],
      ["workspace", "acct2/c", author],
      ["agent", "", author],
      ["person", "acct/ed", "ed"],
    ] as const)
      await write({ scope, key }, `canary ${scope} ${key} ${by}`, { author: by });
    const kept = await test.store.facts.about({ accountId: brandAs("acct"), userId: brandAs(author) });
    assert.deepEqual(
      kept.map(({ fact }) => fact.text),
      ["lives in Oslo", "meets on Mondays", "builds with make", "lives in Rome"],
    );
    assert.equal(kept.at(-1)?.conversationId, entryOf("export", "export").event.conversation.conversationId);
    assert.ok(kept.slice(0, 3).every((one) => one.conversationId === undefined && !("archivedAt" in one.fact)));
  });

  it("are counted by the conversations that begin with them", async () => {
    const { lease, start } = await turnIn("uses");
    const subject = person("acct/uses");
    await test.store.facts.change(lease, start.turnId, await changeOf(subject, "uses", adding("reads much")));
    const [fact] = (await test.store.facts.of(subject)).facts;
    assert.ok(fact);
    await test.store.facts.used([fact.id, "999999"]);
    await test.store.facts.used([]);
    assert.equal((await test.store.facts.of(subject)).facts[0]?.uses, 1);
  });

  it("are written once by the same call, and by nobody who has lost the session or whose turn was ended", async () => {
    const { lease, start } = await turnIn("fence");
    const subject = person("acct/fence");
    const change = await changeOf(subject, "once", adding("once"));
    assert.equal(await test.store.facts.change(lease, start.turnId, change), true);
    assert.equal(await test.store.facts.change(lease, start.turnId, change), true, "it was done");
    const refused = (code: "conflict" | "aborted") => (error: unknown) => isGatewayError(error, code);
    const next = async () => changeOf(subject, "next", adding("twice"));
    const old: SessionLease = { ...lease, fence: lease.fence - 1 };
    await assert.rejects(test.store.facts.change(old, start.turnId, await next()), refused("conflict"));
    await assert.rejects(test.store.facts.change(lease, brandAs("other"), await next()), refused("conflict"));
    const event = { ...entryOf("stop", "fence").event };
    const effect = { kind: "stop", sessionKey: lease.sessionKey } as const;
    await test.store.inbox.settle({ event, outcome: "command", reason: "stop", effect });
    await assert.rejects(test.store.facts.change(lease, start.turnId, await next()), refused("aborted"));
    assert.deepEqual(await textsOf([subject]), ["once"]);
  });

  it("lose nothing to two who write at once", async () => {
    const subject: FactSubject = { scope: "group", key: "acct/busy" };
    const writers = await Promise.all(["one", "two", "three"].map(turnIn));
    const each = 40;
    let refused = 0;
    await Promise.all(
      writers.map(async ({ lease, start }, writer) => {
        const store = test.open();
        for (let n = 0; n < each; n += 1) {
          const key = `${writer}-${n}`;
          // The newest goes for each new one, so that a write which does not see another one's would lose it.
          const write = async () => {
            const { version, facts } = await store.facts.of(subject);
            const last = facts.at(-1);
            const archive = last === undefined ? [] : [{ id: last.id, why: "replaced" as const }];
            const change = await changeOf(subject, key, { ...adding(key), archive }, store);
            return store.facts.change(lease, start.turnId, { ...change, version });
          };
          while (!(await write())) refused += 1;
        }
      }),
    );
    const kept = (await test.store.facts.of(subject)).facts;
    const { version } = await test.store.facts.of(subject);
    assert.equal(kept.length, 1);
    assert.equal(version, writers.length * each);
    assert.ok(refused > 0, "they have met");
    const gone = await test.store.facts.archived({ subjects: [subject], place: "acct/busy" }, []);
    assert.ok(gone.every(({ replacedBy }) => replacedBy !== undefined));
    assert.equal(new Set(gone.map(({ replacedBy }) => replacedBy)).size, gone.length, "each replaced one");
  });

  it("keep the newest 500 of a subject's archive", async () => {
    const { lease, start } = await turnIn("full");
    const subject = person("acct/full");
    for (let n = 0; n < 503; n += 1)
      await test.store.facts.change(lease, start.turnId, {
        ...{ ...subject, version: n, callKey: `full-${n}`, author: "ada", archive: [], confirm: [] },
        ...adding(`fact ${n}.`),
        isArchived: true,
      });
    const reach = { subjects: [subject], place: "acct/full" };
    const found = async (words: string) => (await test.store.facts.archived(reach, [words])).map(({ text }) => text);
    assert.deepEqual([await found("fact 2."), await found("fact 3.")], [[], ["fact 3."]]);
  });
});
