import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { meantCall } from "./meant-call.ts";
import { tool } from "./turn.fixture.ts";

const tools = new Map(
  ["read_file", "web_fetch", "mcp_a_b", "mcp_ab"].map((name) => [name, tool(name, "read", () => "x")]),
);

function meant(name: string): string {
  return meantCall({ callId: "c", name, arguments: "{}" }, tools).name;
}

describe("a tool's name that is nearly right", () => {
  for (const name of ["ReadFile", "readFile", "read-file", "READ_FILE", "functions.read_file", "default_api:read_file"])
    it(`is repaired: ${name}`, () => assert.equal(meant(name), "read_file"));

  for (const name of ["", "read", "read_files", "functions.", "mcpab", "mcp.ab", "__proto__", "x".repeat(100_000)])
    it(`is left alone where it names none, or two: ${name.slice(0, 20)}`, () => assert.equal(meant(name), name));

  it("is never taken for another where it is right", () => assert.equal(meant("mcp_ab"), "mcp_ab"));
});
