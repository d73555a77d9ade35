import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { isGatewayError } from "@talaria/protocol";
import { parseBody } from "./parse-body.ts";
import { bytesOf } from "./testing/routes.ts";

const mebibyte = 1_048_576;

function parse(body: string | Uint8Array, type = "application/json", headers: Record<string, string> = {}): unknown {
  const bytes = typeof body === "string" ? bytesOf(body) : body;
  return parseBody(bytes, new Headers({ "content-type": type, ...headers }));
}

function refuses(body: string | Uint8Array, message: RegExp, type?: string, headers?: Record<string, string>): void {
  assert.throws(
    () => parse(body, type, headers),
    (error) => isGatewayError(error, "invalid_request") && message.test(error.message),
  );
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
/** A list or an object of as many pieces as fit. */
function filled(piece: (n: number) => string, around: "[]" | "{}"): string {
  const pieces: string[] = [];
  for (let length = 2; length < mebibyte - 20; length += (pieces.at(-1)?.length ?? 0) + 1)
    pieces.push(piece(pieces.length));
  return around[0] + pieces.join() + around[1];
}

describe("a body that is called JSON", () => {
  it("is parsed, in every spelling of the type", () => {
    for (const type of ["application/json", "application/json; charset=utf-8", "application/vnd.github+json"])
      assert.deepEqual(parse('{"a":[1,{"b":null}]}', type), { a: [1, { b: null }] });
  });

  it("may begin with a byte order mark", () => assert.deepEqual(parse("\uFEFF{}"), {}));

  it("may hold lone surrogates and NUL as escapes; prompts replace them", () =>
    assert.deepEqual(parse('"\\ud800\\u0000"'), "\ud800\0"));

  for (const text of ["", "{", "NaN", '{"a":NaN}', "[1,]", "{'a':1}", "[1] [2]", '"\\"', "undefined"])
    it(`is refused as ${JSON.stringify(text)}`, () => refuses(text, /not valid JSON/));

  it("is nested at most a hundred deep", () => {
    assert.doesNotThrow(() => parse(nested(100)));
    refuses(nested(101), /deeper than 100/);
    refuses("[".repeat(100_000), /deeper than 100/);
    refuses('{"a":'.repeat(100_000), /deeper than 100/);
  });

  it("may have any brackets and colons inside its texts", () => {
    const text = `\\"[{:${"[".repeat(1_000)}\\\\`;
    assert.deepEqual(parse(`{"a":"${text}","b":"\\\\"}`), { a: JSON.parse(`"${text}"`), b: "\\" });
  });

  it("names each key once", () => {
    refuses('{"a":1,"a":2}', /names a key twice/);
    refuses('{"a":1,"\\u0061":2}', /names a key twice/);
    refuses('[{"b":{"a":1,"a":1}}]', /names a key twice/);
    assert.deepEqual(parse('[{"a":1},{"a":2}]'), [{ a: 1 }, { a: 2 }]);
  });

  it("pollutes nothing", () => {
    refuses('{"__proto__":{"polluted":1}}', /__proto__/);
    refuses('{"a":[{"\\u005f_proto__":1}]}', /__proto__/);
    assert.deepEqual(parse('{"constructor":{"prototype":{"polluted":1}}}'), {
      constructor: { prototype: { polluted: 1 } },
    });
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });
});

describe("any body", () => {
  it("is UTF-8", () => {
    for (const bytes of [
      [0xff, 0xfe, 0x7b, 0],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0x22, 0xe2, 0x82, 0x22],
    ])
      for (const type of ["application/json", "text/plain"]) refuses(Uint8Array.from(bytes), /UTF-8/, type);
  });

  it("is never decompressed", () => {
    const bomb = gzipSync(Buffer.alloc(10 * mebibyte));
    refuses(bomb, /compressed/, "application/json", { "content-encoding": "gzip" });
    refuses(bomb, /UTF-8/);
    assert.deepEqual(parse("{}", "application/json", { "content-encoding": "Identity" }), {});
  });
});

describe("a body that is called something else", () => {
  it("is JSON where it can be, and else its text", () => {
    assert.deepEqual(parse('{"a":1}', "text/plain"), { a: 1 });
    assert.equal(parse("build failed: [x", "text/plain"), "build failed: [x");
    assert.equal(parse("", ""), "");
    for (const text of [nested(101), '{"a":1,"a":2}', ":".repeat(60_000)])
      assert.equal(parse(text, "text/plain"), text);
  });

  it("is read as a form", () => {
    const form = "application/x-www-form-urlencoded";
    assert.deepEqual(parse("text=a+b&user=%C3%BC", form), { text: "a b", user: "ü" });
    assert.deepEqual(parse("payload=%7B%22a%22%3A1%7D&x=1", form), { a: 1 }, "as GitHub sends it");
    refuses("payload=nonsense", /JSON/, form);
    refuses("a&".repeat(60_000), /fields/, form);
    const polluting = parse("__proto__=1", form) as object;
    assert.equal(Object.getPrototypeOf(polluting), Object.prototype);
  });
});

describe("a hostile mebibyte", () => {
  const hostile: Readonly<Record<string, string>> = {
    "different keys": filled((n) => `"${n.toString(36)}":0`, "{}"),
    "keys that are indexes": filled((n) => `"${n * 7919}":0`, "{}"),
    "the same key": filled(() => '"a":0', "{}"),
    "empty objects": filled(() => "{}", "[]"),
    "empty arrays": filled(() => "[]", "[]"),
    numbers: filled(() => "0", "[]"),
    "open brackets": "[".repeat(mebibyte),
    "escaped quotes without an end": `"${'\\"'.repeat(mebibyte / 2 - 1)}`,
    quotes: '"'.repeat(mebibyte),
    backslashes: "\\".repeat(mebibyte),
    "the most values that pass": `{${Array.from({ length: 49_999 }, (_, n) => `"${n.toString(36)}":"${"x".repeat(10)}"`).join()}}`,
    "the most elements that pass": `[${Array.from({ length: 50_000 }, () => "0").join()}]`,
  };

  const passes = new Set(["the most values that pass", "the most elements that pass"]);

  for (const [name, text] of Object.entries(hostile))
    it(`of ${name} is ${passes.has(name) ? "read" : "refused"}; what it costs is measured by the benchmark`, () => {
      assert.ok(text.length <= mebibyte);
      if (passes.has(name)) assert.deepEqual(parse(text), JSON.parse(text));
      else refuses(text, /./);
    });
});
