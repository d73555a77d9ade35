import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type ProcessId, silentLog, systemClock } from "@talaria/protocol";
import { startRedisServer } from "@talaria/testkit";
import { Redis } from "ioredis";
import { createQueue } from "../index.ts";

const hourMs = 3_600_000;

it("what rests is known to all workers, and probed by one of them", async () => {
  const server = await startRedisServer();
  const open = async (name: string) =>
    createQueue({
      backend: { kind: "redis", url: server.url },
      role: "worker",
      processId: brandAs<ProcessId>(name),
      log: silentLog,
      clock: systemClock,
      random: Math.random,
    });
  const [one, other] = await Promise.all([open("one"), open("other")]);
  const admin = new Redis(server.url);
  try {
    assert.ok(one.rests !== undefined && other.rests !== undefined);
    assert.deepEqual([await one.rests.probe("a", hourMs), await other.rests.probe("a", hourMs)], [true, true]);
    await one.rests.rest("a", hourMs);
    await one.rests.rest("b", 10.5);
    const left = await other.rests.resting(["a", "none"]);
    assert.deepEqual([...left.keys()], ["a"]);
    assert.ok(Number(left.get("a")) > hourMs / 2 && Number(left.get("a")) <= hourMs);
    assert.equal(await other.rests.probe("a", hourMs), false);
    // As if its rest were over.
    await admin.del("talaria:resting:a");
    assert.deepEqual([await one.rests.probe("a", hourMs), await other.rests.probe("a", hourMs)], [true, false]);
    await one.rests.recovered("a");
    assert.deepEqual([await one.rests.probe("a", hourMs), await other.rests.probe("a", hourMs)], [true, true]);
    for (const key of await admin.keys("talaria:rest*")) assert.ok((await admin.pttl(key)) > 0, `${key} never ends`);
    await server.stop();
    await assert.rejects(one.rests.rest("a", hourMs));
  } finally {
    admin.disconnect();
    await Promise.all([one.close(), other.close()]);
    await server.stop();
  }
});
