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

/** Rests that are slow to be told are not told: a busy machine is no failure here. */
function surely(tell: () => Promise<void>): Promise<true> {
  return eventually(() =>
    tell().then(
      () => true as const,
      () => undefined,
    ),
  );
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
        eventually(async () => (await other.resting([name]).catch(() => undefined))?.has(name) === isResting);
      const bothMayAsk = (name: string) =>
        eventually(() =>
          Promise.all([one, other].map((each) => each.probe(name, hourMs))).then(
            (mine) => mine.every(Boolean),
            () => false,
          ),
        );

      it("is known to all workers, for as long as was said last", async () => {
        await bothMayAsk("a");
        await surely(() => one.rest("a", 10.5));
        await surely(() => one.rest("a", hourMs));
        await eventually(async () => {
          const left = await other.resting(["a"]).catch(() => undefined);
          return Number(left?.get("a")) > hourMs / 2;
        });
        const left = await eventually(() => other.resting(["a", "none"]).catch(() => undefined));
        assert.deepEqual([...left.keys()], ["a"]);
        assert.ok(Number(left.get("a")) <= hourMs);
        const mine = await eventually(() => other.probe("a", hourMs).then(String, () => undefined));
        assert.equal(mine, "false");
        await surely(() => one.recovered("a"));
        await known("a", false);
        await bothMayAsk("a");
      });

      it("is asked by one of them first when its rest is over, until that one knows more", async () => {
        const mine = await eventually(async () => {
          await surely(() => one.rest("b", hourMs));
          await known("b", true);
          await surely(() => one.rest("b", 1));
          await known("b", false);
          // In its last millisecond a rest is over for whoever asks, and not yet for whoever wants to probe.
          await sleep(20);
          const probes = [one, other, one, other].map((each) => each.probe("b", hourMs));
          return await Promise.all(probes).catch(() => undefined);
        });
        assert.equal(mine.filter((one) => one).length, 1, String(mine));
        await surely(() => one.recovered("b"));
        await bothMayAsk("b");
      });

      it("is not lost by whoever starts later", async () => {
        await surely(() => one.rest("c", hourMs));
        const late = restsOf(await host.open("worker"));
        const left = await eventually(() => late.resting(["c"]).catch(() => undefined));
        assert.deepEqual([...left.keys()], ["c"]);
      });

      it("is told in vain while the server is away, and known again when it is back", async () => {
        const gate = await openTcpGate(host.backend.url);
        const cut = await host.open("worker", { url: gate.url });
        await gate.shut();
        await assert.rejects(restsOf(cut).rest("d", hourMs));
        await surely(() => one.rest("e", hourMs));
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
    const rests = restsOf(await host.open("worker"));
    await surely(() => rests.rest("a", hourMs));
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
    await surely(() => rests.rest("new", hourMs));
    const { rows } = await admin.query("select name from talaria_queue.rest");
    assert.deepEqual(rows, [{ name: "new" }]);
  } finally {
    await admin.end();
    await host[Symbol.asyncDispose]();
  }
});
