import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { baseAddress, pace, revealedSecret } from "./settings.ts";

describe("a secret", () => {
  const secret = revealedSecret(z.string().regex(/^x-/, "has to begin with x-"));
  const refusalOf = (value: unknown) => secret.safeParse(value).error?.issues.map(({ message }) => message);

  it("is text, or what reveals it", () => {
    assert.equal(secret.parse("x-1"), "x-1");
    assert.equal(secret.parse({ reveal: () => "x-2" }), "x-2");
  });

  it("is looked at in either form, and is in no refusal", () => {
    for (const value of ["y-1", { reveal: () => "y-2" }]) assert.deepEqual(refusalOf(value), ["has to begin with x-"]);
  });

  for (const value of [undefined, null, 1, {}, { reveal: "x-1" }])
    it(`is not ${JSON.stringify(value)}`, () => assert.deepEqual(refusalOf(value), ["has to be text"]));
});

describe("a pace", () => {
  const schema = z.strictObject({ pace: pace(5, 1_000) });

  it("has a default for each part", () => {
    assert.deepEqual(schema.parse({}), { pace: { burst: 5, refillMs: 1_000 } });
    assert.deepEqual(schema.parse({ pace: { burst: 2 } }), { pace: { burst: 2, refillMs: 1_000 } });
    assert.deepEqual(schema.parse({ pace: { refillMs: 0 } }), { pace: { burst: 5, refillMs: 0 } });
  });

  for (const wrong of [{ burst: 0 }, { refillMs: -1 }, { burst: 1.5 }, { bursts: 1 }])
    it(`refuses ${JSON.stringify(wrong)}`, () => assert.equal(schema.safeParse({ pace: wrong }).success, false));
});

describe("a base address", () => {
  it("loses its slashes at the end, and keeps its path", () => {
    assert.equal(baseAddress.parse("https://example.org"), "https://example.org");
    assert.equal(baseAddress.parse("http://127.0.0.1:1//"), "http://127.0.0.1:1");
    assert.equal(baseAddress.parse("https://example.org/api/"), "https://example.org/api");
  });

  for (const wrong of ["", "example.org", "file:///etc", "ftp://example.org", "httpss://example.org"])
    it(`is not "${wrong}"`, () => assert.equal(baseAddress.safeParse(wrong).success, false));
});
