import assert from "node:assert/strict";
import { it } from "node:test";
import { Outage } from "./outage.ts";

it("says how long to wait in whole milliseconds, as the database keeps them, whatever the clock shows", () => {
  let now = 1_558.0932599999942;
  const outage = new Outage({ elapsed: () => now }, () => undefined);
  assert.equal(outage.turnInMs(0), 0);
  outage.failed();
  now += 0.337;
  const waits = [outage.turnInMs(0), outage.unanswered()];
  now += 2_100.77;
  assert.equal(outage.turnInMs(0), 0);
  now += 11.3;
  waits.push(outage.turnInMs(0), outage.unanswered());
  for (const wait of waits) assert.ok(Number.isSafeInteger(wait) && wait > 0, String(wait));
});

it("gives a turn to whoever was sent again least often, and to somebody else when those are gone", () => {
  let now = 0;
  const outage = new Outage({ elapsed: () => now }, () => undefined);
  outage.failed();
  assert.deepEqual([outage.turnInMs(1), outage.turnInMs(0)], [2_000, 2_000]);
  now = 2_000;
  assert.deepEqual([outage.turnInMs(1), outage.turnInMs(0)], [10_000, 0]);
  assert.deepEqual([outage.turnInMs(1), outage.turnInMs(0)], [2_000, 2_000]);
  now = 13_999;
  assert.equal(outage.turnInMs(1), 1);
  now = 14_000;
  assert.equal(outage.turnInMs(1), 0);
});
