import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { DocumentQuery } from "./document-messages.ts";
import { ask, madeFile } from "./testing/ask.ts";
import { makePdf } from "./testing/make-pdf.ts";
import { makeTar } from "./testing/make-tar.ts";
import { makeDocx, makeOdf, makeXlsx, makeZip } from "./testing/make-zip.ts";

type Case = readonly [
  what: string,
  name: string,
  bytes: () => Buffer,
  wanted: readonly RegExp[],
  query?: Partial<DocumentQuery>,
];

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (text: string) => `<row r="1"><c r="A1" t="inlineStr"><is><t>${text}</t></is></c></row>`;
const far = { line: 2_000_000_000 };
const broken = /^unsupported: .* can't be read: it is broken/;

/** A document whose part holds so many megabytes of one letter. */
const swollen = (megabytes: number) => makeDocx(paragraph("a".repeat(megabytes * 1_048_576)));
const laughs = `<!DOCTYPE w [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, n) => `<!ENTITY b${n} "${n === 0 ? "&a;&a;" : `&b${n - 1};&b${n - 1};`}">`).join("")}<!ENTITY f SYSTEM "file:///etc/passwd">]>`;
const notebook = (cells: unknown) => Buffer.from(JSON.stringify({ nbformat: 4, metadata: {}, cells }));
const macros = [{ name: "xl/vbaProject.bin", content: "Shell(1)" }];

const brokenMail =
  /^(?:unsupported: .* can.t be read: it is (?:broken|a compound file)|too_large: .* takes more than )/;

/** MS-CFB: the file's table of sectors is in the first one that its head names, and each entry says which sector comes next. */
function circular(): Buffer {
  const mail = Buffer.from(madeFile("news.msg"));
  const table = 512 * (mail.readUInt32LE(76) + 1);
  for (let sector = 0; sector < 128; sector += 1) mail.writeUInt32LE(sector, table + 4 * sector);
  return mail;
}

/** A compound file that is nothing but its head, and a name. */
function headOf(name: string): Buffer {
  return Buffer.concat([madeFile("news.msg").subarray(0, 512), Buffer.from(`${name}\0`, "utf16le")]);
}

