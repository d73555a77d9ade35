import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type ProcessId,
  type SessionKey,
} from "@talaria/protocol";
import type { AccountSignal, QueueSystem, WorkerSignal } from "./index.ts";
import { backendKinds, startBackend, type TestBackend } from "./testing/backends.ts";
import { eventually } from "./testing/eventually.ts";
import { account, delta, frameNumbers } from "./testing/frames.ts";

// The backends wait for nothing of each other, so their suites run side by side.
describe("each backend", { concurrency: backendKinds.length }, () => {
  for (const kind of backendKinds) {
    describe(`signal bus on ${kind}`, { concurrency: 1 }, () => {
      let host: TestBackend;
      let gateway: QueueSystem;
      let worker: QueueSystem;
      before(async () => {
        host = await startBackend(kind);
        gateway = await host.open("gateway");
        worker = await host.open("worker");
      });
      after(() => host[Symbol.asyncDispose]());

      async function listen(accountId: AccountId = account) {
        const signals: AccountSignal[] = [];
        const subscription = await gateway.bus.onAccount(accountId, (signal) => signals.push(signal));
        return { signals, [Symbol.asyncDispose]: () => subscription.end() };
      }

      it("delivers a stream of frames in order and complete", async () => {
        await using reader = await listen();
        for (let n = 0; n < 600; n += 1) {
          worker.bus.frame(delta(n));
          if (n % 50 === 0) await sleep(5);
        }
        await eventually(() => frameNumbers(reader.signals).length === 600);
        assert.deepEqual(
          frameNumbers(reader.signals),
          Array.from({ length: 600 }, (_, n) => n),
        );
        const frames = reader.signals.flatMap((signal) => (signal.type === "frames" ? signal.frames : []));
        assert.deepEqual(frames[7], delta(7));
      });

      it("keeps the order of different signals of one account", async () => {
        await using reader = await listen();
        worker.bus.frame(delta(0));
        worker.bus.frame(delta(1));
        worker.bus.deliver(account);
        worker.bus.sent(account, brandAs<ConversationId>("5"));
        worker.bus.frame(delta(2));
        await eventually(() => frameNumbers(reader.signals).includes(2));
        const frames = (...ns: number[]) => ({ type: "frames", frames: ns.map((n) => delta(n)) });
        assert.deepEqual(reader.signals, [
          frames(0, 1),
          { type: "deliver" },
          { type: "sent", conversationId: "5" },
          frames(2),
        ]);
      });

      it("reaches each account and each worker, and only them", async () => {
        const other = brandAs<AccountId>("matrix/ein sehr langer Name mit ünïcödé und 'Zeichen\" %3A".repeat(3));
        await using reader = await listen();
        await using otherReader = await listen(other);
        const cancels: WorkerSignal[] = [];
        const me = brandAs<ProcessId>("worker-x");
        const subscription = await worker.bus.onWorker(me, (signal) => cancels.push(signal));
        gateway.bus.cancel(brandAs<ProcessId>("worker-y"), brandAs<SessionKey>("not mine"));
        gateway.bus.cancel(me, brandAs<SessionKey>("mine"));
        worker.bus.deliver(other);
        await eventually(() => cancels.length > 0 && otherReader.signals.length > 0);
        await sleep(50);
        assert.deepEqual(cancels, [{ type: "cancel", sessionKey: "mine" }]);
        assert.deepEqual(otherReader.signals, [{ type: "deliver" }]);
        assert.deepEqual(reader.signals, []);
        await subscription.end();
      });

      it("serves several receivers of one account until each has ended", async () => {
        const first: AccountSignal[] = [];
        const failing = await gateway.bus.onAccount(account, () => {
          throw new Error("receiver on fire");
        });
        const subscription = await gateway.bus.onAccount(account, (signal) => first.push(signal));
        await using second = await listen();
        worker.bus.deliver(account);
        await eventually(() => first.length === 1 && second.signals.length === 1);
        await subscription.end();
        await subscription.end();
        await failing.end();
        worker.bus.deliver(account);
        await eventually(() => second.signals.length === 2);
        assert.equal(first.length, 1);
      });

      it("carries what is long: thousands of characters outside ASCII, split over several payloads", async () => {
        await using reader = await listen();
        const text = "Grüße 🙂 ".repeat(80);
        for (let n = 0; n < 40; n += 1) worker.bus.frame(delta(n, text));
        await eventually(() => frameNumbers(reader.signals).length === 40);
        const frames = reader.signals.flatMap((signal) => (signal.type === "frames" ? signal.frames : []));
        assert.ok(frames.every((frame, n) => frame.n === n && frame.type === "delta" && frame.text === text));
      });

      it("never drops the start of a turn for its length", async () => {
        await using reader = await listen();
        const {
          type: _type,
          offset: _offset,
          text: _text,
          ...frame
        } = delta(0) as ReturnType<typeof delta> & { text: string; offset: number };
        const conversation = {
          accountId: account,
          platform: "telegram",
          conversationId: "5",
          kind: "group",
        } as Conversation;
        worker.bus.frame({ ...frame, type: "started", conversation: { ...conversation, title: "x".repeat(9_000) } });
        await eventually(() => frameNumbers(reader.signals).length === 1);
      });

      it("publishes nothing after closing, and does not throw", async () => {
        const system = await host.open("worker");
        await using reader = await listen();
        system.bus.frame(delta(0));
        await system.close();
        system.bus.frame(delta(1));
        system.bus.deliver(account);
        await eventually(() => reader.signals.length > 0);
        await sleep(60);
        assert.deepEqual(frameNumbers(reader.signals), [0]);
        await assert.rejects(
          system.bus.onAccount(account, () => undefined),
          { code: "aborted" },
        );
      });
    });
  }
});
