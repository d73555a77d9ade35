import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs } from "@talaria/protocol";
import { toEvent } from "./inbound.ts";

describe("toEvent", () => {
  it("is tried with payloads that the platform really sent", () => {
    const recorded: Parameters<typeof toEvent>[0][] = [];
    assert.notEqual(recorded.length, 0, "record payloads, scrub them, put them below tests/fixtures/loopback");
    const account = { id: brandAs<AccountId>("loopback-main"), selfId: "1" };
    for (const update of recorded) assert.ok(toEvent(update, account, 0));
  });
});
