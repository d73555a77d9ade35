import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { putIn } from "./put-in.ts";
import { redactor, redactText } from "./redact.ts";
import { handOut } from "./secret.ts";

const value = "canary/+value=0123456789abcdef";
const secret = handOut({ name: "a", value, hosts: ["a.org"], header: "authorization", template: "Bearer {value}" });
const { headers, values } = putIn({ authorization: [secret.handle], other: [secret.handle] }, [secret]);
const base64 = (words: string, as: BufferEncoding = "base64") => Buffer.from(words).toString(as);

describe("what was put into a request", () => {
  it("stands in the secret's own header alone", () =>
    assert.deepEqual({ ...headers }, { authorization: [`Bearer ${value}`], other: [secret.handle] }));

  const echoes = {
    "as it is": value,
    "in JSON": JSON.stringify({ value }),
    "in JSON with escaped slashes": JSON.stringify({ value }).replaceAll("/", "\\/"),
    "in an address": encodeURIComponent(value),
    "in an address, in small letters": encodeURIComponent(value).toLowerCase(),
    "in a form": String(new URLSearchParams({ value })),
    "in hex": base64(value, "hex"),
    "in base64": base64(value),
    "in base64 behind one byte": base64(`:${value}`),
    "in base64 between others": base64(`me:${value}, and more`),
    "in base64 for addresses": base64(`ab${value}`, "base64url"),
  };
  for (const [how, echo] of Object.entries(echoes))
    it(`does not come back ${how}, however it is cut`, async () => {
      // What no neighbour has a part in: the rest tells less than two bytes.
      const told = [value, encodeURIComponent(value), base64(value, "hex"), base64(value).slice(4, -4)];
      assert.match(redactText(`a ${echo} z`, values), /^a .*\*{20}.* z$/);
      for (const size of [1, 2, 7, 31, 1_000]) {
        const whole = Buffer.from(`a ${echo} z ${value.slice(0, 9)}`);
        const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
          whole.subarray(n * size, (n + 1) * size),
        );
        const came = await text(Readable.from(pieces).pipe(redactor(values)));
        assert.equal(Buffer.byteLength(came), whole.length);
        assert.match(came, /^a .*\*{20}.* z canary\/\+v$/, `in pieces of ${size}`);
        for (const one of told) assert.ok(!came.includes(one), came);
      }
    });
});
