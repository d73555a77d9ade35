import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brandAs, isGatewayError, type SessionKey } from "@talaria/protocol";
import type { AccountSignal, QueueSystem } from "./index.ts";
import { backendKinds, startBackend, type TestBackend } from "./testing/backends.ts";
import { eventually } from "./testing/eventually.ts";
import { account, delta, frameNumbers } from "./testing/frames.ts";
import { openTcpGate, type TcpGate } from "./testing/tcp-gate.ts";

const key = (text: string) => brandAs<SessionKey>(text);

// The backends wait for nothing of each other, so their suites run side by side.
describe("each backend", { concurrency: backendKinds.length }, () => {
  for (const kind of backendKinds) {
    describe(`outage of ${kind}`, { concurrency: 1 }, () => {
      let host: TestBackend;
      let gate: TcpGate;
      let gateway: QueueSystem;
      let worker: QueueSystem;
      const unhandled: unknown[] = [];
      const remember = (reason: unknown) => void unhandled.push(reason);
      before(async () => {
        host = await startBackend(kind);
        process.on("unhandledRejection", remember);
      });
      after(async () => {
        process.off("unhandledRejection", remember);
        await host[Symbol.asyncDispose]();
      });
      beforeEach(async () => {
        gate = await openTcpGate(host.backend.url);
        gateway = await host.open("gateway", { url: gate.url });
        worker = await host.open("worker", { url: gate.url });
      });
      afterEach(async () => {
        await Promise.all([gateway.close(), worker.close()]);
        await gate.close();
        assert.deepEqual(unhandled, []);
      });

      const woken = (name: string) =>
        gateway.wakes.wake(key(name)).then(
          () => true,
          () => false,
        );

      it("refuses wake-ups while the backend is away and goes on when it is back", async () => {
        const runs: string[] = [];
        worker.wakes.consume(async (sessionKey) => void runs.push(sessionKey), 5);
        await gateway.wakes.wake(key("before"));
        await eventually(() => runs.includes("before"));
        await gate.shut();
        await assert.rejects(gateway.wakes.wake(key("during")), { code: "unavailable" });
        await assert.rejects(gateway.ping(AbortSignal.timeout(120_000)), { code: "unavailable" });
        await gate.open();
        await eventually(() => woken("after"));
        await eventually(() => runs.includes("after"));
        await gateway.ping(AbortSignal.timeout(120_000));
      });

      it("starts a consumer while the backend is away", async () => {
        const runs: string[] = [];
        await gate.shut();
        worker.wakes.consume(async (sessionKey) => void runs.push(sessionKey), 5);
        await sleep(100);
        await gate.open();
        await eventually(() => woken("late start"));
        await eventually(() => runs.includes("late start"));
      });

      it("completes a run that ended during the outage, so that its session can be woken again", async () => {
        const runs: string[] = [];
        const mayEnd = Promise.withResolvers<void>();
        worker.wakes.consume(async (sessionKey) => {
          runs.push(sessionKey);
          if (runs.length === 1) await mayEnd.promise;
        }, 5);
        await gateway.wakes.wake(key("long"));
        await eventually(() => runs.length === 1);
        await gate.shut();
        mayEnd.resolve();
        await sleep(50);
        await gate.open();
        await eventually(() => woken("long"));
        await eventually(() => runs.length >= 2);
      });

      it("rejects a wake-up within about a second when the backend takes it and does not answer", async () => {
        gate.freeze();
        const failures = await Promise.allSettled([gateway.wakes.wake(key("a")), gateway.wakes.wake(key("b"))]);
        assert.ok(failures.every(({ status }) => status === "rejected"));
        await gate.shut();
        await gate.open();
        await eventually(() => woken("a"));
      });

      it("takes up subscriptions again; what was lost shows as a gap in the numbers, nudges arrive late", async () => {
        const signals: AccountSignal[] = [];
        await gateway.bus.onAccount(account, (signal) => signals.push(signal));
        worker.bus.frame(delta(0));
        await eventually(() => signals.length === 1);
        await gate.shut();
        for (let n = 1; n < 10_000; n += 1) worker.bus.frame(delta(n));
        worker.bus.deliver(account);
        await sleep(50);
        await gate.open();
        let n = 10_000;
        await eventually(() => {
          worker.bus.frame(delta(n));
          n += 1;
          return frameNumbers(signals).some((number) => number >= 10_000);
        });
        const numbers = frameNumbers(signals);
        assert.deepEqual(
          numbers,
          [...new Set(numbers)].sort((a, b) => a - b),
          "in order, each once",
        );
        assert.ok(numbers.length < n, "some are missing");
      });

      it("does not storm a server that ends each connection at once while work waits", async () => {
        const runs: string[] = [];
        worker.wakes.consume(async (sessionKey) => {
          runs.push(sessionKey);
          await sleep(20);
        }, 5);
        const names = Array.from({ length: 100 }, (_, n) => `backlog/${n}`);
        await Promise.all(names.map((name) => gateway.wakes.wake(key(name))));
        await eventually(() => runs.length > 5);
        const attempts = gate.slam();
        await sleep(1_000);
        assert.ok(attempts() < 60, `${attempts()} attempts in a second`);
        await gate.open();
        await eventually(() => woken("after"));
        await eventually(() => runs.includes("after"));
      });

      it("closes while the backend is away", async () => {
        worker.wakes.consume(async () => undefined, 5);
        await gateway.bus.onAccount(account, () => undefined);
        await gate.shut();
        worker.bus.deliver(account);
        await Promise.all([gateway.close(), worker.close()]);
      });

      it("tells in one sentence that the backend cannot be reached, without the password", async () => {
        const away = new URL(gate.url);
        away.password = "s3cret";
        await gate.shut();
        await assert.rejects(host.open("gateway", { url: away.href }), (error) => {
          assert.ok(isGatewayError(error, "unavailable"));
          assert.match(error.message, new RegExp(`${kind} at 127\\.0\\.0\\.1:${away.port}`));
          assert.doesNotMatch(JSON.stringify([error.message, error.stack, error.cause]), /s3cret/);
          return true;
        });
        await gate.open();
        await assert.rejects(host.open("gateway", { url: "not a url: s3cret" }), (error) => {
          assert.ok(isGatewayError(error, "invalid_request"));
          assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /s3cret/);
          return true;
        });
      });
    });
  }
});
