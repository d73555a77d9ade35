import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, silentLog } from "@talaria/protocol";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type CapabilityChanges, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

describe("a question that was decided elsewhere", () => {
  const store = useStore();

  async function house(changes: CapabilityChanges = {}) {
    const outbox = await store.fresh();
    const platform = new TestPlatform(outbox.clock, { choices: { max: 5, maxLabelLength: 40 }, ...changes });
    const deps = {
      ...{ outbox: outbox.port, turns: { partial: async () => undefined }, clock: outbox.clock, random: () => 0.5 },
      ...{ log: silentLog, metrics: silentMetrics },
    };
    const start = () => {
      const delivery = createDelivery(deps);
      delivery.attach(platform, outbox.lease);
      return delivery;
    };
    return { outbox, platform, start, shown: () => [...platform.messages.values()] };
  }
  const open = { conversation: "a", text: "May I?", buttons: ["approve", "deny"] };

  it("loses its buttons, and says how that ended and by whom", async () => {
    for (const [n, [settlement, by, words, takesBack]] of (
      [
        ["approved", "Ann", "✓ Approved by `Ann`"],
        ["denied", "*B`ob*", "✗ Denied by `*B'ob*`"],
        ["denied", "Una", "✗ Taken back by `Una`", true],
        ["cancelled", undefined, "Stopped: this was not done."],
      ] as const
    ).entries()) {
      const { outbox, shown, start } = await house();
      const delivery = start();
      await outbox.ask(`0000000${n}`, "a");
      await outbox.clock.advance(10_000);
      assert.deepEqual(shown(), [open]);
      await outbox.decide(`0000000${n}`, "a", settlement, by, takesBack);
      await outbox.clock.advance(10_000);
      assert.deepEqual(shown(), [{ ...open, text: `May I?\n\n${words}`, buttons: [] }]);
      assert.equal(await outbox.isPending(), false);
      await delivery.detach(accountId, 0);
    }
  });

  it("says that the operator's rules forbid it now", async () => {
    const { outbox, shown, start } = await house();
    const delivery = start();
    await outbox.ask("00000009", "a");
    await outbox.clock.advance(10_000);
    await outbox.forbid("00000009", "a");
    await outbox.clock.advance(10_000);
    const text = "May I?\n\n✗ Denied: the operator's rules forbid this now.";
    assert.deepEqual(shown(), [{ ...open, text, buttons: [] }]);
    await delivery.detach(accountId, 0);
  });

  it("keeps the buttons of what waits where it is one of several, and shows how the others ended, in their places", async () => {
    const choices = { max: 9, maxLabelLength: 40 };
    const { outbox, platform, shown, start } = await house({ choices });
    const delivery = start();
    const ids = ["000000a1", "000000a2", "000000a3"];
    await outbox.askList(ids, "a");
    await outbox.clock.advance(10_000);
    const buttons = [1, 2, 3].flatMap((n) => [`approve ${n}`, `deny ${n}`]);
    assert.deepEqual(shown(), [{ conversation: "a", text: "May I?", buttons: [...buttons, "approve all"] }]);
    await outbox.decide("000000a1", "a", "denied", "Ann");
    await outbox.clock.advance(10_000);
    assert.deepEqual(shown()[0], {
      ...{ conversation: "a", text: "May I?\n\n**1.** ✗ Denied by `Ann`" },
      buttons: ["approve 2", "deny 2", "approve 3", "deny 3", "approve all"],
    });
    await outbox.decide("000000a3", "a", "approved", "Bob");
    await outbox.clock.advance(10_000);
    assert.deepEqual(shown()[0], {
      ...{ conversation: "a", text: "May I?\n\n**1.** ✗ Denied by `Ann`\n\n**3.** ✓ Approved by `Bob`" },
      buttons: ["approve 2", "deny 2"],
    });
    await outbox.decide("000000a2", "a", "cancelled");
    await outbox.clock.advance(10_000);
    assert.deepEqual(shown()[0]?.buttons, []);
    assert.equal(platform.calls.filter(({ kind }) => kind === "edit").length, 3);
    await delivery.detach(accountId, 0);
  });

  it("is changed once for all that was decided at the same time", async () => {
    const { outbox, platform, shown, start } = await house({ choices: { max: 9, maxLabelLength: 40 } });
    const ids = ["000000b1", "000000b2", "000000b3"];
    await outbox.askList(ids, "a");
    const first = start();
    await outbox.clock.advance(10_000);
    await first.detach(accountId, 0);
    for (const id of ids.slice(0, 2)) await outbox.decide(id, "a", "approved", "Ann");
    const next = start();
    await outbox.clock.advance(10_000);
    assert.equal(platform.calls.filter(({ kind }) => kind === "edit").length, 1);
    assert.deepEqual(shown()[0]?.buttons, ["approve 3", "deny 3"]);
    assert.match(shown()[0]?.text ?? "", /\*\*1\.\*\* ✓ Approved by `Ann`\n\n\*\*2\.\*\* ✓ Approved by `Ann`$/);
    assert.equal(await outbox.isPending(), false);
    await next.detach(accountId, 0);
  });

  it("keeps every button to the last where people choose by its place, so that none means another one", async () => {
    const choices = { max: 9, maxLabelLength: 40, byPlace: true } as const;
    const { outbox, shown, start } = await house({ choices });
    const delivery = start();
    await outbox.askList(["000000c1", "000000c2"], "a");
    await outbox.decide("000000c1", "a", "approved", "Ann");
    await outbox.clock.advance(10_000);
    assert.equal(shown()[0]?.buttons?.length, 5);
    assert.match(shown()[0]?.text ?? "", /✓ Approved by `Ann`$/);
    await outbox.decide("000000c2", "a", "denied", "Ann");
    await outbox.clock.advance(10_000);
    assert.deepEqual(shown()[0]?.buttons, []);
    await delivery.detach(accountId, 0);
  });

  it("is closed after an outage, by the gateway that comes next, and once its question has arrived", async () => {
    const { outbox, platform, shown, start } = await house();
    await outbox.ask("0000000a", "a");
    await outbox.decide("0000000a", "a", "approved", "Ann");
    let isDown = true;
    platform.decide = (kind) => (isDown && kind === "edit" ? "lost-before" : "ok");
    const first = start();
    await outbox.clock.advance(60_000);
    assert.deepEqual(shown(), [open]);
    await first.detach(accountId, 0);
    const next = start();
    isDown = false;
    await outbox.clock.advance(600_000);
    assert.deepEqual(shown()[0]?.buttons, []);
    assert.equal(shown().length, 1);
    assert.equal(await outbox.isPending(), false);
    await next.detach(accountId, 0);
  });

  it("is left alone where messages can't be changed, and where it is gone", async () => {
    const { outbox, shown, start } = await house({ edit: undefined });
    const delivery = start();
    await outbox.ask("0000000b", "a");
    await outbox.decide("0000000b", "a", "approved", "Ann");
    await outbox.clock.advance(10_000);
    assert.deepEqual([await outbox.isPending(), await outbox.count("failed"), shown()], [false, 0, [open]]);
    await delivery.detach(accountId, 0);

    const gone = await house();
    const other = gone.start();
    await gone.outbox.ask("0000000c", "a");
    await gone.outbox.clock.advance(10_000);
    gone.platform.messages.clear();
    await gone.outbox.decide("0000000c", "a", "approved", "Ann");
    await gone.outbox.clock.advance(10_000);
    assert.deepEqual([await gone.outbox.isPending(), await gone.outbox.count("failed"), gone.shown()], [false, 0, []]);
    await other.detach(accountId, 0);
  });

  it("is followed by a line where messages can't be changed, once for each call that the rules forbid", async () => {
    const { outbox, platform, shown, start } = await house({ edit: undefined });
    const delivery = start();
    const ids = ["000000d1", "000000d2"];
    await outbox.askList(ids, "a");
    await outbox.clock.advance(10_000);
    await outbox.decide("000000d1", "a", "approved", "Ann");
    let isDown = true;
    platform.decide = (kind) => (isDown && kind === "send" ? "lost-before" : "ok");
    await outbox.forbid("000000d2", "a");
    await outbox.clock.advance(10_000);
    isDown = false;
    await outbox.clock.advance(60_000);
    const [, ...lines] = shown();
    assert.deepEqual(
      lines.map(({ text }) => text.split("\n\n").slice(-2)),
      [["Not done: the operator's rules forbid this now.", "pay"]],
    );
    assert.equal(await outbox.isPending(), false);
    await delivery.detach(accountId, 0);
  });

  it("says so in a shorter message where the question fills its own, and is given up where the platform refuses it", async () => {
    const { outbox, platform, shown, start } = await house({ maxTextLength: 60 });
    const delivery = start();
    await outbox.ask("0000000d", "a", "word ".repeat(11));
    await outbox.clock.advance(10_000);
    await outbox.decide("0000000d", "a", "approved", "Ann");
    await outbox.clock.advance(10_000);
    const [{ text, buttons } = { text: "", buttons: ["?"] }] = shown();
    assert.match(text, /^word [\s\S]*…\n\n✓ Approved by `Ann`$/);
    assert.deepEqual([buttons, text.length <= 60], [[], true]);

    platform.decide = (kind) => (kind === "edit" ? new GatewayError("no", { code: "forbidden" }) : "ok");
    await outbox.ask("0000000e", "b");
    await outbox.decide("0000000e", "b", "denied", "Ann");
    await outbox.clock.advance(10_000);
    assert.deepEqual([await outbox.isPending(), await outbox.count("failed"), shown().length], [false, 1, 2]);
    await delivery.detach(accountId, 0);
  });
});
