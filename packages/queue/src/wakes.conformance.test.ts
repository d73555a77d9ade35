import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brandAs, type Log, type SessionKey, silentLog } from "@talaria/protocol";
import type { Consumer, QueueSystem } from "./index.ts";
import { backendKinds, startBackend, type TestBackend } from "./testing/backends.ts";
import { eventually } from "./testing/eventually.ts";

const key = (text: string) => brandAs<SessionKey>(text);

// The backends wait for nothing of each other, so their suites run side by side.
describe("each backend", { concurrency: backendKinds.length }, () => {
  for (const kind of backendKinds) {
    describe(`wakes on ${kind}`, { concurrency: 1 }, () => {
      let host: TestBackend;
      let gateway: QueueSystem;
      before(async () => {
        host = await startBackend(kind);
        gateway = await host.open("gateway");
      });
      after(() => host[Symbol.asyncDispose]());

      const consumers: Consumer[] = [];
      const children: ChildProcess[] = [];
      afterEach(async () => {
        await Promise.all(children.splice(0).map(kill));
        await Promise.all(consumers.splice(0).map((consumer) => consumer.drain(1_000)));
      });
      async function openChild(): Promise<ChildProcess> {
        const child = await startChild(host);
        children.push(child);
        return child;
      }
      async function consume(run: (sessionKey: SessionKey) => Promise<void>, log?: Log): Promise<Consumer> {
        const worker = await host.open("worker", log === undefined ? {} : { log });
        const consumer = worker.wakes.consume(run, 50);
        consumers.push(consumer);
        return consumer;
      }

      it("runs one wake-up once", async () => {
        const runs: string[] = [];
        await consume(async (sessionKey) => void runs.push(sessionKey));
        await gateway.wakes.wake(key("telegram-main/-100%3A5/t/7"));
        await eventually(() => runs.length > 0);
        await sleep(100);
        assert.deepEqual(runs, ["telegram-main/-100%3A5/t/7"]);
      });

      it("runs once more, and not in parallel, for any number of wake-ups during a run", async () => {
        const firstMayEnd = Promise.withResolvers<void>();
        const log: string[] = [];
        await consume(async () => {
          log.push("start");
          await firstMayEnd.promise;
          log.push("end");
        });
        await gateway.wakes.wake(key("busy"));
        await eventually(() => log.length > 0);
        await Promise.all([
          gateway.wakes.wake(key("busy")),
          gateway.wakes.wake(key("busy")),
          gateway.wakes.wake(key("x")),
        ]);
        await gateway.wakes.wake(key("busy"));
        await eventually(() => log.length === 2);
        await sleep(100);
        assert.deepEqual(log, ["start", "start"], "only the other session may start");
        firstMayEnd.resolve();
        await eventually(() => log.length === 6);
        await sleep(100);
        assert.equal(log.length, 6);
      });

      it("loses no wake-up of 750 sessions with three messages each and runs none twice at a time in one process", async () => {
        const inbox = new Map<string, number>();
        let overlaps = 0;
        let runs = 0;
        let underWay = 0;
        const runIn = (running: Set<string>) => async (sessionKey: SessionKey) => {
          if (running.has(sessionKey)) overlaps += 1;
          running.add(sessionKey);
          runs += 1;
          underWay += 1;
          inbox.set(sessionKey, 0);
          await sleep(20 * Math.random());
          running.delete(sessionKey);
          underWay -= 1;
        };
        await consume(runIn(new Set()));
        await consume(runIn(new Set()));
        const message = async (name: string) => {
          await sleep(1_500 * Math.random());
          inbox.set(name, (inbox.get(name) ?? 0) + 1);
          // One that a busy server did not take within a second is refused, and the sweeper's comes later.
          await eventually(() =>
            gateway.wakes.wake(key(name)).then(
              () => true,
              () => false,
            ),
          );
        };
        const sessions = Array.from({ length: 750 }, (_, n) => `stress/${n}`);
        await Promise.all(sessions.flatMap((name) => [message(name), message(name), message(name)]));
        const waiting = () => sessions.filter((name) => inbox.get(name) !== 0);
        await eventually(() => waiting().length === 0).catch(() => undefined);
        assert.deepEqual(waiting(), []);
        assert.equal(overlaps, 0);
        await eventually(async () => {
          const before = runs;
          await sleep(200);
          return runs === before && underWay === 0;
        });
      });

      it("passes a dead holder with the sweeper's wake-up, where an ordinary one may be swallowed", async () => {
        const child = await openChild();
        const held = once(child, "message");
        await gateway.wakes.wake(key("hang/1"));
        assert.deepEqual((await held)[0], "hang/1");
        await kill(child);

        const runs: string[] = [];
        await consume(async (sessionKey) => void runs.push(sessionKey));
        if (kind === "redis") await gateway.wakes.wake(key("hang/1"));
        await gateway.wakes.wake(key("other"));
        await eventually(() => runs.includes("other"));
        assert.deepEqual(runs, ["other"]);
        await Promise.all([gateway.wakes.rewake(key("hang/1"), 2), gateway.wakes.rewake(key("hang/1"), 2)]);
        await eventually(() => runs.includes("hang/1"));
        await gateway.wakes.rewake(key("hang/1"), 2);
        await sleep(200);
        assert.deepEqual(runs, ["other", "hang/1"], "a sweep that repeats within two seconds wakes once");
      });

      it("shares the work between two processes", async () => {
        const both = await Promise.all([openChild(), openChild()]);
        const runs: string[] = [];
        for (const child of both) child.on("message", (sessionKey: string) => runs.push(sessionKey));
        const names = Array.from({ length: 40 }, (_, n) => `shared/${n}`);
        await Promise.all(names.map((name) => gateway.wakes.wake(key(name))));
        await eventually(() => runs.length >= names.length);
        assert.deepEqual(runs.sort(), names.sort());
      });

      it("logs a run that throws once and goes on", async () => {
        const errors: unknown[] = [];
        const log: Log = { ...silentLog, error: (fields) => void errors.push(fields.error) };
        const failure = new Error("model on fire");
        let runs = 0;
        await consume(async () => {
          runs += 1;
          throw failure;
        }, log);
        await gateway.wakes.wake(key("bad"));
        await eventually(() => runs === 1);
        await sleep(100);
        await gateway.wakes.wake(key("bad"));
        await eventually(() => runs === 2);
        assert.deepEqual(errors, [failure, failure]);
        assert.equal(runs, 2);
      });

      it("drains: waits for work in progress and takes no new work", async () => {
        const log: string[] = [];
        const consumer = await consume(async (sessionKey) => {
          log.push(`${sessionKey} starts`);
          await sleep(200);
          log.push(`${sessionKey} ends`);
        });
        await gateway.wakes.wake(key("last"));
        await eventually(() => log.length === 1);
        const drained = consumer.drain(5_000);
        await gateway.wakes.wake(key("too late"));
        await drained;
        assert.deepEqual(log, ["last starts", "last ends"]);
        await consume(async (sessionKey) => void log.push(sessionKey));
        await eventually(() => log.includes("too late"));
      });

      it("drains no longer than it may", async () => {
        const mayEnd = Promise.withResolvers<void>();
        const started = Promise.withResolvers<void>();
        const consumer = await consume(async () => {
          started.resolve();
          await mayEnd.promise;
        });
        await gateway.wakes.wake(key("endless"));
        await started.promise;
        await consumer.drain(50);
        mayEnd.resolve();
      });

      it("keeps running sessions out of gateways", () => {
        assert.throws(() => gateway.wakes.consume(async () => undefined, 1), { code: "unsupported" });
      });

      it("refuses wake-ups after closing", async () => {
        const system = await host.open("tool");
        await system.ping(AbortSignal.timeout(120_000));
        await system.close();
        await system.close();
        await assert.rejects(system.wakes.wake(key("a")), { code: "aborted" });
      });
    });
  }
});

async function startChild({ backend }: TestBackend): Promise<ChildProcess> {
  const child = fork(new URL("./testing/queue-process.ts", import.meta.url), [backend.kind, backend.url]);
  assert.deepEqual((await once(child, "message"))[0], "ready");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
