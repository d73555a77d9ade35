import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import {
  type AccountPolicy,
  type Attachment,
  brandAs,
  type EventId,
  GatewayError,
  type MediaRef,
  silentLog,
  systemClock,
  type UserId,
} from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import { conversationFrom, type EventFacts, editOf, sampleEvents } from "@talaria/testkit";
import { Desk, off, openGroups, policyOf } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("the gate on the real store", () => {
  let database: { url: string; drop(): Promise<void> };
  let store: Store;
  let account = 0;
  let desk: Desk;

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
    desk = new Desk(store, `account-${account}`);
  });

  it("records a message, wakes its session, and knows it when it comes again", async () => {
    const event = desk.message({ text: "hello" });
    assert.equal(await desk.gate(event), "recorded");
    assert.equal(await desk.gate(structuredClone(event)), "duplicate");
    assert.deepEqual(desk.said, ["count recorded", "wake c1", "count duplicate"]);
    assert.deepEqual(await desk.waiting("c1"), ["hello"]);
  });

  it("commits what overlaps in the order of the calls", async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    const outcomes = await Promise.all(texts.map((text) => desk.gate(desk.message({ text }))));
    assert.deepEqual(new Set(outcomes), new Set(["recorded"]));
    assert.deepEqual(await desk.waiting("c1"), texts);
  });

  it("keeps the order when one of them has to ask whether its sender was approved", async () => {
    const slow = Promise.withResolvers<void>();
    const isApproved = async () => {
      await slow.promise;
      return true;
    };
    const gate = desk.gateWith({ pairing: { ...store.pairing, isApproved } });
    const asks = gate(desk.message({ from: "u7", text: "first" }));
    const listed = gate(desk.message({ text: "second" }));
    slow.resolve();
    assert.deepEqual(await Promise.all([asks, listed]), ["recorded", "recorded"]);
    assert.deepEqual(await desk.waiting("c1"), ["first", "second"]);
  });

  it("does not let one conversation wait for another", async () => {
    const never = Promise.withResolvers<boolean>();
    const gate = desk.gateWith({ pairing: { ...store.pairing, isApproved: () => never.promise } });
    const stuck = gate(desk.message({ from: "u7", conversation: "stuck" }));
    assert.equal(await gate(desk.message({ conversation: "free" })), "recorded");
    never.resolve(false);
    assert.equal(await stuck, "dropped");
  });

  it("rejects what the store could not take and everything behind it, and takes it when it is delivered again", async () => {
    const away = new GatewayError("the database is away", { code: "unavailable" });
    let isAway = true;
    const record: Store["inbox"]["record"] = (entry) => (isAway ? Promise.reject(away) : store.inbox.record(entry));
    const gate = desk.gateWith({ inbox: { ...store.inbox, record } });
    const events = ["1", "2", "3"].map((text) => desk.message({ text }));
    const outcomes = await Promise.allSettled(events.map((event) => gate(event)));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason),
      [away, away, away],
    );
    assert.deepEqual(desk.said, [], "nobody was woken and nothing was counted");
    isAway = false;
    for (const event of events) assert.equal(await gate(event), "recorded");
    assert.deepEqual(await desk.waiting("c1"), ["1", "2", "3"]);
  });

  it("stores nothing of our own words", async () => {
    const event = desk.message({ role: "self" });
    assert.equal(await desk.gate(event), "dropped");
    assert.deepEqual(desk.said, ["count echo"]);
    assert.equal(await store.inbox.status(desk.accountId, event.id), undefined);
  });

  it("remembers what it refused and why, and tells a stranger nothing", async () => {
    const event = desk.message({ kind: "group", conversation: "-5", mentionsSelf: true });
    assert.equal(await desk.gate(event), "dropped");
    assert.equal(await desk.gate(event), "duplicate");
    assert.deepEqual(desk.said, ["count refused group_not_allowed", "count duplicate"]);
    const status = await store.inbox.status(desk.accountId, event.id);
    assert.deepEqual([status?.state, status?.reason], ["refused", "group_not_allowed"]);
    assert.deepEqual(await desk.notices("-5"), []);
  });

  it("refuses the events of an account that is no longer configured", async () => {
    const gate = desk.gateWith({ policyOf: () => undefined });
    assert.equal(await gate(desk.message()), "dropped");
    assert.deepEqual(desk.said, ["count refused unknown_account"]);
  });

  it("tells a person once that a message is too long", async () => {
    const event = desk.message({ text: "x".repeat(1_001) });
    await desk.gate(event);
    await desk.gate(event);
    assert.deepEqual(desk.said, ["count refused too_long", "deliver", "count duplicate"]);
    assert.deepEqual(await desk.notices("c1"), [
      "Your message is too long: 1001 characters. I can read up to 1000. Please shorten or split it.",
    ]);
  });

  describe("pairing", () => {
    it("gives a stranger one code, in one notice, and lets the person in once it is approved", async () => {
      const first = desk.message({ from: "u7", conversation: "p7" });
      assert.equal(await desk.gate(first), "dropped");
      assert.equal(await desk.gate(first), "duplicate");
      assert.equal(await desk.gate(desk.message({ from: "u7", conversation: "p7" })), "dropped");
      const [notice, ...others] = await desk.notices("p7");
      assert.deepEqual(others, []);
      const code = /talaria pair approve (\S+)`/.exec(notice ?? "")?.[1] ?? "";
      assert.equal((await store.pairing.approve(code))?.userId, "u7");
      assert.equal(await desk.gate(desk.message({ from: "u7", conversation: "p7", text: "let me in" })), "recorded");
      assert.deepEqual(await desk.waiting("p7"), ["let me in"], "nothing said before is brought up");
    });

    it("is for one account only", async () => {
      const asker = { id: brandAs<UserId>("u7"), displayName: "Ada" };
      const request = await store.pairing.request(desk.accountId, asker, brandAs<EventId>("asks"));
      assert.ok(request.outcome === "code" && (await store.pairing.approve(request.code)));
      const other = new Desk(store, `${desk.accountId}-other`);
      assert.equal(await other.gate(other.message({ from: "u7" })), "dropped");
    });

    it("is silent when too many wait", async () => {
      const outcomes = Array.from({ length: 25 }, (_, n) =>
        desk.gate(desk.message({ from: `s${n}`, conversation: `s${n}` })),
      );
      await Promise.all(outcomes);
      assert.equal(desk.said.filter((line) => line === "count refused pairing_code").length, 20);
      assert.equal(desk.said.filter((line) => line === "count refused pairing_full").length, 5);
      assert.equal(desk.said.filter((line) => line === "deliver").length, 20);
    });
  });

  describe("commands", () => {
    it("are carried out once however often they are delivered", async () => {
      await desk.gate(desk.message({ text: "one" }));
      await desk.gate(desk.message({ text: "two" }));
      const stop = desk.message({ text: "/stop" });
      assert.equal(await desk.gate(stop), "recorded");
      assert.deepEqual(await desk.waiting("c1"), []);
      await desk.gate(desk.message({ text: "three" }));
      assert.equal(await desk.gate(stop), "duplicate");
      assert.deepEqual(await desk.waiting("c1"), ["three"], "the second delivery stopped nothing");
      assert.deepEqual(await desk.notices("c1"), ["Stopped."]);
    });

    for (const [text, notice] of [
      ["/stop", "There is nothing to stop."],
      ["/new", "Starting a new conversation. I no longer see what was said before."],
      ["/retry", "There is nothing to retry right now."],
      ["/status", "Nobody has written to me here yet."],
      ["/whoami", "You are `loopback:user:u1`, in a direct conversation (`c1`) on account `ACCOUNT`."],
    ] as const)
      it(`answer where nothing happens: ${text}`, async () => {
        await desk.gate(desk.message({ text }));
        assert.deepEqual(await desk.notices("c1"), [notice.replace("ACCOUNT", desk.accountId)]);
        assert.equal(desk.said[0], `count command ${text.slice(1)}`);
        assert.equal(desk.said.at(-1), "deliver");
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

    it("tell who runs, and nudge the worker that has to stop", async () => {
      const worker = await desk.runTurn("a question");
      await desk.gate(desk.message({ text: "waits" }));
      await desk.gate(desk.message({ text: "/status" }));
      await desk.gate(desk.message({ text: "/stop" }));
      assert.deepEqual(await desk.notices("c1"), [
        "I'm working on an answer. Messages waiting: 1. Answers so far: 0.",
        "Stopped.",
      ]);
      assert.deepEqual(
        desk.said.filter((line) => line.startsWith("cancel")),
        [`cancel ${worker} c1`],
      );
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

  describe("a message while a turn runs", () => {
    it("ends the turn where messages interrupt", async () => {
      const worker = await desk.runTurn("a question");
      desk.said.length = 0;
      await desk.gateWith({ policyOf: () => policyOf("interrupt") })(desk.message({ text: "another" }));
      assert.deepEqual(desk.said, ["count recorded", "wake c1", `cancel ${worker} c1`]);
    });

    it("leaves the turn alone where messages wait", async () => {
      await desk.runTurn("a question");
      await desk.gate(desk.message({ text: "another" }));
      assert.ok(!desk.said.some((line) => line.startsWith("cancel")));
    });

    it("does not end the turn by being deleted", async () => {
      await desk.runTurn("a question");
      const deletion = sampleEvents({ account: desk.accountId }).find(({ type }) => type === "message.deleted");
      assert.ok(deletion);
      await desk.gateWith({ policyOf: () => policyOf("interrupt") })(deletion);
      assert.ok(!desk.said.some((line) => line.startsWith("cancel")));
      assert.equal(await store.turns.cancelled(desk.lease, desk.firstSeq), undefined);
    });

    it("ends the turn by being changed", async () => {
      await desk.runTurn("a question");
      const edit = editOf(desk.message({ text: "a question" }), "a better question");
      await desk.gateWith({ policyOf: () => policyOf("interrupt") })(edit);
      assert.equal(await store.turns.cancelled(desk.lease, desk.firstSeq), "superseded");
    });
  });

  it("sends the answer elsewhere when it is told so", async () => {
    const elsewhere = conversationFrom({ account: desk.accountId, conversation: "elsewhere" });
    await desk.gate(desk.message(), { replyTo: elsewhere });
    const [pending] = await desk.pending("c1");
    assert.equal(pending?.route.conversationId, "elsewhere");
    assert.equal(pending?.event.conversation.conversationId, "c1");
  });

  describe("an album", () => {
    const inGroup = { conversation: "g1", kind: "group" } as const;
    const part = (text: string, album: string, more: EventFacts = {}) => {
      const event = desk.message({ text, attachments: [pictureOf(text)], ...inGroup, ...more });
      return { ...event, message: { ...event.message, albumId: album } };
    };

    it("waits for its other parts and wakes the session when they had their time", async () => {
      const gate = desk.gateWith({ policyOf: openGroups });
      await gate(part("@bot look", "a", { mentionsSelf: true }));
      await gate(part("", "a"));
      assert.deepEqual(desk.said, ["count recorded", "wake g1 in 1200", "count recorded", "wake g1 in 1200"]);
      assert.deepEqual(await desk.pending("g1"), []);
    });

    it("lets in parts without words once one of it was addressed, of this sender and this album only", async () => {
      const gate = desk.gateWith({ policyOf: openGroups });
      const outcomes = [
        await gate(part("early", "a")),
        await gate(part("@bot look", "a", { mentionsSelf: true })),
        await gate(part("late", "a")),
        await gate(part("of somebody else", "a", { from: "u2" })),
        await gate(part("other album", "b")),
      ];
      assert.deepEqual(outcomes, ["dropped", "recorded", "recorded", "dropped", "dropped"]);
    });
  });

  describe("talk among others in a group", () => {
    const inGroup = { conversation: "g1", kind: "group" } as const;
    const heardWith = async (gate: Gate, facts: EventFacts = {}) => {
      await gate(desk.message({ text: "@bot and?", mentionsSelf: true, ...inGroup, ...facts }));
      const [pending] = (await desk.pending("g1")).slice(-1);
      return pending?.overheard?.map(({ sender, markdown }) => `${sender.userId}: ${markdown}`);
    };
    const group = (rules: Partial<AccountPolicy["groups"]> = {}) => {
      const policy = openGroups();
      return desk.gateWith({ policyOf: () => ({ ...policy, groups: { ...policy.groups, ...rules } }) });
    };

    it("is read with the next message to the agent, with who said it", async () => {
      const gate = group();
      assert.equal(await gate(desk.message({ text: "lunch at nine?", from: "u2", ...inGroup })), "dropped");
      await gate(desk.message({ text: "rather ten", from: "u3", ...inGroup }));
      assert.deepEqual(await heardWith(gate), ["u2: lunch at nine?", "u3: rather ten"]);
    });

    it("is cut, and left out where it is blank, from a bot, or only a picture", async () => {
      const gate = group();
      await gate(desk.message({ text: "x".repeat(999), ...inGroup }));
      await gate(desk.message({ text: " \u2800", ...inGroup }));
      await gate(desk.message({ text: "beep", role: "bot", ...inGroup }));
      await gate(desk.message({ text: "", attachments: [pictureOf("p")], ...inGroup }));
      await gate(desk.message({ text: "y".repeat(1_001), ...inGroup }));
      assert.deepEqual(
        (await heardWith(gate))?.map((text) => text.length),
        [4 + 999, 4 + 1_002],
      );
    });

    it("is nobody's business in groups that are not allowed, and where nothing is to be kept", async () => {
      await desk.gate(desk.message({ text: "secret", ...inGroup }));
      await group({ ambient: { messages: 0, maxAgeMs: 1_000 } })(desk.message({ text: "secret", ...inGroup }));
      assert.equal(await heardWith(group()), undefined);
    });

    it("is edited and taken back", async () => {
      const gate = group();
      const first = desk.message({ text: "at nine", ...inGroup });
      const second = desk.message({ text: "the password is 1234", ...inGroup });
      await gate(first);
      await gate(second);
      await gate(editOf(first, "at ten"));
      const { message, ...rest } = second;
      await gate({ ...rest, id: brandAs<EventId>("gone"), type: "message.deleted", messageId: message.messageId });
      assert.deepEqual(await heardWith(gate), ["u1: at ten"]);
    });

    it("is forgotten by /new", async () => {
      const gate = group();
      await gate(desk.message({ text: "at nine", ...inGroup }));
      await gate(desk.message({ text: "/new", mentionsSelf: true, ...inGroup }));
      assert.equal(await heardWith(gate), undefined);
    });
  });

  it("answers another bot so many times in a row, tells it once, and goes on after a person", async () => {
    const policy = openGroups();
    const gate = desk.gateWith({
      policyOf: () => ({ ...policy, access: { ...policy.access, bots: "on", maxBotTurns: 2 } }),
    });
    const inGroup = { conversation: "g1", kind: "group" } as const;
    const bot = () => gate(desk.message({ role: "bot", from: "b1", mentionsSelf: true, ...inGroup }));
    assert.deepEqual(
      [await bot(), await bot(), await bot(), await bot()],
      ["recorded", "recorded", "dropped", "dropped"],
    );
    assert.deepEqual(await desk.notices("g1"), [
      "I have answered other bots 2 times in a row here. I'll continue when a person writes to me.",
    ]);
    await gate(desk.message({ text: "among us", ...inGroup }));
    assert.equal(await bot(), "dropped");
    await gate(desk.message({ text: "go on", mentionsSelf: true, ...inGroup }));
    assert.equal(await bot(), "recorded");
  });

  it("records a pressed button as something for the agent", async () => {
    const [press] = sampleEvents({ account: desk.accountId }).filter(({ type }) => type === "action.invoked");
    assert.ok(press?.type === "action.invoked");
    assert.equal(await desk.gate({ ...press, actionId: "yes", label: "Yes" }), "recorded");
    const [pending] = await desk.pending("c1");
    assert.deepEqual(pending?.event.type === "action.invoked" && [pending.event.actionId, pending.event.label], [
      "yes",
      "Yes",
    ]);
  });

  it("holds what it is told to hold, and what waits for its attachments", async () => {
    const gate = desk.gateWith({ mediaHoldMs: ({ type }) => (type === "message.created" ? 30_000 : undefined) });
    await desk.gate(desk.message({ conversation: "c1" }), { hold: { key: "burst", ms: 5_000 } });
    await gate(desk.message({ conversation: "c2" }));
    assert.deepEqual(desk.said, ["count recorded", "wake c1 in 5000", "count recorded", "wake c2 in 30000"]);
    assert.deepEqual([...(await desk.pending("c1")), ...(await desk.pending("c2"))], []);
  });
});

function pictureOf(name: string): Attachment {
  return { kind: "image", mimeType: "image/png", name, ref: brandAs<MediaRef>(`media:${name}`) };
}
