import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError } from "@talaria/protocol";
import { withoutEffect } from "./without-effect.ts";

describe("withoutEffect", () => {
  it("keeps everything of an error but its effect", () => {
    const details = { status: 502 };
    const cause = new GatewayError("lost", { code: "unavailable", retryAfterMs: 5, details });
    const expected = new GatewayError("lost", { code: "unavailable", retryAfterMs: 5, details, effect: "none", cause });
    assert.deepEqual(withoutEffect(cause), expected);
  });

  it("leaves alone what has no effect, and what it does not know", () => {
    for (const error of [new GatewayError("no", { code: "forbidden" }), new Error("odd")])
      assert.equal(withoutEffect(error), error);
  });
});
