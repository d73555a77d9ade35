import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import {
  brandAs,
  type DeliveryKey,
  type MessageId,
  type ProcessId,
  type SessionKey,
  silentLog,
  systemClock,
  type TurnId,
} from "@talaria/protocol";
import { createStore, migrate, type OutboxText, type Store } from "@talaria/store";
import { english } from "@talaria/words";
import { createDelivery, type Delivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, conversationOf, TestPlatform } from "./test-platform.ts";

const { deliveryNotices: notices } = english;

const turnId = brandAs<TurnId>("turn-1");
const pace = { burst: 1_000, refillMs: 1 };

describe("delivery on the real store", () => {
  let database: { url: string; drop(): Promise<void> };
  let store: Store;
  let platform: TestPlatform;
  const gateways: Delivery[] = [];

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
    platform = new TestPlatform(systemClock, { conversationPace: pace });
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.detach(accountId, 0)));
    gateways.length = 0;
  });

  /** A gateway that takes the account, as after a crash of the one before. */
  async function takeOver(): Promise<Delivery> {
    const [held] = (await store.accounts.list()).filter(
      (row) => row.accountId === accountId && row.holder !== undefined,
    );
    if (held !== undefined) await store.accounts.release({ accountId, fence: held.fence });
    const holder = brandAs<ProcessId>(`gateway-${gateways.length}`);
    const lease = await store.accounts.acquire(accountId, "loopback", holder, 60_000);
    assert.ok(lease);
    const { outbox, turns } = store;
    const deps = { outbox, turns, clock: systemClock, random: () => 0, log: silentLog, metrics: silentMetrics };
    const gateway = createDelivery(deps);
    gateway.attach(platform, lease);
    gateways.push(gateway);
    return gateway;
  }

  function textOf(key: string, conversation: string, more: Partial<OutboxText> = {}): OutboxText {
    const deliveryKey = brandAs<DeliveryKey>(key);
    return {
      deliveryKey,
      kind: "notice",
      conversation: conversationOf(conversation),
      markdown: key,
      attachments: [],
      ...more,
    };
  }

  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await systemClock.sleep(10);
  }

  const nothingWaits = async () => (await store.operations.backlog()).pendingDeliveries === 0;

  it("delivers many lanes, each in order and each text once", async () => {
    const names = Array.from({ length: 10 }, (_, lane) => `lane-${lane}`);
    await store.outbox.add(
      Array.from({ length: 200 }, (_, n) => textOf(`order-${String(n).padStart(3, "0")}`, names[n % 10]!)),
    );
    await takeOver();
    await until(nothingWaits);
    for (const name of names) {
      const shown = platform.shown(name);
      assert.equal(shown.length, 20);
      assert.deepEqual(shown, shown.toSorted());
    }
  });

  for (const [name, outcome, seen] of [
    ["before the platform had the message", "hang-before", 1],
    ["after the platform had the message", "hang-after", 2],
  ] as const) {
    it(`repeats a send once when a gateway dies ${name}`, async () => {
      platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? outcome : "ok");
      await store.outbox.add([textOf(`died ${outcome}`, "a"), textOf(`behind ${outcome}`, "a")]);
      await takeOver();
      await until(() => platform.count("send") === 1);
      await takeOver();
      await until(nothingWaits);
      assert.equal(platform.shown("a").filter((text) => text.endsWith(`died ${outcome}`)).length, seen);
      assert.equal(platform.shown("a").at(-1), `behind ${outcome}`);
    });
  }

  it("gives a text up when a sixth gateway dies during the same call", async () => {
    platform.decide = (_, __, text) => (text.includes("cursed") ? "hang-before" : "ok");
    await store.outbox.add([textOf("cursed", "a"), textOf("next", "a")]);
    for (let sends = 1; sends <= 6; sends += 1) {
      await takeOver();
      await until(() => platform.count("send") === sends);
    }
    await takeOver();
    await until(nothingWaits);
    assert.deepEqual(platform.shown("a"), ["next"]);
  });

  it("writes nothing after another gateway took the account", async () => {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    platform.decide = () => "ok";
    const send = platform.send.bind(platform);
    platform.send = async (message) => {
      const sent = await send(message);
      if (platform.count("send") === 1) await answered;
      return sent;
    };
    await store.outbox.add([textOf("slow", "a"), textOf("after", "a")]);
    const old = await takeOver();
    await until(() => platform.count("send") === 1);
    await takeOver();
    await until(nothingWaits);
    const calls = platform.calls.length;
    resolve();
    await old.idle();
    assert.equal(platform.calls.length, calls);
    assert.deepEqual(platform.shown("a"), ["slow", `${notices.sentAgain}\n\nslow`, "after"]);
  });

  it("edits the preview of a gateway that died, and posts anew when its outcome is unknown", async () => {
    const sessionKey = brandAs<SessionKey>("acct/a");
    const messageId = brandAs<MessageId>("shown");
    platform.messages.set(messageId, {
      conversation: conversationOf("a").conversationId,
      text: "growing",
      buttons: [],
    });
    await takeOver();
    const [{ fence } = { fence: 0 }] = await store.accounts.list();
    const lost = brandAs<TurnId>("turn-2");
    await store.outbox.savePreview({ accountId, fence }, turnId, { state: "posted", messageId });
    await store.outbox.savePreview({ accountId, fence }, lost, { state: "posting" });
    const reply = { kind: "reply", sessionKey } as const;
    await store.outbox.add([
      textOf("reply-1", "a", { ...reply, turnId }),
      textOf("reply-2", "b", { ...reply, turnId: lost }),
    ]);
    gateways[0]?.poke(accountId);
    await until(nothingWaits);
    assert.deepEqual([platform.shown("a"), platform.shown("b")], [["reply-1"], ["reply-2"]]);
    assert.equal(platform.count("edit"), 1);
  });
});
