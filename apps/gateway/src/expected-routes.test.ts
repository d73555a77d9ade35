import assert from "node:assert/strict";
import { it } from "node:test";
import { RouteTable } from "./http/route-table.ts";

it("a route that is not served yet is not unknown, unless its path could be read in two ways", () => {
  const table = new RouteTable();
  const route = { method: "POST", path: "/platforms/:id", auth: "none", handle: async () => new Response() } as never;
  table.expect([route]);
  assert.equal(table.match("POST", "/platforms/main"), undefined);
  assert.equal(table.isExpected("/platforms/main"), true);
  assert.equal(table.isExpected("/platforms/main/more"), false);
  assert.equal(table.isExpected("/platforms/a%2fb"), false);
});
