import assert from "node:assert/strict";
import { it } from "node:test";
import { Outage } from "./outage.ts";

it("says how long to wait in whole milliseconds, as the database keeps them, whatever the clock shows", () => {
  let now = 1_558.0932599999942;
  const outage = new Outage({ elapsed: () => now }, () => undefined);
  assert.equal(outage.turnInMs(), 0);
  outage.failed();
  now += 0.337;
  const waits = [outage.turnInMs(), outage.unanswered()];
  now += 2_100.77;
  assert.equal(outage.turnInMs(), 0);
  now += 11.3;
  waits.push(outage.turnInMs(), outage.unanswered());
  for (const wait of waits) assert.ok(Number.isSafeInteger(wait) && wait > 0, String(wait));
});
