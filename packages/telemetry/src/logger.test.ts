import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { createLogger, type LogLevel } from "./logger.ts";

const canary = 'cañary/7+"q\\%s\n& 12~?>~?>~~';
const noSecrets: readonly string[] = [];

function startLog(secrets: () => readonly string[], level: LogLevel = "debug") {
  const lines: string[] = [];
  const log = createLogger({ level, name: "test", secrets, destination: { write: (line) => void lines.push(line) } });
  const records = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, records };
}

/** Every way the canary could be spelled in a line of JSON, written down apart from the code under test. */
function traces(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const stem = (text: string) => text.slice(4, -6);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ v: secret }).toString().slice(2),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    stem(bytes.toString("base64")),
    stem(bytes.toString("base64url")),
    stem(Buffer.from(`ada:${secret}`).toString("base64").slice(4)),
    [...bytes].join(","),
  ];
}

describe("a canary secret never reaches the output", () => {
  const bytes = Buffer.from(canary);
  const cyclic: Record<string, unknown> = { canary };
  cyclic.self = cyclic;
  const failure = new Error("outer", { cause: new Error(`inner ${canary}`) });
  const places: Record<string, Record<string, unknown>> = {
    "top-level field": { field: canary },
    "nested field and list": { a: { b: [{ c: `x${canary}x` }] } },
    "field name": { [canary]: 1 },
    "error message": { error: new Error(`failed with ${canary}`) },
    "error cause and stack": { error: failure },
    "own field of an error": {
      error: Object.assign(new Error("x"), { config: { headers: { authorization: canary } } }),
    },
    "aggregate error": { error: new AggregateError([new Error(canary)]) },
    "address with the secret in its path": {
      url: `https://api.example.org/bot${encodeURIComponent(canary)}/sendMessage`,
    },
    "query of an address": { url: `https://x.example/?${new URLSearchParams({ token: canary })}` },
    "URL object": { url: new URL(`https://u:${encodeURIComponent(canary)}@x.example/`) },
    "basic authorization header": {
      headers: { authorization: `Basic ${Buffer.from(`ada:${canary}`).toString("base64")}` },
    },
    "base64, hex, base64url": { v: [bytes.toString("base64"), bytes.toString("hex"), bytes.toString("base64url")] },
    "upper-case hex": { v: bytes.toString("hex").toUpperCase() },
    "JSON inside a text": { body: JSON.stringify({ password: canary }) },
    bytes: { buffer: bytes, view: new Uint8Array(bytes), raw: new Uint8Array(bytes).buffer },
    "map and set": { map: new Map([["k", canary]]), set: new Set([canary]) },
    "circular object": { cyclic },
    "inspected object": { shown: inspect({ canary }) },
    "text cut in the middle of it": { text: `${"a".repeat(8_192 - 9)}${canary}` },
  };
  for (const [place, fields] of Object.entries(places)) {
    it(`in: ${place}`, () => {
      const { log, lines, records } = startLog(() => secrets);
      const secrets = [canary];
      log.error(fields, `sentence with ${canary}`);
      log.child(fields).info({}, "child");
      const output = lines.join("");
      for (const trace of traces(canary)) assert.ok(!output.includes(trace), `${trace} in ${output}`);
      assert.ok(!output.includes("añary"), output);
      assert.equal(records().length, 2);
    });
  }
});

