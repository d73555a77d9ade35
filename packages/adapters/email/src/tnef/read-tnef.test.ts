import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rtfText } from "@talaria/foreign-content";
import fc from "fast-check";
import {
  attachment,
  attribute,
  long,
  properties,
  storedRtf,
  type TnefProperty,
  tnef,
  unicode,
} from "../testing/tnef.ts";
import { BrokenTnef } from "./byte-reader.ts";
import { decompressRtf } from "./compressed-rtf.ts";
import { readTnef } from "./read-tnef.ts";

const message = (...list: readonly TnefProperty[]) => attribute(1, 0x00069003, properties(...list));
const bytes = (text: string) => Buffer.from(text);
const filesOf = (mail: Buffer) =>
  readTnef(mail).files.map(({ name, mimeType, content }) => [name, mimeType, content.toString()]);

describe("readTnef", () => {
  it("finds files with their long names and types, whatever stands before them", () => {
    const mail = tnef(
      attribute(1, 0x00069007, Buffer.concat([long(1251), long(0)])),
      message(
        { type: 0x0b, id: 0x0002, values: [bytes("\x01\0\0\0")] },
        { type: 0x101f, id: 0x8001, name: "Keywords", values: [unicode("a"), unicode("bcd")] },
        { type: 0x1014, id: 0x4000, values: [Buffer.alloc(8), Buffer.alloc(8)] },
      ),
      attachment("REPORT~1.PDF", bytes("one"), { type: 0x1f, id: 0x3707, values: [unicode("Отчёт.pdf")] }),
      attachment("Îò÷¸ò.txt", bytes("two"), { type: 0x1e, id: 0x370e, values: [bytes("text/plain\0")] }),
      attachment("c.bin", undefined, { type: 0x102, id: 0x3701, values: [bytes("three")] }),
    );
    assert.deepEqual(filesOf(mail), [
      ["Отчёт.pdf", "", "one"],
      ["Отчёт.txt", "text/plain", "two"],
      ["c.bin", "", "three"],
    ]);
  });

  it("takes plain words before HTML, and HTML before RTF", () => {
    const rtf = { type: 0x102, id: 0x1009, values: [storedRtf("{\\rtf1 from rtf}")] };
    const html = { type: 0x102, id: 0x1013, values: [bytes("<p>from html</p>")] };
    const plain = { type: 0x1f, id: 0x1000, values: [unicode("from plain")] };
    const bodyOf = (...list: readonly TnefProperty[]) => readTnef(tnef(message(...list))).body;
    assert.deepEqual(bodyOf(rtf, html, plain), { text: "from plain", isHtml: false });
    assert.deepEqual(bodyOf(rtf, html), { text: "<p>from html</p>", isHtml: true });
    assert.deepEqual(bodyOf(rtf), { text: "from rtf", isHtml: false });
    assert.equal(bodyOf(), undefined);
    assert.equal(readTnef(tnef(attribute(1, 0x0002800c, bytes("old\0")))).body?.text, "old");
  });

  it("makes a file of an attached message's words, beside its files, and goes no deeper than is bounded", () => {
    const identity = Buffer.from("0703020000000000c000000000000046", "hex");
    const nested = (inner: Buffer) =>
      tnef(
        attribute(1, 0x0002800c, bytes("words\0")),
        attachment("Re: x", undefined, { type: 0x0d, id: 0x3701, values: [Buffer.concat([identity, inner])] }),
      );
    const innermost = tnef(attribute(1, 0x0002800c, bytes("inner\0")), attachment("a.txt", bytes("a")));
    assert.deepEqual(filesOf(nested(innermost)), [
      ["Re: x.txt", "text/plain", "inner"],
      ["a.txt", "", "a"],
    ]);
    let deep = innermost;
    for (let level = 0; level < 20; level += 1) deep = nested(deep);
    assert.deepEqual(
      filesOf(deep).map(([name]) => name),
      ["Re: x.txt", "Re: x.txt", "Re: x.txt"],
    );
  });

  it("leaves out what stands behind the last attribute", () =>
    assert.deepEqual(filesOf(Buffer.concat([tnef(attachment("a", bytes("b"))), bytes("\r\nlist footer")])), [
      ["a", "", "b"],
    ]));

  it("says that bytes are broken, whatever they are", () => {
    const whole = tnef(
      message({ type: 0x102, id: 0x1009, values: [storedRtf("{\\rtf1 a}")] }, { type: 0x1f, id: 0x1000, values: [] }),
      attachment("a", bytes("b"), { type: 0x1f, id: 0x3707, values: [unicode("c")] }),
    );
    const isFair = (some: Buffer) => {
      try {
        readTnef(some);
      } catch (error) {
        assert.ok(error instanceof BrokenTnef, String(error));
      }
    };
    for (let length = 0; length < whole.length; length += 1) isFair(whole.subarray(0, length));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const some = Buffer.from(whole);
        some[at] = byte;
        isFair(some);
      }),
      { numRuns: 1_000 },
    );
    const endless = tnef(
      message({ type: 0x3, id: 1, values: [] }),
      ...Array.from({ length: 2_100 }, () => attribute(1, 1, bytes(""))),
    );
    for (const broken of [bytes("x"), endless, tnef(...Array.from({ length: 200 }, () => attachment("a", bytes("b"))))])
      assert.throws(() => readTnef(broken), BrokenTnef);
  });
});

