import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLocalRests, type SharedRests, withOwnRests } from "./index.ts";
import { testClock } from "./model.fixture.ts";

describe("rests in this process", () => {
  it("tell what is left of each, and nothing of others", async () => {
    const clock = testClock();
    const rests = createLocalRests(clock);
    await rests.rest("a", 1_000);
    await rests.rest("b", 5_000);
    clock.nowMs += 400;
    assert.deepEqual(
      [...(await rests.resting(["a", "b", "c"]))],
      [
        ["a", 600],
        ["b", 4_600],
      ],
    );
    await rests.rest("b", 100);
    clock.nowMs += 600;
    assert.deepEqual([...(await rests.resting(["a", "b", "c"]))], []);
  });

  it("give the right to probe to one caller at a time, and to everybody once it works", async () => {
    const clock = testClock();
    const rests = createLocalRests(clock);
    const probe = () => rests.probe("a", 300);
    assert.deepEqual([await probe(), await probe()], [true, true], "what never rested");
    await rests.rest("a", 1_000);
    assert.equal(await probe(), false, "it rests");
    clock.nowMs += 1_000;
    assert.deepEqual([await probe(), await probe()], [true, false]);
    clock.nowMs += 300;
    assert.equal(await probe(), true, "who probed has said nothing");
    await rests.recovered("a");
    assert.deepEqual([await probe(), await probe()], [true, true]);
  });

  it("forget the ones that end first when there are too many", async () => {
    const rests = createLocalRests(testClock());
    for (let number = 0; number < 10_001; number += 1)
      await rests.rest(`name ${number}`, 60_000 - (number === 7 ? 1 : 0));
    assert.equal((await rests.resting(["name 7"])).size, 0);
    assert.equal((await rests.resting(["name 0", "name 10000"])).size, 2);
  });

  it("are what this process has seen itself while those of all workers can't be reached", async () => {
    const clock = testClock();
    const all = createLocalRests(clock);
    let isAway = false;
    const reached = (name: keyof SharedRests) =>
      (async (...args: never[]) => {
        if (isAway) throw new Error("gone");
        return await (all[name] as (...args: never[]) => Promise<unknown>)(...args);
      }) as never;
    const shared = {
      rest: reached("rest"),
      resting: reached("resting"),
      probe: reached("probe"),
      recovered: reached("recovered"),
    };
    const rests = withOwnRests(shared, clock);
    await all.rest("theirs", 1_000);
    await rests.rest("ours", 1_000);
    assert.deepEqual([...(await rests.resting(["theirs", "ours"])).keys()], ["theirs", "ours"]);
    isAway = true;
    assert.deepEqual([...(await rests.resting(["theirs", "ours"])).keys()], ["ours"]);
    assert.deepEqual([await rests.probe("theirs", 300), await rests.probe("ours", 300)], [true, false]);
    await rests.recovered("ours");
    assert.equal(await rests.probe("ours", 300), true);
  });
});