describe("createLogger", () => {
  it("writes one line of JSON per entry, whatever the text holds", () => {
    const { log, lines, records } = startLog(() => noSecrets);
    log.info({ note: 'a\nb\u2028c\u202e"d\u009b\u001b[31m' }, "line\r\nbreak");
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /^[\x20-\x7e]+\n$/);
    assert.deepEqual(records()[0]?.note, 'a\nb\u2028c\u202e"d\u009b\u001b[31m');
    assert.equal(records()[0]?.msg, "line\r\nbreak");
  });

  it("hides secrets that are registered later, and those of a new list, also in older children", () => {
    let secrets = ["first-secret"];
    const { log, lines } = startLog(() => secrets);
    const child = log.child({ accountId: "a" });
    child.info({ v: "second-secret third-secret" }, "before");
    log.registerSecret("second-secret");
    secrets = ["first-secret", "third-secret"];
    child.info({ v: "first-secret second-secret third-secret" }, "after");
    assert.match(lines[0] ?? "", /second-secret third-secret/);
    assert.match(lines[1] ?? "", /"v":"\[secret\] \[secret\] \[secret\]"/);
  });

  it("keeps a secret hidden after it left the list", () => {
    let secrets = ["old-secret"];
    const { log, lines } = startLog(() => secrets);
    log.info({}, "one");
    secrets = [];
    log.info({ v: "old-secret" }, "two");
    assert.doesNotMatch(lines.join(""), /old-secret/);
  });

  it("stays valid JSON when a secret of digits stands as a number", () => {
    const { log, records } = startLog(() => secrets);
    const secrets = ["12345678"];
    log.info({ chat: 12_345_678, list: [9_123_456_780], text: "12345678" }, "numbers");
    assert.deepEqual(records()[0]?.chat, "[secret]");
    assert.deepEqual(records()[0]?.list, ["[secret]"]);
    assert.deepEqual(records()[0]?.text, "[secret]");
  });

  it("hides a key of several lines also when it is shown line by line", () => {
    const { log, lines } = startLog(() => secrets);
    const body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"];
    const secrets = [`-----BEGIN PRIVATE KEY-----\n${body.join("\n")}\n-----END PRIVATE KEY-----\n`];
    log.info({ shown: inspect({ key: secrets[0] }), indented: body.join("\n    ") }, "x");
    for (const line of body) assert.doesNotMatch(lines.join(""), new RegExp(line));
  });

  it("hides the longer of two secrets as a whole", () => {
    const { log, records } = startLog(() => secrets);
    const secrets = ["prefix-abc", "prefix-abc-and-more"];
    log.info({ v: "prefix-abc-and-more" }, "x");
    assert.equal(records()[0]?.v, "[secret]");
  });

  it("warns of a secret too short to be hidden, without showing it", () => {
    const { log, records } = startLog(() => noSecrets);
    log.registerSecret("ab1");
    log.info({ v: "cab1n" }, "x");
    assert.equal(records()[0]?.level, "warn");
    assert.equal(records()[0]?.length, 3);
    assert.equal(records()[1]?.v, "cab1n");
  });

  it("shows an error with its code and its chain of causes", () => {
    const { log, records } = startLog(() => noSecrets);
    const error = Object.assign(new Error("outer", { cause: new TypeError("inner") }), { code: "unavailable" });
    log.error({ error }, "x");
    const shown = records()[0]?.error as { code: string; message: string; stack: string; cause: { name: string } };
    assert.equal(shown.code, "unavailable");
    assert.equal(shown.message, "outer");
    assert.equal(shown.cause.name, "TypeError");
    assert.match(shown.stack, /logger\.test\.ts/);
  });

  it("bounds what one entry can cost and survives objects that throw", () => {
    const { log, lines, records } = startLog(() => noSecrets);
    const hostile = {
      get bad(): string {
        throw new Error("no");
      },
      good: 1,
    };
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), "end");
    log.info({ hostile, deep, long: "x".repeat(1_000_000), many: Array.from({ length: 10_000 }, () => 1) }, "x");
    assert.deepEqual(records()[0]?.hostile, { bad: "[cannot be shown]", good: 1 });
    assert.ok((lines[0]?.length ?? 0) < 20_000);
  });

  it("writes nothing below its level", () => {
    const { log, lines } = startLog(() => noSecrets, "warn");
    log.info({}, "x");
    log.child({}).debug({}, "x");
    assert.equal(lines.length, 0);
  });
});
