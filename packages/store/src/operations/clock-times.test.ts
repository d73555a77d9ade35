import assert from "node:assert/strict";
import { it } from "node:test";
import { allClockTimes, clockTimes } from "./clock-times.ts";

const now = Date.parse("2026-11-26T17:40:00Z");

it("shows since when something lasts as a clock does, with the day where it is another", () => {
  assert.equal(
    clockTimes("model main: refused, since 2026-11-26T17:15:09Z (1 request failed): mend it", now),
    "model main: refused, since 17:15 UTC (1 request failed): mend it",
  );
  assert.equal(
    clockTimes("can't deliver since 2026-11-24T03:05:10.123Z (x)", now),
    "can't deliver since 24 Nov 03:05 UTC (x)",
  );
  assert.equal(clockTimes("spent 3, until 2026-11-27T03:05:10Z", now), "spent 3, until 27 Nov 03:05 UTC");
  assert.equal(clockTimes("since 2025-11-26T03:05:10Z", now), "since 26 Nov 2025 03:05 UTC");
  assert.equal(
    clockTimes("given up at 2026-11-26T17:15:09Z, since then 3", now),
    "given up at 2026-11-26T17:15:09Z, since then 3",
  );
});

it("of every instant where its reader's language is another", () => {
  const line = "le modèle, depuis 2026-11-26T17:15:09Z, de 2026-11-24T03:05:10.123Z";
  assert.equal(allClockTimes(line, now), "le modèle, depuis 17:15 UTC, de 24 Nov 03:05 UTC");
});
