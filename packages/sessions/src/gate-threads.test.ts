import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  type AccountPolicy,
  brandAs,
  type DeliveryKey,
  type EventId,
  type MediaRef,
  type MessageId,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { type EventFacts, editOf } from "@talaria/testkit";
import { english } from "@talaria/words";
import pg from "pg";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";
import type { GateDeps } from "./gate-deps.ts";

const { notices } = english;

describe("a thread in which the agent takes part", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  const inThread = { conversation: "g1", kind: "group", thread: "t1" } as const;

  /** A gate without any memory, as of a process that just began. */
  function gateOf(
    groups: Partial<AccountPolicy["groups"]> = {},
    more: Partial<Omit<GateDeps, "policyOf">> & { sessions?: AccountPolicy["sessions"] } = {},
  ) {
    const policy = openGroups();
    const { sessions = policy.sessions, ...deps } = more;
    return desk.gateWith({
      policyOf: () => ({ ...policy, sessions, groups: { ...policy.groups, ...groups } }),
      traitsOf: () => ({ threads: "talks" }),
      ...deps,
    });
  }

  const channel = () => desk.message({ conversation: "g1", kind: "group" }).conversation;
  const say = (facts: EventFacts = {}) => desk.message({ ...inThread, ...facts });

  /** An answer of the agent goes out into the thread. */
  async function answer(ago = "0 seconds"): Promise<void> {
    const { conversation } = say();
    const deliveryKey = brandAs<DeliveryKey>(`answer-${crypto.randomUUID()}`);
    const turnId = brandAs<TurnId>(deliveryKey);
    await test.store.outbox.add([
      { deliveryKey, kind: "reply", conversation, markdown: "So.", attachments: [], turnId },
    ]);
    const client = new pg.Client({ connectionString: test.url, options: "-c search_path=talaria" });
    await client.connect();
    const text = "update outbox set created_at = created_at - $2::interval where delivery_key = $1";
    await client.query(text, [deliveryKey, ago]);
    await client.end();
  }

  it("begins with the answer it stands below, and with what that answered", async () => {
    const file = { kind: "file", mimeType: "text/plain", name: "a.txt", ref: brandAs<MediaRef>("F1") } as const;
    const place = { conversation: "g1", kind: "group" } as const;
    await desk.runTurn("what is a loom?", { ...place, mentionsSelf: true, name: "Ada", attachments: [file] }, gateOf());
    await desk.sent("A machine.", "t1", channel(), true);
    const quotes = async (facts: EventFacts = {}) => {
      await gateOf(
        {},
        { traitsOf: () => ({ threads: "talks" }) },
      )(say({ text: "of wood?", mentionsSelf: true, ...facts }));
      const pending = await desk.pending("g1", { thread: facts.thread ?? "t1" });
      return pending.map(({ event }) => ("message" in event ? event.message.quote : undefined));
    };
    const expected = {
      userId: "agent",
      displayName: "Talaria",
      markdown: "Ada: what is a loom?\n\nTalaria: A machine.",
      attachments: [file],
    };
    assert.deepEqual(await quotes(), [expected]);
    assert.deepEqual(await quotes({ text: "or of iron?" }), [expected, undefined]);
    assert.deepEqual(await quotes({ thread: "t2" }), [undefined], "a thread below what somebody else said");
    await desk.sent("Good morning.", "t3", channel());
    const morning = { userId: "agent", displayName: "Talaria", markdown: "Good morning.", own: true };
    assert.deepEqual(await quotes({ thread: "t3" }), [morning]);
  });

  /** The quote that a thread begins with. */
  async function headOf(thread: string) {
    await gateOf()(say({ thread, text: "in metres?", mentionsSelf: true }));
    const [first] = await desk.pending("g1", { thread });
    assert.ok(first && "message" in first.event);
    return first.event.message.quote;
  }

  it("begins with the question it stands below, and with its answer", async () => {
    const picture = { kind: "image", mimeType: "image/png", ref: brandAs<MediaRef>("P1") } as const;
    const place = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
    const question = { ...place, from: "u2", name: "Bob", messageId: "t1", attachments: [picture] };
    await desk.runTurn("how high is the roof?", question, gateOf());
    const { markdown: now = "", ...ours } = (await headOf("t1")) ?? {};
    assert.deepEqual(ours, { userId: "agent", displayName: "Talaria", attachments: [picture] });
    assert.match(
      now,
      /^Bob: how high is the roof\?\n\nTalaria: \(now, in the conversation above this thread: I have been/,
    );
    await desk.endTurn();
    await desk.runTurn("and how wide?", { ...place, name: "Bob", messageId: "t2" }, gateOf());
    await desk.sent("Thirty feet.", "a2", channel(), true);
    await desk.sent("Elsewhere.", "a3", desk.message({ conversation: "g2", kind: "group" }).conversation, true);
    const markdown = "Bob: and how wide?\n\nTalaria: Thirty feet.";
    assert.deepEqual(await headOf("t2"), { userId: "agent", displayName: "Talaria", markdown });
  });

  it("begins with the files of the answer, behind those of the question", async () => {
    const place = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
    const asked = { kind: "file", mimeType: "text/plain", name: "a.txt", ref: brandAs<MediaRef>("F1") } as const;
    const [report, chart] = [
      { mimeType: "text/csv", name: "report.csv", byteLength: 9, ref: brandAs<MediaRef>(`sha256:${"1".repeat(64)}`) },
      { mimeType: "image/png", name: "chart.png", ref: brandAs<MediaRef>(`sha256:${"2".repeat(64)}`) },
    ] as const;
    await desk.runTurn("how many?", { ...place, messageId: "t1", attachments: [asked] }, gateOf());
    await desk.sent("See there.", "t2", channel(), true, [report, chart]);
    const expected = [asked, { kind: "file", ...report }, { kind: "image", ...chart }];
    assert.deepEqual((await headOf("t1"))?.attachments, expected);
    assert.deepEqual((await headOf("t2"))?.attachments, expected);
    await desk.sent("The week.", "t3", channel(), false, [report]);
    assert.deepEqual((await headOf("t3"))?.attachments, [{ kind: "file", ...report }]);
  });

  it("begins without a question that it stands below and that others can't see, or that was taken back", async () => {
    const facts = { conversation: "g1", kind: "group", mentionsSelf: true, messageId: "t1" } as const;
    await desk.runTurn("how high is the roof?", facts, gateOf());
    await desk.sent("Thirty feet.", "a1", channel(), true);
    await desk.endTurn();
    const { message: _, ...gone } = desk.message(facts);
    await gateOf()({ ...gone, type: "message.deleted", messageId: brandAs<MessageId>("t1") });
    assert.deepEqual((await headOf("t1"))?.markdown, "Thirty feet.");
    const unseen: Gate = (event) =>
      gateOf()(event.type === "message.created" ? { ...event, message: { ...event.message, unseen: true } } : event);
    await unseen(desk.message({ ...facts, text: "how deep?", messageId: "t2" }));
    assert.equal(await headOf("t2"), undefined);
  });

  it("begins without a question that others can't see, or that was taken back", async () => {
    const place = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
    const begun = async (thread: string) => {
      await gateOf()(say({ thread, text: "why?", mentionsSelf: true }));
      const [first] = await desk.pending("g1", { thread });
      return first !== undefined && "message" in first.event ? first.event.message.quote?.markdown : undefined;
    };
    const facts = { ...place, messageId: "asked" };
    await desk.runTurn("what is a loom?", facts, gateOf());
    await desk.sent("A machine.", "t1", channel(), true);
    await desk.endTurn();
    const { message: _, ...gone } = desk.message(facts);
    await gateOf()({ ...gone, type: "message.deleted", messageId: brandAs<MessageId>("asked") });
    for (const { event } of await desk.pending("g1")) assert.equal(event.type, "message.deleted");
    assert.equal(await begun("t1"), "A machine.");
    const unseen: Gate = (event) =>
      gateOf()(event.type === "message.created" ? { ...event, message: { ...event.message, unseen: true } } : event);
    const elsewhere = { ...place, conversation: "g2" };
    await desk.runTurn("what is a loom?", elsewhere, unseen);
    await desk.sent("A machine.", "t2", desk.message(elsewhere).conversation, true);
    await gateOf()(say({ ...elsewhere, thread: "t2" }));
    const [first] = await desk.pending("g2", { thread: "t2" });
    assert.ok(first && "message" in first.event);
    assert.equal(first.event.message.quote?.markdown, "A machine.");
  });

  it("begins with what somebody said to others, as the adapter knows it: once", async () => {
    const picture = { kind: "image", mimeType: "image/png", ref: brandAs<MediaRef>("P1") } as const;
    const bob = { userId: brandAs<UserId>("bob"), displayName: "Bob", markdown: "300 EUR", attachments: [picture] };
    const quote = { ...bob, head: true } as const;
    const gate = gateOf();
    await gate(say({ text: "who knows?", quote }));
    await gate(say({ text: "is that much?", mentionsSelf: true, quote }));
    await gateOf()(say({ text: "and now?", mentionsSelf: true, quote }));
    await gateOf()(say({ text: "", mentionsSelf: true, quote }));
    const pending = await desk.pending("g1", { thread: "t1" });
    assert.deepEqual(
      pending.map(({ event }) => "message" in event && event.message.quote),
      [bob, undefined, bob],
    );
    assert.deepEqual(
      pending[0]?.overheard?.map((heard) => heard.quote),
      [undefined],
    );
  });

  it("begins with question and answer also where the adapter knows what it stands below", async () => {
    await desk.runTurn(
      "what is a loom?",
      { conversation: "g1", kind: "group", mentionsSelf: true, name: "Ada" },
      gateOf(),
    );
    await desk.sent("A machine.", "t1", channel(), true);
    const own = {
      userId: brandAs<UserId>("bot"),
      displayName: "Bot",
      markdown: "A machine.",
      own: true,
      head: true,
    } as const;
    await gateOf()(say({ text: "of wood?", mentionsSelf: true, quote: own }));
    const [first] = await desk.pending("g1", { thread: "t1" });
    assert.ok(first && "message" in first.event);
    assert.equal(first.event.message.quote?.markdown, "Ada: what is a loom?\n\nTalaria: A machine.");
  });

  it("begins once also where all threads share a session", async () => {
    const gate = gateOf({}, { sessions: { direct: "thread", groups: "conversation" } });
    const quote = { userId: brandAs<UserId>("bob"), displayName: "Bob", markdown: "300 EUR", head: true } as const;
    await gate(desk.message({ conversation: "g1", kind: "group", text: "hello", mentionsSelf: true }));
    await gate(say({ text: "is that much?", mentionsSelf: true, quote }));
    await gate(say({ text: "and now?", mentionsSelf: true, quote }));
    const pending = await desk.pending("g1");
    assert.deepEqual(
      pending.map(({ event }) => "message" in event && event.message.quote?.markdown),
      [undefined, "300 EUR", undefined],
    );
  });

  it("is below a message of ours, for a while", async () => {
    await desk.sent("A machine.", "t1", channel());
    assert.equal(await gateOf({ threadHours: 0 })(say({ text: "of wood?" })), "dropped");
    assert.equal(await gateOf()(say({ text: "of iron?", mentions: [brandAs<UserId>("u9")] })), "dropped");
    assert.equal(await gateOf()(say({ text: "of wood?" })), "recorded");
    assert.equal(await gateOf()(say({ text: "elsewhere", thread: "t2" })), "dropped");
  });

  it("begins with the answer only where a thread is named by its first message, and beside no other quote", async () => {
    await desk.sent("Good morning.", "t1", channel());
    await gateOf({}, { traitsOf: () => ({ threads: "rooms" }) })(say({ mentionsSelf: true }));
    const [room] = await desk.pending("g1", { thread: "t1" });
    assert.ok(room && "message" in room.event && room.event.message.quote === undefined);
    await desk.sent("Good evening.", "t2", channel());
    const quote = { userId: brandAs<UserId>("bob"), displayName: "Bob", markdown: "hm" };
    await gateOf()(say({ thread: "t2", mentionsSelf: true, quote }));
    const [other] = await desk.pending("g1", { thread: "t2" });
    assert.ok(other && "message" in other.event);
    assert.deepEqual(other.event.message.quote, quote);
  });

  it("is where people need not name it, also for a gateway that just began", async () => {
    assert.equal(await gateOf()(say({ text: "who knows about looms?" })), "dropped");
    assert.equal(await gateOf()(say({ text: "what is a loom?", mentionsSelf: true })), "recorded");
    assert.equal(await gateOf()(say({ text: "said while it waits", from: "u2" })), "recorded");
    await answer();
    assert.equal(await gateOf()(say({ text: "and then?", from: "u3" })), "recorded");
    assert.equal(await gateOf()(say({ text: "elsewhere", thread: "t2" })), "dropped");
    assert.equal(await gateOf()(desk.message({ conversation: "g1", kind: "group", text: "outside" })), "dropped");
  });

  it("takes along what was overheard there before", async () => {
    const gate = gateOf({}, { sessions: { direct: "thread", groups: "conversation" } });
    await gate(say({ text: "at nine" }));
    await answer();
    await gate(say({ text: "or at ten?", from: "u2" }));
    const [pending] = await desk.pending("g1");
    assert.deepEqual(
      pending?.overheard?.map(({ markdown }) => markdown),
      ["at nine"],
    );
  });

  it("ends a while after its last answer", async () => {
    await answer("25 hours");
    assert.equal(await gateOf()(say()), "dropped");
    assert.equal(await gateOf({ threadHours: 48 })(say()), "recorded");
    await answer("23 hours");
    assert.equal(await gateOf()(say()), "recorded");
  });

  it("counts while a turn runs that answers there", async () => {
    await desk.runTurn("what is a loom?", { ...inThread, mentionsSelf: true }, gateOf());
    assert.equal(await gateOf()(say({ text: "please" })), "recorded");
  });

  it("takes commands without its name", async () => {
    await answer();
    assert.equal(await gateOf()(say({ text: "/help" })), "recorded");
    assert.equal(await gateOf()(say({ text: "/stop", from: "guest" })), "dropped");
    assert.match((await desk.notices("g1")).join("\n"), new RegExp(notices.needsMember("stop").slice(0, 30)));
  });

  const others: readonly (readonly [string, EventFacts, Parameters<typeof gateOf>])[] = [
    ["somebody else is named", { mentions: [brandAs<UserId>("u9")] }, []],
    ["another bot writes", { role: "bot" }, []],
    ["threads are rooms", {}, [{}, { traitsOf: () => ({ threads: "rooms" }) }]],
    ["nothing is known of threads", {}, [{}, { traitsOf: () => undefined }]],
    ["it is disabled", {}, [{ threadHours: 0 }]],
    ["only replies count", {}, [{ activation: "reply" }]],
  ];
  for (const [name, facts, given] of others)
    it(`doesn't count where ${name}`, async () => {
      await answer();
      assert.equal(await gateOf()(say()), "recorded");
      assert.equal(await gateOf(...given)(say(facts)), "dropped");
    });

  it("corrects what was said to it there, and leaves alone what was said to others before", async () => {
    const before = say({ text: "lunch?" });
    await gateOf()(before);
    await answer();
    const mine = say({ text: "teh loom" });
    await gateOf()(mine);
    assert.equal(await gateOf()(editOf(mine, "the loom")), "recorded");
    assert.equal(await gateOf()(editOf(before, "dinner?")), "dropped");
  });

  it("costs one round trip for what is not for it", async () => {
    let settled = 0;
    const settle: Store["inbox"]["settle"] = (settlement) => {
      settled += 1;
      return test.store.inbox.settle(settlement);
    };
    const gate = gateOf({}, { inbox: { ...test.store.inbox, settle } });
    await gate(say());
    assert.equal(settled, 1);
  });

  it("is told once about a message that comes again", async () => {
    await answer();
    const event = say();
    assert.equal(await gateOf()(event), "recorded");
    assert.equal(await gateOf()(structuredClone(event)), "duplicate");
    const { message, ...rest } = event;
    const gone = {
      ...rest,
      id: brandAs<EventId>("gone"),
      type: "message.deleted",
      messageId: message.messageId,
    } as const;
    assert.equal(await gateOf()(gone), "recorded");
  });
});
