import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RouteTable } from "./route-table.ts";
import { echoRoute } from "./testing/served.ts";

function tableOf(...paths: `/${string}`[]): RouteTable {
  const table = new RouteTable();
  table.set(
    "test",
    paths.map((path) => echoRoute({ path })),
  );
  return table;
}

function find(table: RouteTable, path: string, method = "POST") {
  const match = table.match(method, path);
  return match && "route" in match ? match : undefined;
}

describe("a route", () => {
  const table = tableOf("/webhooks/ci", "/api/conversations/:id/messages");

  it("is found by its path, with its parameters decoded once", () => {
    assert.deepEqual(find(table, "/webhooks/ci")?.params, {});
    assert.deepEqual(find(table, "/api/conversations/a%20b/messages")?.params, { id: "a b" });
    assert.deepEqual(find(table, "/api/conversations/%2541/messages")?.params, { id: "%41" });
    assert.deepEqual(find(table, "/api/conversations/__proto__/messages")?.params, { id: "__proto__" });
  });

  const strangers = [
    "/webhooks/ci/",
    "/webhooks//ci",
    "//webhooks/ci",
    "/webhooks/ci/.",
    "/webhooks/ci.",
    "/webhooks/CI",
    "/Webhooks/ci",
    "/webhooks/%2e/ci",
    "/api/%2e%2e/webhooks/ci",
    "/api/../webhooks/ci",
    "/webhooks%2fci",
    "/webhooks%2Fci",
    "/webhooks/%5cci",
    "/webhooks\\ci",
    "/webhooks/ci;a=b",
    "/webhooks/ci%00",
    "/webhooks/ci%20",
    "/webhooks/c%zzi",
    "/webhooks/%2563i",
    "/api/conversations//messages",
    "/api/conversations/%2e%2E/messages",
    "/api/conversations/a%5Cb/messages",
    "/api/conversations/a;b/messages",
    "/api/conversations/a%2Fb/messages",
    "/api/conversations/%E0%A4%A/messages",
    "/api/conversations/a/messages/more",
    "webhooks/ci",
    "http://gateway/webhooks/ci",
    "*",
    "",
  ];
  for (const path of strangers) it(`is not found as ${path}`, () => assert.equal(table.match("POST", path), undefined));

  it("names the methods it takes", () => {
    assert.deepEqual(table.match("GET", "/webhooks/ci"), { allowed: ["POST"] });
    table.set("more", [echoRoute({ method: "GET", path: "/webhooks/ci" })]);
    assert.deepEqual(table.match("PUT", "/webhooks/ci"), { allowed: ["POST", "GET"] });
    assert.ok(find(table, "/webhooks/ci", "GET"));
  });

  it("comes and goes with its owner", () => {
    const changing = tableOf("/webhooks/one");
    changing.set("test", [echoRoute({ path: "/webhooks/two" })]);
    assert.equal(changing.match("POST", "/webhooks/one"), undefined);
    assert.ok(find(changing, "/webhooks/two"));
    changing.delete("test");
    assert.equal(changing.match("POST", "/webhooks/two"), undefined);
  });
});
