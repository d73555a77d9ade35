import assert from "node:assert/strict";
import { it } from "node:test";
import { CallTime } from "./call-time.ts";

/** Time that passes when it is told to. */
function handClock() {
  let now = 0;
  const sleeps: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    elapsed: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake, reject) => {
        sleeps.push({ at: now + ms, wake });
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
    async pass(ms: number): Promise<void> {
      now += ms;
      for (const { at, wake } of sleeps) if (at <= now) wake();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    },
  };
}

it("counts what a call has run, and not what it has waited for people, once or several times", async () => {
  const clock = handClock();
  const time = new CallTime(clock);
  let isOver = false;
  void time.over(100, new AbortController().signal).then(() => {
    isOver = true;
  });
  await clock.pass(60);
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const answers = Promise.all([first, second].map(({ promise }) => time.untimed(() => promise)));
  await clock.pass(1_000);
  assert.equal(isOver, false, "somebody is asked");
  first.resolve("yes");
  await clock.pass(1_000);
  assert.equal(isOver, false, "somebody else still is");
  second.reject(new Error("no"));
  await assert.rejects(answers, /no/);
  await clock.pass(39);
  assert.equal(isOver, false);
  await clock.pass(1);
  assert.equal(isOver, true);
});

it("ends with its signal", async () => {
  const clock = handClock();
  const ending = new AbortController();
  const over = new CallTime(clock).over(100, ending.signal);
  ending.abort(new Error("stopped"));
  await assert.rejects(over, /stopped/);
});
