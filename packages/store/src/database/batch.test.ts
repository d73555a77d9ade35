import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import { createBatch } from "./batch.ts";
import { toJson, toText } from "./json.ts";

/** Answers what it was given, when it is told to. */
function gated(answer: (item: string) => string = (item) => item) {
  const runs: string[][] = [];
  const opens: (() => void)[] = [];
  const batch = createBatch(async (items: readonly string[]) => {
    runs.push([...items]);
    await new Promise<void>((resolve) => opens.push(resolve));
    return items.map(answer);
  });
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
    const results = await Promise.allSettled(["a", "b", "bad", "c"].map(batch));
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
    const results = await Promise.allSettled(["a", "b", "c", "d"].map(batch));
    assert.equal(runs, 2);
    assert.ok(results.every((result) => result.status === "rejected" && isGatewayError(result.reason, "unavailable")));
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
