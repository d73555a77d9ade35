import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, off, openGroups, useStore } from "./gate.fixture.ts";
import type { GateDeps } from "./gate-deps.ts";

describe("commands at the gate", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  it("are carried out once however often they are delivered", async () => {
    await desk.gate(desk.message({ text: "one" }));
    await desk.gate(desk.message({ text: "two" }));
    const stop = desk.message({ text: "/stop" });
    assert.equal(await desk.gate(stop), "recorded");
    assert.deepEqual(await desk.waiting("c1"), []);
    await desk.gate(desk.message({ text: "three" }));
    assert.equal(await desk.gate(stop), "duplicate");
    assert.deepEqual(await desk.waiting("c1"), ["three"], "the second delivery stopped nothing");
    assert.deepEqual(await desk.notices("c1"), ["Stopped. 2 waiting messages of `Ada` were dropped."]);
  });

  for (const [text, notice] of [
    ["/stop", "There is nothing to stop."],
    ["/new", "Starting a new conversation. I no longer see what was said before; `/resume` lists it."],
    ["/retry", "There is nothing to retry right now."],
    ["/status", "There is no conversation here yet. Write to me, and one begins."],
    ["/whoami", "You are `loopback:user:u1`, in a direct conversation (`c1`) on account `ACCOUNT`."],
  ] as const)
    it(`answer where nothing happens: ${text}`, async () => {
      await desk.gate(desk.message({ text }));
      assert.deepEqual(await desk.notices("c1"), [notice.replace("ACCOUNT", desk.accountId)]);
      assert.equal(desk.said[0], `count command ${text.slice(1)}`);
      assert.equal(desk.said.at(-1), "deliver");
    });

  it("of a guest in a group are answered once a minute each, so that others need not wait behind the answers", async () => {
    const gate = desk.gateWith({ policyOf: () => openGroups() });
    const group = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
    const at = Date.UTC(2026, 10, 20, 10);
    for (let n = 0; n < 30; n += 1)
      await gate(desk.message({ text: "/help", from: "guest", at: at + n * 1_000, ...group }));
    await gate(desk.message({ text: "/whoami", from: "guest", at: at + 31_000, ...group }));
    await gate(desk.message({ text: "/help", from: "other", at: at + 32_000, ...group }));
    await gate(desk.message({ text: "/help", from: "guest", at: at + 61_000, ...group }));
    assert.equal((await desk.notices("g1")).length, 4);
  });

  it("of a guest are answered twenty times a minute in a direct conversation, whatever they do, and that is said once", async () => {
    const gate = desk.gateWith({
      policyOf: () => ({ ...openGroups(), access: { ...openGroups().access, direct: "open" } }),
    });
    const at = Date.UTC(2026, 10, 20, 10);
    for (let n = 0; n < 60; n += 1)
      await gate(desk.message({ text: n % 2 ? "/stop" : `/approve ${n}`, from: "guest", at: at + n * 500 }));
    const told = await desk.notices("c1");
    assert.equal(told.length, 21);
    assert.equal(told.at(-1), "I answer at most 20 of your commands a minute. Please wait a minute.");
    await gate(desk.message({ text: "/help", from: "u1", at: at + 31_000 }));
    await gate(desk.message({ text: "/help", from: "guest", at: at + 61_000 }));
    assert.equal((await desk.notices("c1")).length, 23);
  });

  it("tell what the asker has used of the limits that apply", async () => {
    const limits = {
      person: { turnsPerMinute: 10, tokensPerDay: 500_000 },
      guest: { turnsPerMinute: 3, tokensPerDay: 1_000 },
      conversation: off,
      account: off,
    } as const;
    const gate = desk.gateWith({ spending: limits });
    await gate(desk.message({ text: "/status" }));
    const [notice = ""] = await desk.notices("c1");
    assert.equal(
      notice.split("\n\n").at(-1),
      "Used: you 0 of 10 turns this minute; you 0 of 500,000 tokens in 24 hours.",
    );
  });

  it("tell what was used, and everybody's only to an owner who is alone with the agent", async () => {
    const totals = {
      inputTokens: 4_000,
      cachedTokens: 1_000,
      cacheWriteTokens: 0,
      outputTokens: 200,
      reasoningTokens: 0,
    };
    const asked: (string | undefined)[] = [];
    const operations: GateDeps["operations"] = {
      ...test.store.operations,
      usage: async ({ person }) => {
        asked.push(person?.userId);
        return person === undefined ? [{ of: "", answers: 2, ...totals, unpriced: 1, cost: 500_000 }] : [];
      },
    };
    const policy = openGroups();
    const owners = { ...policy, access: { ...policy.access, owners: [brandAs<UserId>("u1")] } };
    const spending = { person: off, guest: off, conversation: off, account: off, currency: "EUR" };
    const gate = desk.gateWith({ operations, spending, policyOf: () => owners });
    const team = { text: "/usage", kind: "group", conversation: "team", mentionsSelf: true } as const;
    await gate(desk.message({ ...team, from: "u2", messageId: "m-1" }));
    await gate(desk.message({ ...team, messageId: "m-2" }));
    await gate(desk.message({ text: "/usage" }));
    assert.deepEqual(asked, ["u2", "u1", "u1", undefined]);
    assert.equal(
      (await desk.notices("c1")).at(-1),
      "Your usage in the last 30 days: none.\n\nEverybody's usage in the last 30 days: 2 requests to models, 4,200 tokens (25 % of the input from the provider's cache). Cost: 0.50 EUR, and unknown for 1 request.",
    );
  });

  it("tell a member what they have used, without the cache and without a cost that nobody knows", async () => {
    const used = {
      inputTokens: 4_000,
      cachedTokens: 1_000,
      cacheWriteTokens: 0,
      outputTokens: 200,
      reasoningTokens: 0,
    };
    const costs = [{}, { cost: 500_000 }];
    const operations: GateDeps["operations"] = {
      ...test.store.operations,
      usage: async () => [{ of: "", answers: 1, ...used, unpriced: 0, ...costs.shift() }],
    };
    const spending = { person: off, guest: off, conversation: off, account: off, currency: "EUR" };
    const gate = desk.gateWith({ operations, spending });
    for (const messageId of ["m-1", "m-2"]) await gate(desk.message({ text: "/usage", messageId }));
    const told = "Your usage in the last 30 days: 1 request to models, 4,200 tokens.";
    assert.deepEqual(await desk.notices("c1"), [told, `${told} Cost: 0.50 EUR.`]);
  });

  it("says that it is ready where nothing runs and nothing waits", async () => {
    await desk.runTurn("a question");
    await desk.endTurn();
    await desk.gate(desk.message({ text: "/status" }));
    assert.equal((await desk.notices("c1")).at(-1), "Ready.");
  });

  it("tell who runs, and nudge the worker that has to stop", async () => {
    const worker = await desk.runTurn("a question");
    await desk.gate(desk.message({ text: "waits" }));
    await desk.gate(desk.message({ text: "/status" }));
    await desk.gate(desk.message({ text: "/stop" }));
    assert.deepEqual(await desk.notices("c1"), [
      "I'm working on an answer. 1 message is waiting.",
      "Stopped. 1 waiting message of `Ada` was dropped.",
    ]);
    assert.deepEqual(
      desk.said.filter((line) => line.startsWith("cancel")),
      [`cancel ${worker} c1`],
    );
  });

  it("tell what was dropped, and not what waited when somebody looked", async () => {
    const lookedTooEarly = (messages: number) =>
      desk.gateWith({
        operations: {
          ...test.store.operations,
          waitingFrom: async () => ({ messages, names: messages === 0 ? [] : ["Ada"], more: 0 }),
        },
      });
    await desk.runTurn("taken meanwhile");
    await lookedTooEarly(1)(desk.message({ text: "/stop" }));
    assert.deepEqual(await desk.notices("c1"), ["Stopped."]);
    await desk.gate(desk.message({ text: "came meanwhile" }));
    await lookedTooEarly(0)(desk.message({ text: "/stop" }));
    assert.equal((await desk.notices("c1")).at(-1), "Stopped. 1 waiting message of `Ada` was dropped.");
  });

  it("wake the session whose last answer is tried again", async () => {
    await desk.gate(desk.message({ text: "/retry" }));
    assert.ok(desk.said.includes("wake c1"));
  });

  it("answer the message in a group", async () => {
    const facts: EventFacts = { kind: "group", conversation: "team", mentionsSelf: true, messageId: "m-help" };
    await desk.gateWith({ policyOf: openGroups })(desk.message({ ...facts, text: "/help" }));
    const [row] = await desk.outbox("team");
    assert.equal(row?.replyTo, "m-help");
  });
});
