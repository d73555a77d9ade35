import assert from "node:assert/strict";
import { it } from "node:test";
import { Deaths } from "./life.ts";

const minute = 60_000;
const start = Date.parse("2026-11-26T14:00:00.000Z");

it("a life counts the deaths of the ten minutes before it, with the first and the last of them", () => {
  const deaths = new Deaths();
  assert.deepEqual(deaths.lifeOf("worker 1", start), { name: "worker 1", crashes: 0 });
  deaths.add("code 1", start);
  deaths.add("SIGKILL", start + 4 * minute);
  deaths.add("code 2", start + 9 * minute);
  assert.deepEqual(deaths.lifeOf("worker 1", start + 12 * minute), {
    name: "worker 1",
    crashes: 2,
    since: "2026-11-26T14:04:00.000Z",
    at: "2026-11-26T14:09:00.000Z",
    how: "code 2",
  });
  assert.deepEqual(deaths.lifeOf("worker 1", start + 19 * minute), { name: "worker 1", crashes: 0 });
});
