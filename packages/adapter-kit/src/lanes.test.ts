import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { Lanes } from "./lanes.ts";

/** Lanes whose waits are over at once, and what ran in them. */
function openLanes() {
  const sleeps: number[] = [];
  const sleep = async (ms: number) => void sleeps.push(ms);
  const lanes = new Lanes({
    clock: { now: systemClock.now, elapsed: systemClock.elapsed, sleep },
    log: silentLog,
    seed: "s",
  });
  const ran: string[] = [];
  const note = (name: string) => async () => void ran.push(name);
  return { lanes, sleeps, ran, note };
}

const isUnavailable = (error: unknown) => isGatewayError(error, "unavailable");

describe("Lanes", () => {
  it("keep a channel's order while one task is tried again, and let no other channel wait", async () => {
    const { lanes, sleeps, ran, note } = openLanes();
    const other = Promise.withResolvers<void>();
    let tries = 0;
    const stubborn = async () => {
      await other.promise;
      tries += 1;
      if (tries < 3) throw new GatewayError("not yet", { code: "rate_limited", retryAfterMs: 7_000 });
      ran.push("first");
    };
    const first = lanes.add("a", "1", stubborn);
    const second = lanes.add("a", "2", note("second"));
    await lanes.add("b", "3", note("elsewhere"));
    other.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(ran, ["elsewhere", "first", "second"]);
    assert.deepEqual(sleeps, [7_000, 7_000]);
  });

  it("do once what is added again while it waits, and again what is added later", async () => {
    const { lanes, ran, note } = openLanes();
    await Promise.all([lanes.add("a", "1", note("one")), lanes.add("a", "1", note("again"))]);
    await lanes.add("a", "1", note("later"));
    assert.deepEqual(ran, ["one", "later"]);
  });

  it("refuse what comes when a thousand wait, until there is room again", async () => {
    const { lanes, ran, note } = openLanes();
    const gate = Promise.withResolvers<void>();
    const held = Array.from({ length: 1_000 }, (_, n) => lanes.add(`${n % 7}`, `${n}`, () => gate.promise));
    await assert.rejects(lanes.add("a", "more", note("more")), isUnavailable);
    assert.equal(lanes.add("0", "0", note("twice")), held[0]);
    gate.resolve();
    await Promise.all(held);
    await lanes.add("a", "more", note("room"));
    assert.deepEqual(ran, ["room"]);
  });

  it("run eight of the tasks of which one is enough at a time", async () => {
    const { lanes } = openLanes();
    const gate = Promise.withResolvers<void>();
    const failed = new Set<number>();
    let [running, most, done] = [0, 0, 0];
    const fetch = (n: number) => async () => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
      if (n % 2 === 0 && !failed.has(n)) {
        failed.add(n);
        throw new GatewayError("not yet", { code: "unavailable" });
      }
      done += 1;
    };
    for (let n = 0; n < 50; n += 1) lanes.addOnce(`${n}`, `${n}`, fetch(n));
    gate.resolve();
    while (done < 50) await systemClock.sleep(1);
    assert.equal(most, 8);
    await lanes.close();
  });

  it("queue one task that is enough behind what waits, also when a thousand do", async () => {
    const { lanes, ran, note } = openLanes();
    const gate = Promise.withResolvers<void>();
    const held = Array.from({ length: 1_000 }, (_, n) => lanes.add("a", `${n}`, () => gate.promise));
    for (const name of ["fetched", "once", "only"]) lanes.addOnce("a", "missed", note(name));
    gate.resolve();
    await Promise.all(held);
    await lanes.add("a", "last", note("last"));
    assert.deepEqual(ran, ["fetched", "last"]);
  });

  it("queue it once more as soon as it has begun, however often it is tried again", async () => {
    const { lanes, ran, note } = openLanes();
    let tries = 0;
    const done = Promise.withResolvers<void>();
    lanes.addOnce("a", "missed", async () => {
      tries += 1;
      lanes.addOnce("a", "missed", note(`asked for in try ${tries}`));
      if (tries < 5) throw new Error("not yet");
      done.resolve();
    });
    await done.promise;
    await lanes.add("a", "last", note("last"));
    assert.deepEqual(ran, ["asked for in try 1", "last"]);
  });

  it("close when what runs has ended, and begin nothing more", async () => {
    const { lanes, ran, note } = openLanes();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const running = lanes.add("a", "1", (signal) => {
      begun.resolve();
      return end.promise.then(() => void ran.push(signal.aborted ? "ended late" : "ended early"));
    });
    const waiting = lanes.add("a", "2", note("waiting"));
    lanes.addOnce("a", "missed", note("missed"));
    const refused = assert.rejects(waiting, isUnavailable);
    await begun.promise;
    const closing = lanes.close().then(() => ran.push("closed"));
    await assert.rejects(lanes.add("b", "3", note("new")), isUnavailable);
    end.resolve();
    await Promise.all([running, refused, closing]);
    assert.deepEqual(ran, ["ended late", "closed"]);
  });
});
