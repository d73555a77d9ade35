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
/** UTF-16 has zeros between them. */
const starsIn = (words: string) => words.replaceAll("\0", "");
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
    "in .NET's JSON": JSON.stringify({ value }).replaceAll("+", "\\u002B"),
    "in JSON of other servers": JSON.stringify({ value }).replaceAll("=", "\\u003d").replaceAll("/", "\\/"),
    "in JSON in JSON": JSON.stringify(JSON.stringify({ value }).replaceAll("/", "\\/").replaceAll("+", "\\u002B")),
    "in JSON, letter by letter": [...value].map((one) => `\\u00${base64(one, "hex")}`).join(""),
    "in HTML, with hex": value.replaceAll("/", "&#x2F;").replaceAll("=", "&#x3D;").replaceAll("+", "&#x2b;"),
    "in HTML, with numbers": [...value].map((one) => `&#${one.charCodeAt(0)};`).join(""),
    "in HTML, with names": value.replaceAll("/", "&sol;").replaceAll("=", "&equals;").replaceAll("+", "&plus;"),
    "in HTML in HTML": value.replaceAll("/", "&amp;#47;"),
    "in an address in an address": encodeURIComponent(encodeURIComponent(value)),
    "in base64, in lines": base64(`me:${value}`).replaceAll(/.{11}/g, "$&\r\n"),
    "in base64, in lines, in JSON": JSON.stringify(base64(`me:${value}`).replaceAll(/.{11}/g, "$&\n")),
    "quoted-printable": value.replaceAll("=", "=3D"),
    "quoted-printable, in lines": value.replaceAll("=", "=3D").replaceAll("value", "val=\r\nue"),
    "in hex, in capitals": base64(value, "hex").toUpperCase(),
    "in UTF-16": Buffer.from(value, "utf16le").toString("latin1"),
    "in UTF-16, the other way round": Buffer.from(value, "utf16le").swap16().toString("latin1"),
    "in UTF-16, in JSON": Buffer.from(value.replaceAll("+", "\\u002B"), "utf16le").toString("latin1"),
  };
  for (const [how, echo] of Object.entries(echoes))
    it(`does not come back ${how}, however it is cut`, async () => {
      // What no neighbour has a part in: the rest tells less than two bytes.
      const told = [value, encodeURIComponent(value), base64(value, "hex"), base64(value).slice(4, -4)];
      assert.match(starsIn(redactText(`a ${echo} z`, values)), /^a .*\*{20}.* z$/s);
      for (const size of [1, 2, 7, 31, 1_000]) {
        const whole = Buffer.from(`a ${echo} z ${value.slice(0, 9)}`);
        const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
          whole.subarray(n * size, (n + 1) * size),
        );
        const came = await text(Readable.from(pieces).pipe(redactor(values)));
        assert.equal(Buffer.byteLength(came), whole.length);
        assert.match(starsIn(came), /^a .*\*{20}.* z canary\/\+v$/s, `in pieces of ${size}`);
        for (const one of told) assert.ok(!came.includes(one), came);
      }
    });
});
