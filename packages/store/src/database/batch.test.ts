import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import { createBatch } from "./batch.ts";
import { databaseError } from "./database-error.ts";
import { toJson, toText } from "./json.ts";

/** Answers what it was given, when it is told to. */
function gated(answer: (item: string) => string = (item) => item) {
  const runs: string[][] = [];
  const opens: (() => void)[] = [];
  const keyed = createBatch(async (items: readonly string[]) => {
    runs.push([...items]);
    await new Promise<void>((resolve) => opens.push(resolve));
    return items.map(answer);
  });
  const batch = (item: string) => keyed("key", item);
  const open = async () => {
    opens.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { batch, runs, open };
}

describe("a batch", () => {
  it("runs the first call at once and gathers those that come meanwhile, in order", async () => {
    const { batch, runs, open } = gated();
    const first = batch("a");
    assert.deepEqual(runs, [["a"]]);
    const others = ["b", "c", "d"].map(batch);
    assert.equal(runs.length, 1);
    await open();
    assert.equal(await first, "a");
    assert.deepEqual(runs[1], ["b", "c", "d"]);
    await open();
    assert.deepEqual(await Promise.all(others), ["b", "c", "d"]);
    void batch("e");
    assert.deepEqual(runs[2], ["e"]);
    await open();
  });

  it("is bounded in items and in characters", async () => {
    const { batch, runs, open } = gated();
    const calls = [
      batch("first"),
      ...Array.from({ length: 100 }, () => batch("x")),
      batch("y".repeat(3_000_000)),
      batch("z"),
    ];
    for (let run = 0; run < 5; run++) await open();
    await Promise.all(calls);
    assert.deepEqual(
      runs.map((items) => items.length),
      [1, 64, 36, 1, 1],
    );
  });

  it("lets only the item fail that cannot be done", async () => {
    const batch = createBatch(async (items: readonly string[]) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (items.includes("bad")) throw new Error("bad");
      return items;
    });
    const results = await Promise.allSettled(["a", "b", "bad", "c"].map((item) => batch(item, item)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected", "fulfilled"],
    );
  });

  it("does not try each item alone when the server is away", async () => {
    let runs = 0;
    const batch = createBatch(async (): Promise<string[]> => {
      runs += 1;
      await new Promise((resolve) => setImmediate(resolve));
      throw new GatewayError("away", { code: "unavailable" });
    });
    const results = await Promise.allSettled(["a", "b", "c", "d"].map((item) => batch(item, item)));
    assert.equal(runs, 2);
    assert.ok(results.every((result) => result.status === "rejected" && isGatewayError(result.reason, "unavailable")));
  });
});

describe("a batch that meets a lock", () => {
  /** Items are `<key> <n>`; those whose key is in `locked` cannot run. */
  function locking(...keys: readonly string[]) {
    const locked = new Set(keys);
    const done: string[] = [];
    const batch = createBatch(async (items: readonly string[]) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (items.some((item) => locked.has(item.split(" ")[0] ?? ""))) {
        const cause = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" });
        throw databaseError(cause);
      }
      done.push(...items);
      return items;
    });
    const call = (item: string) => batch(item.split(" ")[0] ?? "", item);
    return { locked, done, call };
  }

  it("goes on with every other key, and keeps the order within each", async () => {
    const { locked, done, call } = locking("b");
    const calls = ["a 1", "b 1", "c 1", "b 2", "a 2"].map(call);
    await Promise.all([calls[0], calls[2], calls[4]]);
    calls.push(...["b 3", "d 1", "a 3"].map(call));
    await Promise.all(calls.slice(-2));
    assert.deepEqual(
      done.filter((item) => item.startsWith("b")),
      [],
    );
    locked.clear();
    await Promise.all(calls);
    for (const key of ["a", "b"])
      assert.deepEqual(
        done.filter((item) => item.startsWith(key)),
        [1, 2, 3].map((n) => `${key} ${n}`),
      );
  });

  it("lets a locked key fail after a while, and not the others", async (context) => {
    const ends: AbortController[] = [];
    context.mock.method(AbortSignal, "timeout", () => {
      const end = new AbortController();
      ends.push(end);
      return end.signal;
    });
    const { call } = locking("b");
    const calls = ["a 1", "b 1", "c 1"].map(call);
    await Promise.all([calls[0], calls[2]]);
    for (const end of ends) end.abort();
    await assert.rejects(calls[1] ?? Promise.resolve(), (error) => isGatewayError(error, "unavailable"));
    assert.equal(await call("a 2"), "a 2");
  });
});

describe("JSON for PostgreSQL", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["plain", "plain"],
    ["a\0b", "a\uFFFDb"],
    ["\uD800", "\uFFFD"],
    ["x\uDFFFy", "x\uFFFDy"],
    ["😀", "😀"],
    ["\\u0000 stays", "\\u0000 stays"],
    ["\\\\u0000 and \0", "\\\\u0000 and \uFFFD"],
    ["\u0001\u001f", "\u0001\u001f"],
    ['"\\ud800"', '"\\ud800"'],
  ];
  for (const [text, expected] of cases) {
    it(`turns ${JSON.stringify(text)} into ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(JSON.parse(toJson({ [text]: [text] })), { [expected]: [expected] });
      assert.equal(toText(text), expected);
    });
  }
});
