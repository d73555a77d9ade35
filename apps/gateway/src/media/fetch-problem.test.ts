import assert from "node:assert/strict";
import { it } from "node:test";
import { type ErrorCode, errorTable, GatewayError } from "@talaria/protocol";
import { fetchFailure } from "./fetch-problem.ts";

const limits = { maxBytes: 20 * 1_048_576, maxPixels: 40_000_000, quotaBytes: 1 };
const passing: readonly string[] = ["rate_limited", "unavailable", "conflict", "aborted", "internal"];

it("tries again after what passes, and gives up at once after what doesn't", () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const failure = fetchFailure(new GatewayError("x", { code }), 0, limits, () => 0.5);
    assert.equal(failure.kind, passing.includes(code) ? "again" : "given-up", code);
  }
  assert.equal(fetchFailure(new TypeError("fetch failed"), 0, limits, () => 0.5).kind, "again");
});

it("waits as long as it was asked to, else twice as long each time, and gives up in the end", () => {
  const asked = new GatewayError("slow down", { code: "rate_limited", retryAfterMs: 7_000 });
  assert.deepEqual(
    fetchFailure(asked, 0, limits, () => 0.5),
    { kind: "again", waitMs: 7_000 },
  );
  const away = new GatewayError("away", { code: "unavailable" });
  const waits = [0, 1, 2, 3, 4].map((attempts) => fetchFailure(away, attempts, limits, () => 1));
  assert.deepEqual(
    waits.map((one) => one.kind === "again" && one.waitMs),
    [700, 1_400, 2_800, 5_600, 11_200],
  );
  assert.deepEqual(
    fetchFailure(away, 5, limits, () => 0.5),
    {
      kind: "given-up",
      problem: "the platform did not hand it out",
    },
  );
});

it("names the limit that was passed", () => {
  const problem = (reason: string) => {
    const failure = fetchFailure(
      new GatewayError("x", { code: "too_large", details: { reason } }),
      0,
      limits,
      () => 0.5,
    );
    return failure.kind === "given-up" && failure.problem;
  };
  assert.equal(problem("bytes"), "it is larger than 20 MB");
  assert.equal(problem("pixels"), "the picture has more than 40 megapixels");
  assert.equal(problem("platform's own"), "it is too large");
});
