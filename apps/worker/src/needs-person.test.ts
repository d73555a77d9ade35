import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { needsPerson } from "./needs-person.ts";

describe("a call over MCP that nobody can agree to", () => {
  it("is refused with the reason that is true, and with what mends it", () => {
    const taint = { rule: "taint", approver: "owner" } as const;
    assert.match(
      needsPerson(taint, true),
      /what strangers wrote has been read.* can name the target in policy\.trusted/,
    );
    const told = needsPerson(taint, false);
    assert.match(told, /an MCP server .* strangers may have described.* can name that server in policy\.trusted/);
    assert.doesNotMatch(told, /has been read/);
    assert.match(needsPerson({ rule: "r", approver: "member" }, false), /rule "r" .* role member.* in policy\.rules/);
  });
});
