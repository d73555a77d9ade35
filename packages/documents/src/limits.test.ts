import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { isGatewayError } from "@talaria/protocol";
import { AtMost } from "./at-most.ts";
import { readDocument } from "./index.ts";
import { madeFile } from "./testing/ask.ts";
import { makeTar } from "./testing/make-tar.ts";

const query = { name: "a", line: 1, mostLines: 500, mostChars: 16_000 };
const none = new AbortController().signal;
const zeros = gzipSync(Buffer.alloc(32 * 1_048_576));
/** It takes a processor a good second to find the end of it: gzip may go on with a further piece, as often as it likes. */
const slow = Buffer.concat([
  gzipSync(makeTar([{ name: "a", type: "0" }]).subarray(0, 512)),
  ...Array.from({ length: 30 }, () => zeros),
]);

describe("the limits of a reader", () => {
  it("kills one that takes too long", async () => {
    const reading = readDocument(slow, query, none, { workMs: 100 });
    await assert.rejects(reading, (error) => {
      assert.ok(isGatewayError(error, "too_large"));
      return /^a takes more than 0\.1 s to read: it is left alone/.test(error.message);
    });
  });

  it("kills one that takes too much memory", async () => {
    const cells = Array.from({ length: 400_000 }, (_, n) => ({
      cell_type: "code",
      source: [`print(${n})`],
      outputs: [],
    }));
    const notebook = Buffer.from(JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    const reading = readDocument(notebook, { ...query, name: "a.ipynb" }, none, { heapMb: 64 });
    await assert.rejects(reading, (error) => {
      assert.ok(isGatewayError(error, "too_large"));
      return /^a\.ipynb takes more than 64 MB of memory to read/.test(error.message);
    });
  });

  it("kills one that nobody waits for any more", async () => {
    const stop = new AbortController();
    const reading = readDocument(slow, query, stop.signal);
    stop.abort(new Error("the turn was stopped"));
    await assert.rejects(reading, (error) => isGatewayError(error, "aborted"));
    await assert.rejects(readDocument(madeFile("plan.pdf"), query, stop.signal), (error) =>
      isGatewayError(error, "aborted"),
    );
  });

  it("holds for each reader: the next one is not hurt", async () => {
    assert.match(await readDocument(madeFile("plan.pdf"), query, none), /Annual plan/);
  });
});

describe("AtMost", () => {
  it("runs so many at once, in order, and forgets those who are stopped", async () => {
    const turns = new AtMost(2);
    const begun: number[] = [];
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const stop = new AbortController();
    const signals = [none, none, stop.signal, none];
    const all = gates.map(({ promise }, n) =>
      turns.run(async () => {
        begun.push(n);
        await promise;
      }, signals[n] ?? none),
    );
    await sleep(0);
    assert.deepEqual(begun, [0, 1]);
    stop.abort(new Error("stopped"));
    await assert.rejects(all[2] ?? Promise.resolve(), /stopped/);
    gates[0]?.resolve();
    await all[0];
    await sleep(0);
    assert.deepEqual(begun, [0, 1, 3]);
    for (const { resolve } of gates) resolve();
    await Promise.all([all[1], all[3]]);
    await turns.run(async () => void begun.push(5), none);
    assert.deepEqual(begun, [0, 1, 3, 5]);
  });
});
