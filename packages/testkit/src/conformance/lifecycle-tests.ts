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
  {
    name: "the second stop resolves only when the first has ended, and nothing is delivered afterwards",
    async run({ harness, host }) {
      const release = host.hold();
      await harness.deliver("almost");
      await host.until(() => host.offered.length > 0, "the event is offered");
      const ended: string[] = [];
      const stops = ["first", "second"].map((name) => harness.adapter.stop().then(() => ended.push(name)));
      await host.calm();
      assert.deepEqual(ended, [], "a stop resolved while an event was being recorded");
      release();
      await Promise.all(stops);
      const { offered, states } = host;
      const before = [offered.length, states.length];
      await harness.deliver("too late");
      await host.calm();
      assert.deepEqual([offered.length, states.length], before, "the host was called after the stop");
    },
  },
  {
    name: "start after stop works",
    async run({ harness, host }) {
      await harness.adapter.stop();
      await host.started(harness.adapter);
      await harness.deliver("again");
      await host.until(
        () => host.events.some((event) => messageOf(event).markdown === "again"),
        "the event is recorded",
      );
      const since = host.states.findIndex(({ status }) => status === "stopped") + 1;
      assert.equal(host.states.slice(since).at(-1)?.status, "connected");
    },
  },
  {
    name: "a start during a stop waits for it",
    async run({ harness, host }) {
      const { adapter } = harness;
      const release = host.hold();
      await harness.deliver("almost");
      await host.until(() => host.offered.length > 0, "the event is offered");
      const stopping = adapter.stop();
      const reports = host.states.length;
      const starting = host.started(adapter);
      starting.catch(() => undefined);
      await host.calm();
      assert.deepEqual(host.states.slice(reports), [], "it began to connect while it was stopping");
      release();
      await Promise.all([stopping, starting]);
      const after = host.states.slice(reports).map(({ status }) => status);
      assert.equal(after[0], "stopped");
      assert.equal(after.at(-1), "connected");
    },
  },
];

function hasNoConnection({ dropConnection }: AdapterHarness): string | undefined {
  return dropConnection ? undefined : "events come in requests: there is no connection to lose";
}
