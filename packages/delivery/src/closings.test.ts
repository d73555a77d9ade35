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
    for (const [n, [settlement, by, words]] of (
      [
        ["approved", "Ann", "✓ Approved by `Ann`"],
        ["denied", "*B`ob*", "✗ Denied by `*B'ob*`"],
        ["cancelled", undefined, "Stopped."],
      ] as const
    ).entries()) {
      const { outbox, shown, start } = await house();
      const delivery = start();
      await outbox.ask(`0000000${n}`, "a");
      await outbox.clock.advance(10_000);
      assert.deepEqual(shown(), [open]);
      await outbox.decide(`0000000${n}`, "a", settlement, by);
      await outbox.clock.advance(10_000);
      assert.deepEqual(shown(), [{ ...open, text: `May I?\n\n${words}`, buttons: [] }]);
      assert.equal(await outbox.isPending(), false);
      await delivery.detach(accountId, 0);
    }
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
