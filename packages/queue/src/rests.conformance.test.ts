import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";
import type { QueueSystem, Rests } from "./index.ts";
import { backendKinds, startBackend, type TestBackend } from "./testing/backends.ts";
import { eventually } from "./testing/eventually.ts";
import { openTcpGate } from "./testing/tcp-gate.ts";

const hourMs = 3_600_000;

function restsOf({ rests }: QueueSystem): Rests {
  assert.ok(rests, "a worker shares what rests");
  return rests;
}

describe("each backend", { concurrency: backendKinds.length }, () => {
  for (const kind of backendKinds) {
    describe(`what rests on ${kind}`, { concurrency: 1 }, () => {
      let host: TestBackend;
      let one: Rests;
      let other: Rests;
      before(async () => {
        host = await startBackend(kind);
        [one, other] = await Promise.all([restsOf(await host.open("worker")), restsOf(await host.open("worker"))]);
      });
      after(() => host[Symbol.asyncDispose]());

      /** When the other worker knows. */
      const known = (name: string, isResting: boolean) =>
        eventually(async () => (await other.resting([name])).has(name) === isResting);

      it("is known to all workers, for as long as was said last", async () => {
        assert.deepEqual([await one.probe("a", hourMs), await other.probe("a", hourMs)], [true, true]);
        await one.rest("a", 10.5);
        await one.rest("a", hourMs);
        await eventually(async () => Number((await other.resting(["a"])).get("a")) > hourMs / 2);
        const left = await other.resting(["a", "none"]);
        assert.deepEqual([...left.keys()], ["a"]);
        assert.ok(Number(left.get("a")) <= hourMs);
        assert.equal(await other.probe("a", hourMs), false);
        await one.recovered("a");
        await known("a", false);
        await eventually(async () => (await one.probe("a", hourMs)) && (await other.probe("a", hourMs)));
      });

      it("is asked by one of them first when its rest is over, until that one knows more", async () => {
        await one.rest("b", hourMs);
        await known("b", true);
        await one.rest("b", 1);
        await known("b", false);
        // In its last millisecond a rest is over for whoever asks, and not yet for whoever wants to probe.
        await sleep(20);
        const probes = await Promise.all([one, other, one, other].map((each) => each.probe("b", hourMs)));
        assert.equal(probes.filter((mine) => mine).length, 1, String(probes));
        await one.recovered("b");
        await eventually(async () => (await one.probe("b", hourMs)) && (await other.probe("b", hourMs)));
      });

      it("is not lost by whoever starts later", async () => {
        await one.rest("c", hourMs);
        const late = restsOf(await host.open("worker"));
        assert.deepEqual([...(await late.resting(["c"])).keys()], ["c"]);
      });

      it("is told in vain while the server is away, and known again when it is back", async () => {
        const gate = await openTcpGate(host.backend.url);
        const cut = await host.open("worker", { url: gate.url });
        await gate.shut();
        await assert.rejects(restsOf(cut).rest("d", hourMs));
        await one.rest("e", hourMs);
        await gate.open();
        await eventually(async () =>
          (
            await restsOf(cut)
              .resting(["e"])
              .catch(() => new Map())
          ).has("e"),
        );
        await cut.close();
        await gate.close();
      });
    });
  }
});

it("on Redis every key ends by itself", async () => {
  const host = await startBackend("redis");
  const admin = new Redis(host.backend.url);
  try {
    await restsOf(await host.open("worker")).rest("a", hourMs);
    const keys = await admin.keys("talaria:rest*");
    assert.equal(keys.length, 2);
    for (const key of keys) assert.ok((await admin.pttl(key)) > 0, `${key} never ends`);
  } finally {
    admin.disconnect();
    await host[Symbol.asyncDispose]();
  }
});

it("on PostgreSQL what rested more than a day ago is removed", async () => {
  const host = await startBackend("postgres");
  const admin = new pg.Client(host.backend.url);
  try {
    await admin.connect();
    await admin.query("insert into talaria_queue.rest values ('old', now() - interval '25 hours')");
    const rests = restsOf(await host.open("worker"));
    assert.deepEqual([await rests.probe("old", 1), (await rests.resting(["old"])).size], [true, 0]);
    await rests.rest("new", hourMs);
    const { rows } = await admin.query("select name from talaria_queue.rest");
    assert.deepEqual(rows, [{ name: "new" }]);
  } finally {
    await admin.end();
    await host[Symbol.asyncDispose]();
  }
});
