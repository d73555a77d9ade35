import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs } from "@talaria/protocol";
import { groupOf } from "./coalesce.ts";
import { requestValues, toEvent } from "./inbound.ts";
import { bytesOf, nowMs, routeWith } from "./testing/routes.ts";

const values = (body: unknown, headers: Record<string, string> = {}) => ({ body, headers });
const coalescing = (coalesceBy?: string) =>
  routeWith({ coalesceMs: 500, ...(coalesceBy === undefined ? {} : { coalesceBy }) });

describe("events of a route", () => {
  it("stand alone unless it coalesces", () => assert.equal(groupOf(values({ a: 1 }), routeWith()), undefined));

  it("belong together, all of them, without `coalesceBy`", () => {
    const [one, other] = [groupOf(values({ a: 1 }), coalescing()), groupOf(values("text"), coalescing())];
    assert.ok(one);
    assert.deepEqual(one, other);
    assert.deepEqual(one.hold, { key: one.id, ms: 500 });
  });

  const by = "{{ body.repository.id }}/{{ headers.x-kind }}";
  const keyOf = (id: unknown, kind?: string) =>
    groupOf(values({ repository: { id } }, kind === undefined ? {} : { "x-kind": kind }), coalescing(by))?.id;

  it("belong together where `coalesceBy` gives the same", () => {
    assert.equal(keyOf(7, "push"), keyOf(7, "push"));
    for (const other of [keyOf(8, "push"), keyOf(7, "pull"), keyOf("7", "push")])
      assert.notEqual(keyOf(7, "push"), other);
    assert.notEqual(keyOf("a/b", "c"), keyOf("a", "b/c"), "what one value says is not taken for the next one");
    assert.notEqual(keyOf(`${"x".repeat(9_000)}1`, "push"), keyOf(`${"x".repeat(9_000)}2`, "push"));
  });

  for (const missing of [undefined, null, ""])
    it(`stand alone where a value is ${JSON.stringify(missing)}`, () => {
      assert.equal(keyOf(missing, "push"), undefined);
      assert.equal(keyOf(7), undefined);
    });

  it("have names that store and shell bear, whatever a request holds", () => {
    for (const hostile of ["\u0000", "../..", "\uD800", { toString: 1 }, [[]], "x".repeat(1_000_000)])
      assert.match(keyOf(hostile, "push") ?? "", /^group\.[\w-]{22}$/);
  });

  it("share a conversation and keep ids of their own", () => {
    const received = [1, 2].map((n) => {
      const headers = new Headers({ "x-event-id": `d-${n}` });
      const body = bytesOf(`{"text":"hello ${n}"}`);
      const values = requestValues(body, headers);
      const accountId = brandAs<AccountId>("webhook-ci");
      return toEvent({ headers, body, values, nowMs, accountId }, coalescing());
    });
    const [one, two] = received;
    assert.ok(one?.group && two);
    assert.equal(one.event.conversation.conversationId, one.group.id);
    assert.equal(two.event.conversation.conversationId, one.group.id);
    assert.notEqual(one.event.id, two.event.id);
  });
});
