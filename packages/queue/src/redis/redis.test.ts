import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { brandAs, type ProcessId, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { type RedisServer, startRedisServer } from "@talaria/testkit";
import { Redis } from "ioredis";
import { type AccountSignal, createQueue, type QueueRole, type QueueSystem } from "../index.ts";
import { eventually } from "../testing/eventually.ts";
import { account } from "../testing/frames.ts";

const key = (text: string) => brandAs<SessionKey>(text);

describe("a Redis that loses everything", () => {
  let server: RedisServer;
  let gateway: QueueSystem;
  let worker: QueueSystem;
  const runs: string[] = [];
  const open = (role: QueueRole) => {
    const deps = { log: silentLog, clock: systemClock, random: Math.random };
    return createQueue({
      backend: { kind: "redis", url: server.url },
      role,
      processId: brandAs<ProcessId>(role),
      ...deps,
    });
  };
  beforeEach(async () => {
    runs.length = 0;
    server = await startRedisServer();
    gateway = await open("gateway");
    worker = await open("worker");
  });
  afterEach(async () => {
    await Promise.all([gateway.close(), worker.close()]);
    await server.stop();
  });

  const woken = (name: string) =>
    gateway.wakes.wake(key(name)).then(
      () => true,
      () => false,
    );

  it("is used again after a crash and an empty restart, with work in progress and a subscription", async () => {
    const mayEnd = Promise.withResolvers<void>();
    worker.wakes.consume(async (sessionKey) => {
      runs.push(sessionKey);
      if (runs.length === 1) await mayEnd.promise;
    }, 5);
    const signals: AccountSignal[] = [];
    await gateway.bus.onAccount(account, (signal) => signals.push(signal));
    await gateway.wakes.wake(key("held"));
    await eventually(() => runs.length === 1);
    await server.restart();
    mayEnd.resolve();
    await eventually(() => Promise.all([woken("held"), woken("a"), woken("b")]).then((all) => all.every(Boolean)));
    await eventually(() => ["held", "a", "b"].every((name) => runs.slice(1).includes(name)));
    await eventually(() => {
      worker.bus.deliver(account);
      return signals.length > 0;
    });
  });

  it("is used again after FLUSHALL with wake-ups pending", async () => {
    await Promise.all(["a", "b", "c"].map((name) => gateway.wakes.wake(key(name))));
    const admin = new Redis(server.url);
    await admin.script("FLUSH");
    await admin.flushall();
    worker.wakes.consume(async (sessionKey) => void runs.push(sessionKey), 5);
    await gateway.wakes.wake(key("d"));
    await eventually(() => runs.includes("d"));
    await admin.flushall();
    await gateway.wakes.wake(key("e"));
    await eventually(() => runs.includes("e"));
    assert.deepEqual(runs, ["d", "e"]);
    admin.disconnect();
  });

  it("is not ready while it takes nothing more: its memory is full, or it has become a replica", async (t) => {
    const admin = new Redis(server.url);
    t.after(() => admin.disconnect());
    const ready = () => gateway.ping(AbortSignal.timeout(120_000));
    await ready();
    await admin.config("SET", "maxmemory", "1mb");
    await assert.rejects(ready, { code: "unavailable", message: /is not available: OOM command not allowed/ });
    await admin.config("SET", "maxmemory", "0");
    await ready();
    await admin.replicaof("127.0.0.1", 1);
    await assert.rejects(ready, { code: "unavailable", message: /is not available: READONLY/ });
    await admin.replicaof("NO", "ONE");
    await ready();
  });

  it("opens two connections for a gateway and four for a worker, and closes all", async () => {
    await gateway.bus.onAccount(account, () => undefined);
    await worker.bus.onWorker(brandAs<ProcessId>("worker"), () => undefined);
    worker.wakes.consume(async () => undefined, 20);
    const admin = new Redis(server.url);
    const count = async () =>
      String(await admin.client("LIST"))
        .trim()
        .split("\n").length - 1;
    await eventually(async () => (await count()) === 6);
    await Promise.all([gateway.close(), worker.close()]);
    await eventually(async () => (await count()) === 0);
    admin.disconnect();
  });
});
