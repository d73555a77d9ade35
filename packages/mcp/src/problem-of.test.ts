import assert from "node:assert/strict";
import { it } from "node:test";
import { problemOf } from "./problem-of.ts";

it("says why a connection failed once, without what wraps every failure", async () => {
  const refused = await fetch("http://127.0.0.1:9/").catch((error: unknown) => error);
  assert.match(problemOf(refused), /^(?:connect ECONNREFUSED 127\.0\.0\.1:9|bad port)$/);
  const cause = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:80") });
  const probe = new Error("Version negotiation probe failed: fetch failed", { cause });
  assert.equal(problemOf(probe), "connect ECONNREFUSED 127.0.0.1:80");
});

it("says what there is, whatever was thrown", () => {
  assert.equal(problemOf(new Error("fetch failed")), "fetch failed");
  assert.equal(problemOf("gone"), "gone");
  assert.equal(problemOf(undefined), "undefined");
  assert.equal(problemOf(new Error("HTTP 401", { cause: new Error("HTTP 401") })), "HTTP 401");
  assert.equal(problemOf(new Error("a", { cause: new Error("b") })), "a: b");
  assert.equal(
    problemOf(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED", message: "" } })),
    "ECONNREFUSED",
  );
  const round: { message: string; cause?: unknown } = { message: "round" };
  round.cause = round;
  assert.equal(problemOf(round), "round");
});
