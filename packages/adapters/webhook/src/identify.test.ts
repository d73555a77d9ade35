import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import type { WebhookConfig } from "./config.ts";
import { deliveryNameOf, eventIdOf } from "./identify.ts";
import { bytesOf, nowMs, nowSeconds, routeWith } from "./testing/routes.ts";

function idOf(headers: Record<string, string>, config: WebhookConfig, body = "{}"): string {
  return eventIdOf(new Headers(headers), bytesOf(body), nowMs, config);
}

/** The message of the refusal. */
function refusalOf(headers: Record<string, string>, config: WebhookConfig): string {
  try {
    return assert.fail(`an id was found: ${idOf(headers, config)}`);
  } catch (error) {
    assert.ok(isGatewayError(error, "invalid_request"), String(error));
    return error.message;
  }
}

const named: readonly (readonly [WebhookConfig["scheme"], string])[] = [
  ["github", "x-github-delivery"],
  ["gitlab", "webhook-id"],
  ["gitlab", "idempotency-key"],
  ["gitlab", "x-gitlab-event-uuid"],
  ["standard", "webhook-id"],
  ["standard", "svix-id"],
  ["hmac", "x-event-id"],
  ["token", "x-request-id"],
];

describe("the id of a delivery", () => {
  for (const [scheme, header] of named)
    it(`comes from ${header} with scheme ${scheme}`, () => {
      const config = routeWith({ scheme, unsafe_repeated_body: true });
      assert.match(idOf({ [header]: "d-1" }, config), /^d-1\.[\w-]{22}$/);
      assert.equal(idOf({ [header]: "d-1" }, config), idOf({ [header]: "d-1", "x-other": "1" }, config));
      assert.notEqual(idOf({ [header]: "d-1" }, config), idOf({ [header]: "d-2" }, config));
    });

  for (const [scheme, header] of [
    ["github", "x-github-delivery"],
    ["hmac", "x-event-id"],
  ] as const) {
    it(`does not count with ${scheme}, which signs the body alone: the same body is the same delivery`, () => {
      const config = routeWith({ scheme });
      const one = idOf({ [header]: "d-1" }, config);
      assert.equal(one, idOf({ [header]: "d-2" }, config));
      assert.match(one, /^body\.[\w-]{22}$/);
      assert.notEqual(one, idOf({ [header]: "d-1" }, config, "[]"));
    });

    it(`counts with ${scheme} where the route takes the same body again`, () => {
      const config = routeWith({ scheme, unsafe_repeated_body: true });
      assert.notEqual(idOf({ [header]: "d-1" }, config), idOf({ [header]: "d-2" }, config));
      assert.equal(idOf({ [header]: "d-1" }, config), idOf({ [header]: "d-1" }, config));
    });
  }

  it("does not count for a time either that nobody signed", () => {
    const at = (seconds: number) =>
      idOf({ "x-timestamp": String(nowSeconds + seconds) }, routeWith({ scheme: "hmac" }));
    assert.equal(at(-10), at(0));
  });

  it("comes with a time that is close to ours, where it comes with a time", () => {
    for (const scheme of ["hmac", "token"] as const)
      for (const name of ["x-timestamp", "webhook-timestamp"]) {
        const at = (time: string) => ({ "x-event-id": "d-1", [name]: time });
        for (const time of ["1000000000", String(nowSeconds + 301), String(nowSeconds * 1000), "yesterday"])
          assert.match(refusalOf(at(time), routeWith({ scheme })), new RegExp(`${name}.*seconds.*five minutes`));
        assert.ok(idOf(at(String(nowSeconds - 299)), routeWith({ scheme })));
      }
  });

  it("tells another body under the same id apart", () => {
    const config = routeWith({ scheme: "github" });
    const headers = { "x-github-delivery": "d-1" };
    assert.notEqual(idOf(headers, config, "{}"), idOf(headers, config, "{ }"));
  });

  it("does not depend on how the signature was written", () => {
    const config = routeWith({ scheme: "standard" });
    const one = idOf({ "webhook-id": "msg_1", "webhook-signature": "v1,ab+/=" }, config);
    assert.equal(one, idOf({ "webhook-signature": "v1,other v1,ab-_", "webhook-id": "msg_1" }, config));
  });

  it("stays short, and long ids stay apart", () => {
    const config = routeWith({ scheme: "gitlab" });
    const long = "x".repeat(5_000);
    const [one, other] = [idOf({ "webhook-id": `${long}1` }, config), idOf({ "webhook-id": `${long}2` }, config)];
    assert.ok(one.length < 150);
    assert.notEqual(one, other);
  });

  it("has nothing in it that a key or a log would stumble over", () => {
    const config = routeWith({ scheme: "gitlab" });
    assert.match(idOf({ "webhook-id": "a/b:c d\tü%" }, config), /^[\w.%-]+$/);
  });
});

describe("the name of a delivery", () => {
  it("is what the sender calls it, and short", () => {
    const config = routeWith({ scheme: "github" });
    assert.equal(deliveryNameOf(new Headers({ "x-github-delivery": "d-1" }), config), "d-1");
    assert.equal(deliveryNameOf(new Headers({ "x-request-id": "d-1" }), config), undefined);
    assert.equal(deliveryNameOf(new Headers({ "x-github-delivery": "x".repeat(5_000) }), config)?.length, 200);
  });
});

describe("a request without an id", () => {
  it("is refused with the remedy", () => {
    assert.match(refusalOf({}, routeWith({ scheme: "github" })), /x-github-delivery.*unsafe_no_replay: true/);
    assert.match(refusalOf({ "x-github-delivery": "" }, routeWith({ scheme: "github" })), /x-github-delivery/);
    assert.match(refusalOf({}, routeWith({ scheme: "hmac" })), /x-event-id.*x-timestamp.*unsafe_no_replay/);
  });

  it("is refused when a header of another scheme, or of the whole webhook, names something", () => {
    assert.match(refusalOf({ "x-request-id": "1" }, routeWith({ scheme: "github" })), /x-github-delivery/);
    assert.match(refusalOf({ "x-gitlab-webhook-uuid": "1" }, routeWith({ scheme: "gitlab" })), /idempotency-key/);
  });

  it("passes where it says when it was sent, and the same again is the same event", () => {
    const config = routeWith({ scheme: "token" });
    const at = (seconds: number) => idOf({ "x-timestamp": String(nowSeconds + seconds) }, config);
    assert.equal(at(-10), at(-10));
    assert.notEqual(at(-10), at(-11));
    for (const seconds of [-301, 301])
      assert.match(refusalOf({ "x-timestamp": String(nowSeconds + seconds) }, config), /five minutes/);
    for (const time of ["yesterday", "-1", "NaN"])
      assert.match(refusalOf({ "x-timestamp": time }, config), /five minutes/);
  });

  it("is a new event each time if the route allows that", () => {
    const config = routeWith({ scheme: "hmac", unsafe_no_replay: true });
    assert.notEqual(idOf({}, config), idOf({}, config));
    assert.equal(idOf({ "x-event-id": "1" }, config), idOf({ "x-event-id": "1" }, config));
  });
});
