import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, it } from "node:test";
import { codeOfStatus, foreignAnswer, networkCodeOf, unreachable } from "./failed-request.ts";

describe("an http status", () => {
  for (const [status, code] of [
    [400, "invalid_request"],
    [401, "unauthorized"],
    [403, "forbidden"],
    [404, "not_found"],
    [410, "not_found"],
    [413, "too_large"],
    [418, "invalid_request"],
    [429, "rate_limited"],
    [500, "unavailable"],
    [599, "unavailable"],
  ] as const)
    it(`means by ${status} ${code}`, () => assert.equal(codeOfStatus(status), code));
});

describe("the code of the network", () => {
  const refused = Object.assign(new Error("at 192.0.2.1"), { code: "ECONNREFUSED" });
  const under = (code: unknown) => Object.assign(new Error("x", { cause: refused }), { code });

  it("is the error's own, or that of a cause below errors which have none of the network", () => {
    for (const error of [refused, new TypeError("fetch failed", { cause: refused }), under("slack_error"), under(20)])
      assert.equal(networkCodeOf(error), "ECONNREFUSED");
    assert.equal(networkCodeOf(under("ECONNRESET")), "ECONNRESET");
  });

  it("is not made of what could be words", () => {
    for (const error of [
      undefined,
      null,
      "ECONNREFUSED",
      new Error("x"),
      { code: "Hello, Ada" },
      { code: "A".repeat(41) },
    ])
      assert.equal(networkCodeOf(error), undefined);
  });
});

describe("a request without an answer", () => {
  it("had no effect when no connection stood", async () => {
    const error = await fetch(await closedAddress()).catch((cause: unknown) =>
      unreachable("loopback", "send", networkCodeOf(cause)),
    );
    assert.ok(!(error instanceof Response));
    assert.deepEqual([error.code, error.effect, error.details], ["unavailable", "none", { network: "ECONNREFUSED" }]);
    assert.equal(error.message, "loopback could not be reached for send (ECONNREFUSED)");
  });

  it("had none when the server's certificate is not trusted", () => {
    for (const network of [
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "CERT_NOT_YET_VALID",
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ])
      assert.equal(unreachable("loopback", "send", network).effect, "none", network);
  });

  it("may have had one otherwise", () => {
    for (const network of ["ECONNRESET", "UND_ERR_SOCKET", undefined])
      assert.equal(unreachable("loopback", "send", network).effect, "unknown");
    assert.equal(
      unreachable("loopback", "send", undefined).message,
      "loopback could not be reached for send (no answer)",
    );
  });
});

describe("an answer of something before a platform", () => {
  for (const [status, code, effect] of [
    [200, "unavailable", "unknown"],
    [302, "unavailable", "unknown"],
    [400, "unavailable", "none"],
    [401, "unavailable", "none"],
    [403, "unavailable", "none"],
    [404, "unavailable", "none"],
    [413, "too_large", "none"],
    [429, "rate_limited", "none"],
    [499, "unavailable", "none"],
    [500, "unavailable", "unknown"],
    [503, "unavailable", "unknown"],
  ] as const)
    it(`is by ${status} ${code} with the effect ${effect}`, () => {
      const error = foreignAnswer("loopback", "send", status);
      assert.deepEqual([error.code, error.effect, error.details], [code, effect, { status }]);
      assert.equal(error.message, `something before loopback answered send with ${status}`);
    });

  it("is waited for as long as it says in seconds, else for one", () => {
    const waits = ["7", "0.5", "0", "-3", "soon", "Thu, 01 Jan 2026 00:00:00 GMT", "", null, undefined];
    assert.deepEqual(
      waits.map((said) => foreignAnswer("loopback", "send", 429, said).retryAfterMs),
      [7_000, 500, ...Array.from({ length: 7 }, () => 1_000)],
    );
  });
});

async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}/`;
}