describe("RTF in TNEF", () => {
  /** The example of [MS-OXRTFCP] section 4.1.1.1, and one that another program has written. */
  const examples: Readonly<Record<string, string>> = {
    "2d0000002b0000004c5a4675f1c5c7a703000a0072637067313235423 20af32068656c090020627705b06c647d0a800fa0":
      "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n",
    "23000000220000004c5a4675335ce87403000a007263706731323592320af320740790747d0f10":
      "{\\rtf1\\ansi\\ansicpg1252\\pard test}",
  };
  for (const [hex, rtf] of Object.entries(examples))
    it(`is decompressed: ${rtf.trim()}`, () =>
      assert.equal(decompressRtf(Buffer.from(hex.replaceAll(" ", ""), "hex")).toString("latin1"), rtf));

  const texts: Readonly<Record<string, readonly [rtf: string, text: string]>> = {
    "paragraphs and signs": [
      "{\\rtf1\\ansi a\\par b\\line c\\tab d\\emdash e\\~f \\{g\\}\\\\}",
      "a\nb\nc\td—e f {g}\\",
    ],
    "letters of a code page and of Unicode": [
      "{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\u1080?\\u1074\\'e2 {\\uc2\\u8364ab}c}",
      "Прив €c",
    ],
    "letters of two bytes": ["{\\rtf1\\ansicpg932 \\'93\\'fa\\'96\\'7b}", "日本"],
    "nothing of fonts, pictures, fields and notes of programs": [
      "{\\rtf1{\\fonttbl{\\f0 Arial;}}{\\colortbl;\\red0;}{\\*\\generator X;}{\\pict 00ff}a{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt link}}}",
      "alink",
    ],
    "nothing that is hidden": ["{\\rtf1 a{\\v b}c\\v d\\v0 e}", "ace"],
    "the words of HTML within RTF": [
      "{\\rtf1\\ansi\\fromhtml1{\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 Hello {\\*\\htmltag84 <b>}you{\\*\\htmltag92 </b>}\\htmlrtf\\par}\\htmlrtf0{\\*\\htmltag72 </p>}}",
      "Hello you",
    ],
    "braces without an end": [`${"{".repeat(1_000)}a`, "a"],
  };
  for (const [name, [rtf, text]] of Object.entries(texts))
    it(`is read: ${name}`, () => assert.equal(rtfText(Buffer.from(rtf, "latin1")), text));
});
