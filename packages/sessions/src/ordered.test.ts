import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createOrderedRunner } from "./ordered.ts";

/** Lets every promise go on that can. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await Promise.resolve();
}

describe("an ordered runner", () => {
  it("runs tasks of one key one after the other and of others meanwhile", async () => {
    const run = createOrderedRunner();
    const gate = Promise.withResolvers<void>();
    const began: string[] = [];
    const task = (name: string, until: Promise<void> = Promise.resolve()) => {
      began.push(name);
      return until;
    };
    const first = run("a", () => task("a1", gate.promise));
    const second = run("a", () => task("a2"));
    const other = run("b", () => task("b1"));
    await other;
    assert.deepEqual(began, ["a1", "b1"]);
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(began, ["a1", "b1", "a2"]);
  });

  it("answers each caller with its own result", async () => {
    const run = createOrderedRunner();
    assert.deepEqual(await Promise.all([1, 2, 3].map((n) => run("a", async () => n))), [1, 2, 3]);
  });

  it("fails what waits behind a failure with the same error, and starts afresh with the next call", async () => {
    const run = createOrderedRunner();
    const gate = Promise.withResolvers<void>();
    let ran = 0;
    const first = run("a", () => gate.promise);
    const second = run("a", async () => {
      ran += 1;
    });
    gate.reject(new Error("away"));
    await assert.rejects(first, /away/);
    await assert.rejects(second, /away/);
    assert.equal(ran, 0, "it did not overtake");
    assert.equal(await run("a", async () => "back"), "back");
  });

  it("treats a task that throws at once like one that rejects", async () => {
    const run = createOrderedRunner();
    const broken = () => {
      throw new Error("at once");
    };
    await assert.rejects(run("a", broken), /at once/);
    assert.equal(await run("a", async () => "next"), "next");
  });

  it("keeps the order of each key whatever ends when, and runs nothing behind a failure", async () => {
    const tasks = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), fails: fc.boolean() }), { maxLength: 12 });
    const endings = fc.array(fc.nat(), { minLength: 12, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(tasks, endings, async (calls, order) => {
        const run = createOrderedRunner();
        const running = new Map<number, { end(): void }>();
        const succeeded: number[] = [];
        const outcomes = calls.map(({ key, fails }, index) =>
          run(key, () => {
            assert.ok(![...running.keys()].some((other) => calls[other]?.key === key), "one at a time");
            const { promise, resolve, reject } = Promise.withResolvers<void>();
            const end = () => {
              running.delete(index);
              if (fails) return reject(new Error(`${index}`));
              succeeded.push(index);
              resolve();
            };
            running.set(index, { end });
            return promise;
          }).then(
            () => "done",
            (error: Error) => error.message,
          ),
        );
        for (const pick of order) {
          await settle();
          const turns = [...running.values()];
          turns[pick % turns.length]?.end();
        }
        const firstFailure = (key: string) => calls.findIndex((call) => call.key === key && call.fails);
        const expected = calls.map(({ key }, index) => {
          const failed = firstFailure(key);
          return failed !== -1 && failed <= index ? `${failed}` : "done";
        });
        assert.deepEqual(await Promise.all(outcomes), expected);
        for (const key of ["a", "b", "c"]) {
          const mine = succeeded.filter((index) => calls[index]?.key === key);
          assert.deepEqual(
            mine,
            mine.toSorted((one, other) => one - other),
          );
        }
      }),
    );
  });
});
