import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import {
  type AccountPolicy,
  brandAs,
  type DeliveryKey,
  type EventId,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { type EventFacts, editOf } from "@talaria/testkit";
import pg from "pg";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { GateDeps } from "./gate-deps.ts";
import { notices } from "./notices.ts";

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
