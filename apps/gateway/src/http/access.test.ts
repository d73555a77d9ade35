import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkBrowser, checkToken } from "./access.ts";
import { accessRules } from "./server.ts";
import { token } from "./testing/served.ts";

type Gateway = Parameters<typeof accessRules>[0]["gateway"];

function rulesFor(facts: Partial<Gateway> = {}) {
  const gateway: Gateway = {
    host: "127.0.0.1",
    port: 7420,
    allowedHosts: [],
    trustedProxies: [],
    allowedOrigins: [],
    ...facts,
  };
  return accessRules({ gateway } as unknown as Parameters<typeof accessRules>[0], token);
}

function isServed(host: string | undefined, rules = rulesFor(), origin?: string): boolean {
  const headers = { ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) };
  return checkBrowser(headers, rules) === undefined;
}

describe("a host name", () => {
  it("of the loopback is served", () => {
    for (const host of ["127.0.0.1", "127.0.0.1:7420", "localhost:7420", "LocalHost", "localhost.", "[::1]:7420"])
      assert.equal(isServed(host), true, host);
  });

  for (const host of [
    undefined,
    "",
    "evil.example",
    "evil.example:7420",
    "127.0.0.1.evil.example",
    "localhost.evil",
    "0.0.0.0",
    "2130706433",
    "::1",
    "a@127.0.0.1",
    "127.0.0.1:7420:1",
  ])
    it(`is refused as ${host}`, () => assert.equal(isServed(host), false));

  it("is served when the configuration names it", () => {
    const rules = rulesFor({ allowedHosts: ["Chat.Example.com:8443"], publicUrl: "https://agent.example.com/" });
    for (const host of ["chat.example.com", "chat.example.com:8443", "agent.example.com", "localhost"])
      assert.equal(isServed(host, rules), true, host);
    assert.equal(isServed("other.example.com", rules), false);
  });

  it("may be any beyond loopback, until one is named", () => {
    assert.equal(isServed("box.lan:7420", rulesFor({ host: "0.0.0.0" })), true);
    const rules = rulesFor({ host: "fd00::1", allowedHosts: ["box.lan"] });
    for (const [host, served] of [
      ["box.lan", true],
      ["[fd00::1]:7420", true],
      ["other.lan", false],
    ] as const)
      assert.equal(isServed(host, rules), served, host);
  });
});

describe("an origin", () => {
  const host = "localhost:7420";

  it("is the gateway's own, none, or a listed one", () => {
    const rules = rulesFor({ allowedOrigins: ["https://board.example.com/"] });
    for (const origin of [undefined, "http://localhost:7420", "https://board.example.com"])
      assert.equal(isServed(host, rules, origin), true, origin);
  });

  for (const origin of [
    "null",
    "",
    "http://evil.example",
    "http://localhost",
    "http://localhost:7421",
    "http://127.0.0.1:7420",
    "file://",
    "http://localhost:7420.evil.example",
    "localhost:7420",
  ])
    it(`is refused as ${JSON.stringify(origin)}`, () => assert.equal(isServed(host, rulesFor(), origin), false));
});

describe("a bearer token", () => {
  const simple = "abcdefghijklmnop";
  const status = (authorization?: string) =>
    checkToken(authorization === undefined ? {} : { authorization }, { ...rulesFor(), token: simple })?.status;

  it("is taken in any spelling of the scheme", () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) assert.equal(status(`${scheme} ${simple}`), undefined);
  });

  const wrong = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    `Bearer  ${simple}`,
    `Bearer ${simple} `,
    `Bearer ${simple}x`,
    `Bearer ${simple.slice(1)}`,
    simple,
    `Basic ${simple}`,
    `Bearer ${simple.toUpperCase()}`,
    "Bearer undefined",
  ];
  for (const authorization of wrong)
    it(`is refused as ${JSON.stringify(authorization)}`, () => assert.equal(status(authorization), 401));
});
