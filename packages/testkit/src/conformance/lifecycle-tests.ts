import assert from "node:assert/strict";
import { checkCapabilities } from "./check-capabilities.ts";
import { type ConformanceTest, messageOf } from "./conformance-test.ts";
import type { AdapterHarness } from "./harness.ts";

/** What the adapter promises, and how it starts, reconnects and stops. */
export const lifecycleTests: readonly ConformanceTest[] = [
  {
    name: "the capabilities can be true, and optional methods match them",
    async run({ harness }) {
      checkCapabilities(harness);
    },
  },
  {
    name: "reconnecting reports its states in order",
    without: hasNoConnection,
    async run({ harness, host }) {
      const statuses = () => host.states.map((state) => state.status);
      assert.deepEqual(statuses(), ["connecting", "connected"]);
      await harness.dropConnection?.();
      const isBack = () => statuses().lastIndexOf("connected") > statuses().lastIndexOf("reconnecting");
      await host.until(() => statuses().includes("reconnecting") && isBack(), "the adapter is connected again");
      const attempts = host.states.flatMap((state) => (state.status === "reconnecting" ? [state.attempt] : []));
      assert.deepEqual(
        attempts,
        attempts.map((_, n) => n + 1),
      );
      await harness.deliver("after the storm");
      assert.equal(messageOf((await host.recorded(1))[0]).markdown, "after the storm");
    },
  },
  {
    name: "what people say while the connection is down comes when it is back, once and in order",
    without: hasNoConnection,
    async run({ harness, host }) {
      await harness.deliver("before");
      await host.recorded(1);
      await harness.dropConnection?.(async () => {
        await harness.deliver("in the gap");
        await harness.deliver("still in the gap");
      });
      await harness.deliver("after");
      const texts = () => [...new Map(host.events.map((event) => [event.id, messageOf(event).markdown])).values()];
      await host.until(() => texts().includes("after"), "the message after the gap");
      assert.deepEqual(texts(), ["before", "in the gap", "still in the gap", "after"]);
    },
  },
  {
    name: "stop waits for events that are being recorded",
    async run({ harness, host }) {
      const release = host.hold();
      await harness.deliver("almost");
      await host.until(() => host.offered.length > 0, "the event is offered");
      let isStopped = false;
      const stopping = harness.adapter.stop().then(() => {
        isStopped = true;
      });
      await host.calm();
      assert.equal(isStopped, false, "stopped while an event was being recorded");
      release();
      await stopping;
      assert.equal(host.events.length, 1);
    },
  },
  {
    name: "stop is repeatable and silent afterwards",
    async run({ harness, host }) {
      await Promise.all([harness.adapter.stop(), harness.adapter.stop()]);
      await harness.adapter.stop();
      assert.deepEqual(host.states.at(-1), { status: "stopped" });
      assert.equal(host.states.filter((state) => state.status === "stopped").length, 1);
      const reports = host.states.length;
      await harness.deliver("too late");
      await host.calm();
      assert.deepEqual(host.offered, []);
      assert.equal(host.states.length, reports);
      assert.equal(harness.acknowledged?.() ?? 0, 0);
    },
  },
];

function hasNoConnection({ dropConnection }: AdapterHarness): string | undefined {
  return dropConnection ? undefined : "events come in requests: there is no connection to lose";
}
