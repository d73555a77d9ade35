import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";

/** Grows by 40 MB of objects that are given up soon, then is idle until it is small again. */
const script = `
  const { compactWhenIdle } = await import(${JSON.stringify(join(import.meta.dirname, "compact-heap.ts"))});
  const { getHeapStatistics } = await import("node:v8");
  const total = () => getHeapStatistics().total_heap_size;
  globalThis.kept = Array.from({ length: 400_000 }, (_, index) => ({ index, text: "text " + index }));
  const grown = total();
  globalThis.kept = undefined;
  compactWhenIdle(2_000);
  const until = performance.now() + 20_000;
  while (total() > grown / 2 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 500));
  console.log(total() <= grown / 2 ? "small" : "still " + total() + " of " + grown);
  process.exit(0);
`;

describe("an idle process that has grown", () => {
  it("gives its memory back", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "-e", script]);
    assert.equal(stdout, "small\n");
  });
});
