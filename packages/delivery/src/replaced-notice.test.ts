import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Conversation, GatewayError, silentLog } from "@talaria/protocol";
import type { OutboxText } from "@talaria/store";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type CapabilityChanges, conversationOf, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const choices = [{ id: "lift-1", label: "Lift for a day" }];
const group: Conversation = { ...conversationOf("g"), kind: "group" };

describe("a notice that takes the place of an earlier one", () => {
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
    const put = (markdown: string, more: Partial<OutboxText>, conversation = group) =>
      outbox.put("g", markdown, { conversation, ...more });
    const shown = () => [...platform.messages.values()].map(({ text, buttons }) => [text, ...buttons].join(" | "));
    return { outbox, platform, start, put, shown };
  }

  it("is written into its message in a group, which loses its buttons, and posted anew anywhere else", async () => {
    for (const [conversation, edit, said] of [
      [group, { minIntervalMs: 1_000 }, ["lifted"]],
      [group, undefined, ["reached | Lift for a day", "lifted"]],
      [conversationOf("g"), { minIntervalMs: 1_000 }, ["reached | Lift for a day", "lifted"]],
    ] as const) {
      const { outbox, start, put, shown } = await house({ edit });
      const delivery = start();
      await put("reached", { subject: "limit 1", choices }, conversation);
      await outbox.clock.advance(10_000);
      await put("lifted", { replaces: "limit 1" }, conversation);
      await outbox.clock.advance(10_000);
      assert.deepEqual(shown(), said);
      assert.equal(await outbox.isPending(), false);
      await delivery.detach(accountId, 0);
    }
  });

  it("is the newest about the subject in the same thread", async () => {
    const { outbox, start, put, shown } = await house();
    const delivery = start();
    await put("old", { subject: "limit 1" });
    await put("new", { subject: "limit 1" });
    await put("other", { subject: "limit 2" });
    await put("thread", { subject: "limit 1" }, { ...group, threadId: "t" as NonNullable<Conversation["threadId"]> });
    await outbox.clock.advance(10_000);
    await put("lifted", { replaces: "limit 1" });
    await outbox.clock.advance(10_000);
    assert.deepEqual(shown(), ["old", "lifted", "other", "thread"]);
    await delivery.detach(accountId, 0);
  });

  it("is posted once where that message is gone or can't be changed any more, whoever dies then", async () => {
    for (const code of ["not_found", "invalid_request"] as const) {
      const { outbox, platform, start, put, shown } = await house();
      const delivery = start();
      await put("reached", { subject: "limit 1", choices });
      await outbox.clock.advance(10_000);
      if (code === "not_found") platform.messages.clear();
      let posts = 0;
      platform.decide = (kind) => {
        if (kind === "edit") return new GatewayError("no", { code, effect: "none" });
        if (kind === "send") posts += 1;
        return kind === "send" && posts === 1 ? "hang-after" : "ok";
      };
      await put("lifted", { replaces: "limit 1" });
      await outbox.clock.advance(5_000);
      assert.equal(posts, 1);
      await delivery.detach(accountId, 0);
      const next = start();
      await outbox.clock.advance(600_000);
      const times = shown().filter((text) => text.endsWith("lifted"));
      assert.deepEqual([times.length, shown().some((text) => text.startsWith("reached"))], [2, false]);
      assert.match(times[1] ?? "", /Sent again: it may have arrived before/);
      assert.equal(platform.count("edit"), 1, "what may have been posted is not written into another message");
      await next.detach(accountId, 0);
    }
  });

  it("goes on after a death during the edit, and after an outage", async () => {
    const { outbox, platform, start, put, shown } = await house();
    const delivery = start();
    await put("reached", { subject: "limit 1", choices });
    await outbox.clock.advance(10_000);
    const outcomes = ["hang-after", "lost-before", "ok"] as const;
    let edits = 0;
    platform.decide = (kind) => {
      if (kind !== "edit") return "ok";
      edits += 1;
      return outcomes[edits - 1] ?? "ok";
    };
    await put("lifted", { replaces: "limit 1" });
    await outbox.clock.advance(5_000);
    await delivery.detach(accountId, 0);
    const next = start();
    await outbox.clock.advance(120_000);
    assert.deepEqual([shown(), edits, platform.count("send")], [["lifted"], 3, 1]);
    await next.detach(accountId, 0);
  });

  it("goes out at all only where no message can be changed, if an edit says the same", async () => {
    for (const [conversation, edit, said] of [
      [group, { minIntervalMs: 1_000 }, []],
      [group, undefined, ["Approved."]],
      [conversationOf("g"), { minIntervalMs: 1_000 }, ["Approved."]],
    ] as const) {
      const { outbox, start, put, shown } = await house({ edit });
      const delivery = start();
      await put("Approved.", { saidByEdit: true }, conversation);
      await outbox.clock.advance(10_000);
      assert.deepEqual([shown(), await outbox.isPending(), await outbox.count("failed")], [said, false, 0]);
      await delivery.detach(accountId, 0);
    }
  });
});