const cases: readonly Case[] = [
  ["a bomb, as far as it is wanted", "a.docx", () => swollen(300), [/lines 1 to 7; go on with offset 8\n\na{2000}\n/]],
  [
    "a bomb that is to be read to its end",
    "a.docx",
    () => swollen(300),
    [/^unsupported: .*more than 256 MB, as a zip bomb does/],
    far,
  ],
  [
    "a part that is larger than its list says",
    "a.docx",
    () =>
      makeZip([
        { name: "[Content_Types].xml", content: "<Types/>" },
        { name: "word/document.xml", content: "<a>".repeat(5_000), claimedSize: 10 },
      ]),
    [broken],
  ],
  ["a mail of Outlook that is cut off", "a.msg", () => madeFile("news.msg").subarray(0, 5_000), [brokenMail]],
  ["a mail of Outlook whose sectors lead to themselves", "a.msg", circular, [brokenMail]],
  ["a mail of Outlook without a single sector", "a.msg", () => headOf("__properties_version1.0"), [brokenMail]],
  [
    "archives in archives",
    "a.zip",
    () => makeZip([{ name: "b.zip", content: makeZip([{ name: "c.zip", content: madeFile("locked.zip") }]) }]),
    [/1 entry/, /\nb\.zip {2}\d+ bytes$/],
  ],
  [
    "entities that grow, and one of the machine's files",
    "a.docx",
    () => makeDocx(paragraph("x &b19; &f; y"), [], laughs),
    [/\nx &b19; &f; y$/],
  ],
  [
    "a document with macros",
    "a.docm",
    () => makeDocx(paragraph("hello"), [{ name: "word/vbaProject.bin", content: "Shell(1)" }]),
    [/has macros, which are not run: word\/vbaProject\.bin\n/, /\nhello$/],
  ],
  [
    "a workbook with macros",
    "a.xlsm",
    () => makeXlsx([{ name: "One", rows: cell("hello") }], macros),
    [/has macros, which are not run: xl\/vbaProject\.bin/, /\n1\thello$/],
  ],
  [
    "a text with macros",
    "a.odt",
    () => makeOdf("text", "<text:p>hello</text:p>", [{ name: "Basic/Standard/Module1.xml", content: "x" }]),
    [/has macros, which are not run: Basic\/Standard\/Module1\.xml/, /\nhello$/],
  ],
  [
    "10,000 sheets",
    "a.xlsx",
    () => makeXlsx(Array.from({ length: 10_000 }, (_, n) => ({ name: `S${n + 1}`, rows: cell(`v${n + 1}`) }))),
    [/: workbook, 10000 sheets\n/, /sheet 40: "S40"\nand 9960 more sheets/, /--- sheet 9999 "S9999" ---\n1\tv9999$/],
    { page: "S9999" },
  ],
  [
    "a sheet that claims to be full",
    "a.ods",
    () =>
      makeOdf(
        "spreadsheet",
        `<table:table table:name="T">${'<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>'.repeat(50)}</table:table>`,
      ),
    [/sheet 1 of 1, lines 1 to \d+; go on with page 1, offset \d+/, /\n1(\tx){100}\n/],
  ],
  [
    "cells beyond any sheet",
    "a.xlsx",
    () =>
      makeXlsx([
        {
          name: "One",
          rows: '<row r="9999999999"><c r="ZZZZ1"><v>1e999</v></c><c r="A-1"><v>2</v></c><c t="s"><v>77</v></c></row>',
        },
      ]),
    [/--- sheet 1 "One" ---\n9999999999\t1e999\t2$/],
  ],
  [
    "an encrypted text",
    "a.odt",
    () =>
      makeOdf("text", "", [
        {
          name: "META-INF/manifest.xml",
          content: "<m:manifest><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>",
        },
      ]),
    [/it is encrypted with a password/],
  ],
  [
    "encrypted parts",
    "a.docx",
    () => makeZip([{ name: "[Content_Types].xml", content: "x", isEncrypted: true }]),
    [/it is encrypted with a password/],
  ],
  [
    "a protected book",
    "a.epub",
    () =>
      makeZip([
        { name: "META-INF/container.xml", content: "<c/>" },
        {
          name: "META-INF/encryption.xml",
          content:
            '<e><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/></EncryptedData></e>',
        },
      ]),
    [/protected against copying \(DRM\)/],
  ],
  [
    "a book that leads out of itself",
    "a.epub",
    () =>
      makeZip([
        { name: "META-INF/container.xml", content: '<c><rootfile full-path="../../etc/passwd"/></c>' },
        { name: "mimetype", content: "application/epub+zip" },
      ]),
    [broken],
  ],
  ["a cut container", "a.docx", () => madeFile("plan.docx").subarray(0, 9_000), [broken]],
  [
    "a container with damaged contents",
    "a.docx",
    () => Buffer.from(madeFile("plan.docx").map((byte, at) => (at > 400 && at < 20_000 ? byte ^ 0x55 : byte))),
    [broken],
  ],
  ["a cut PDF", "a.pdf", () => madeFile("plan.pdf").subarray(0, 9_000), [/^a\.pdf: PDF|can't be read: it is broken/]],
  ["a PDF of nothing but its first line", "a.pdf", () => Buffer.from("%PDF-1.7\n"), [broken]],
  ["an empty file", "a.pdf", () => Buffer.alloc(0), [/it is no document that can be read here/]],
  ["zero bytes", "a.docx", () => Buffer.alloc(100_000), [/it is no document/]],
  [
    "zero characters and half ones",
    "a.docx",
    () => makeDocx(paragraph("a\0b&#0;c&#xD800;d\u0007e&#x1F388;f")),
    [/\nab\ufffd?c\ufffdde🎈f$/],
  ],
  ["deep nesting", "a.docx", () => makeDocx("<w:x>".repeat(200_000)), [/nested deeper than 1000 levels/]],
  [
    "a deeply nested notebook",
    "a.ipynb",
    () => Buffer.from(`{"nbformat":4,"cells":${"[".repeat(1_000_000)}`),
    [/can't be read: it is broken, or no notebook/],
  ],
  [
    "a notebook of anything",
    "a.ipynb",
    () => notebook([{ cell_type: 5, source: [null], outputs: [{ data: { "text/plain": 7, "image/png": "x" } }] }, {}]),
    [/: notebook, 2 cells\n/, /\[output\]\n\[image\/png\]/],
  ],
  ["no notebook", "a.ipynb", () => Buffer.from('{"a":1}'), [/no notebook of Jupyter/]],
  [
    "a deeply nested mail",
    "a.eml",
    () =>
      Buffer.from(
        Array.from(
          { length: 5_000 },
          (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
        ).join(""),
      ),
    [/nested too deep|^a\.eml: mail/],
  ],
  [
    "a mail with a page of script",
    "a.eml",
    () =>
      Buffer.from(
        "From: a@b.c\r\nContent-Type: text/html\r\n\r\n<script>evil()</script><p style='display:none'>unseen</p><p>seen</p>",
      ),
    [/\n\nseen$/],
  ],
  [
    "paths that lead out",
    "a.zip",
    () =>
      makeZip(
        ["../../etc/cron.d/x", "/etc/passwd", "C:\\x.exe", 'a\n"b\u202ec'].map((name) => ({ name, content: "x" })),
      ),
    [
      /paths that lead out of the folder: 3 of them/,
      /\n\.\.\/\.\.\/etc\/cron\.d\/x {2}1 bytes {2}\(leads out\)\n/,
      /\na\\n\\"b/,
    ],
  ],
  [
    "links and devices in an archive",
    "a.tar",
    () =>
      makeTar([
        { name: "link", type: "2", link: "/etc/passwd" },
        { name: "null", type: "3" },
        { name: "../up.txt", type: "0", content: "hi" },
      ]),
    [/link {2}0 bytes {2}\(SymbolicLink to "\/etc\/passwd"\)/, /\.\.\/up\.txt {2}2 bytes {2}\(leads out\)/],
  ],
  [
    "a compressed archive",
    "a.tgz",
    () => gzipSync(makeTar([{ name: "a.txt", type: "0", content: "hi" }])),
    [/: tar archive, compressed with gzip\n1 entry/, /\na\.txt {2}2 bytes$/],
  ],
  [
    "a cut archive",
    "a.tgz",
    () => gzipSync(makeTar([{ name: "a.txt", type: "0", content: "x".repeat(200_000) }])).subarray(0, 200),
    [/at least 1 entry|it is broken/],
  ],
  [
    "a compressed text without end",
    "a.log.gz",
    () => gzipSync(Buffer.alloc(200 * 1_048_576, "line of a log\n")),
    [/: text, compressed with gzip\nlines 1 to 500; go on with offset 501\n\nline of a log\n/],
  ],
  [
    "a compressed program",
    "a.gz",
    () => gzipSync(Buffer.alloc(5_000)),
    [/compressed with gzip and holds no text: unpack it/],
  ],
  [
    "a page of 10 MB in one line",
    "a.docx",
    () => makeDocx(paragraph("word ".repeat(2_000_000))),
    [/lines 4990 to 4997; go on with offset 4998\n\n(word ?)+\n/],
    { line: 4_990 },
  ],
  [
    "a PDF page of 10 MB in one line",
    "a.pdf",
    () => makePdf(`BT /F1 1 Tf 0 0 Td (${"word ".repeat(2_000_000)}) Tj ET`),
    [/--- page 1 ---\nword word|^too_large: a\.pdf takes more than 256 MB of memory to read/],
  ],
  [
    "a PDF with scripts and a tree that bites its tail",
    "a.pdf",
    () => makePdf("BT /F1 9 Tf (hello) Tj ET", "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>", "2 0 R "),
    [/hello|can't be read: it is broken|this page is broken/],
  ],
  [
    "a forged kind of container",
    "a.docx",
    () => Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600, 0xff)]),
    [/it is a compound file of an old program/],
  ],
  [
    "a document of Apple's",
    "a.pages",
    () => makeZip([{ name: "Index/Document.iwa", content: "x" }]),
    [/Apple's Pages, Numbers or Keynote: ask for it as PDF/],
  ],
  [
    "a binary workbook",
    "a.xlsb",
    () =>
      makeZip([
        { name: "[Content_Types].xml", content: "<T/>" },
        { name: "xl/workbook.bin", content: "x" },
      ]),
    [/binary workbook \(xlsb\): ask for it as xlsx/],
  ],
  [
    "relations that lead out and in circles",
    "a.docx",
    () =>
      makeZip([
        { name: "[Content_Types].xml", content: "<T/>" },
        {
          name: "_rels/.rels",
          content: '<R><Relationship Id="1" Type="x/officeDocument" Target="../../../../word/document.xml"/></R>',
        },
        { name: "word/document.xml", content: `<d><body>${paragraph("here").replaceAll("w:", "")}</body></d>` },
        {
          name: "word/_rels/document.xml.rels",
          content: '<R><Relationship Id="2" Type="x/footnotes" Target="document.xml"/></R>',
        },
      ]),
    [/\nhere\n/],
  ],
  ["RTF without end", "a.rtf", () => Buffer.from(`{\\rtf1 ${"{\\b ".repeat(500_000)}deep`), [/: RTF\n\ndeep$/]],
];

describe("a hostile document", () => {
  for (const [what, name, bytes, wanted, query] of cases) {
    it(`is read or refused with a sentence: ${what}`, async () => {
      const text = await ask(bytes(), name, query);
      for (const pattern of wanted) assert.match(text, pattern);
      assert.ok(text.length < 25_000, `${text.length} characters`);
      assert.ok(text.isWellFormed());
      assert.doesNotMatch(text, /no reader understands it|root:/);
    });
  }
});
