import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DocumentQuery } from "./document-messages.ts";
import { isDocument } from "./index.ts";
import { ask, madeFile } from "./testing/ask.ts";
import { makePdf } from "./testing/make-pdf.ts";

const plan =
  /Annual plan\n[\s\S]*Grüße aus Zürich, 日本語 and 🎈\.[\s\S]*first point[\s\S]*Month\s+\|? ?Amount[\s\S]*May\s+\|? ?12/;
const locked = /can't be read: it is encrypted with a password: ask for it without one$/;

/** What real programs have written. */
const files: readonly (readonly [name: string, wanted: readonly RegExp[], query?: Partial<DocumentQuery>])[] = [
  [
    "plan.docx",
    [/^plan\.docx: Word document\ntitle: Plan\n/, /\n# Annual plan\n/, plan, /\nMonth +\| Amount\nMay +\| 12\n/],
  ],
  ["plan-writer.docx", [/: Word document\n/, plan, /\n- first point\n/]],
  ["plan.odt", [/: OpenDocument text\n/, plan, /\n- first point\n/]],
  ["plan.rtf", [/: RTF\n/, plan]],
  [
    "plan.pdf",
    [/: PDF, 1 page\ntitle: Plan\n/, /--- page 1 ---\nAnnual plan\nGrüße aus Zürich/, /Month Amount\nMay 12/],
  ],
  ["plan.epub", [/: book \(EPUB\), 1 chapter\ntitle: Plan\n/, /Grüße aus Zürich, 日本語 and 🎈\./]],
  ["sales.xlsx", [/: workbook, 2 sheets\n/, /sheet 1: "Sales" \(A1:C3\)\nsheet 2: "Notes" \(A1:XFD3, hidden\)/]],
  ["sales.xlsx", [/\n1\tMonth\tAmount\tWhen\n2\tMay\t12\.5\t2026-05-03\n3\tJune\t=SUM\(B2:B2\)\t2026-06-01 14:30\n/]],
  ["sales.xlsx", [/sheet 2 of 2\n\n--- sheet 2 "Notes" ---\n1\thidden note\n3\t\[XFD\] far$/], { page: "Notes" }],
  ["sales-calc.xlsx", [/\n2\tMay\t12\.5\t2026-05-03\n3\tJune\t12\.5\t2026-06-01 14:30$/], { page: "1" }],
  ["sales.ods", [/: OpenDocument spreadsheet, 2 sheets\nsheet 1: "Sales"/, /\n3\tJune\t12\.5\t2026-06-01 14:30:00\n/]],
  ["kickoff.pptx", [/: presentation, 2 slides\n/, /--- slide 1 ---\nKick-off\nGoals\nMoney\n\[Notes\]\nSay hello\n/]],
  ["kickoff.odp", [/--- slide 1 "Kick-off" ---\nKick-off\n- Goals\n- Money\n\[Notes\] Say hello\n\n--- slide 2/]],
  [
    "form.pdf",
    [
      /: PDF, 2 pages\n/,
      /Application\n\[field Applicant: Ada Lovelace\]/,
      /page 2 ---\n\[this page has no text: [^\]]*scan\. To see it: pdftoppm -f 2 -l 2 [^\]]*read_file[^\]]*photo of the page[^\]]*\]/,
    ],
  ],
  [
    "analysis.ipynb",
    [/: notebook, 2 cells\nkernel: Python 3\n/, /"code" ---\nprint\(1\+1\)\n\[output\]\n2\n\[error\] ValueError: bad/],
  ],
  [
    "invoice.eml",
    [/: mail\n/, /From: Ada <ada@example\.org>\n/, /Rechnung für Mai\n\nThe invoice is attached\.\nGrüße/],
  ],
  ["invoice.eml", [/\[file "invoice\.pdf", application\/pdf, 10 bytes: /]],
  [
    "invoice.msg",
    [
      /^invoice\.msg: mail\nIts headers are what it says: nobody has checked who sent it\.\n/,
      /\nFrom: Ada <ada@example\.org>\nTo: bob@example\.org\nDate: Sun, 03 May 2026 08:00:00 GMT\nSubject: Rechnung für Mai\n/,
      /\n\nThe invoice is attached\.\nGrüße/,
      /\[file "invoice\.pdf", application\/pdf, 10 bytes: unpack the mail/,
    ],
  ],
  [
    "news.msg",
    [
      /To: Bob <bob@example\.org>\nCc: cy@example\.org\n/,
      /\n\nGrüße from the team\n/,
      /\[file "plan\.doc", application\/msword, \d+ bytes/,
    ],
  ],
  ["memo.msg", [/\n\nGrüße from the memo$/]],
  ["owner-only.pdf", [/Annual plan/]],
  [
    "locked.zip",
    [
      /: zip archive\n1 entry, 12 bytes/,
      /encrypted with a password: 1 of them/,
      /secret\.txt {2}12 bytes {2}\(encrypted\)/,
    ],
  ],
  ["encrypted.pdf", [locked]],
  ["encrypted.docx", [locked]],
  ["encrypted.xlsx", [locked]],
  [
    "plan.doc",
    [/^unsupported: plan\.doc can't be read: it is of the old format of Word 97 to 2003: ask for it as docx or PDF/],
  ],
  ["sales.xls", [/old format of Excel 97 to 2003: ask for it as xlsx/]],
  ["box.7z", [/it is a 7z archive: unpack it in the workspace, with 7z/]],
];

describe("readDocument", () => {
  for (const [name, wanted, query] of files) {
    it(`reads or refuses ${name}${query?.page === undefined ? "" : `, from ${query.page} on`}`, async () => {
      const text = await ask(madeFile(name), name, query);
      for (const pattern of wanted) assert.match(text, pattern);
      assert.doesNotMatch(text, /SECRET-HIDDEN(?!visible)|undefined|\[object/);
    });
  }

  it("leaves out what a Word document and an OpenDocument text hide", async () => {
    for (const name of ["plan.docx", "plan-writer.docx", "plan.odt", "plan.rtf"]) {
      assert.doesNotMatch(await ask(madeFile(name), name), /SECRET/, name);
    }
  });

  it("says of a scan how to see its pages, once for all of them", async () => {
    const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>";
    const scan = makePdf("", "", "6 0 R 7 0 R ").toString("latin1").replace("/Count 1", "/Count 3");
    const whole = scan.replace("xref\n", `6 0 obj\n${page}\nendobj\n7 0 obj\n${page}\nendobj\nxref\n`);
    const text = await ask(Buffer.from(whole, "latin1"), "scan.pdf");
    assert.equal(text.split("[this page has no text").length, 4, text);
    assert.equal(text.split("pdftoppm -f 1 -l 1 ").length, 2, text);
    assert.equal(text.split("pdftoppm").length, 2, text);
  });

  it("goes by the content, whatever the name says", async () => {
    assert.match(await ask(madeFile("plan.pdf"), "plan.docx"), /^plan\.docx: PDF, 1 page/);
    assert.match(await ask(madeFile("sales.xlsx"), "notes.txt"), /^notes\.txt: workbook, 2 sheets/);
    assert.match(await ask(madeFile("kickoff.pptx"), "x"), /^x: presentation/);
    assert.match(await ask(Buffer.from("just a text"), "report.pdf"), /it is no document that can be read here/);
  });

  it("knows a document by its beginning, and nothing else", () => {
    for (const [name] of files) assert.ok(isDocument(madeFile(name).subarray(0, 1_024), name), name);
    for (const text of ["", "plain", "{}", "From: nobody", "%PDF", "PK", "\x89PNG\r\n"]) {
      assert.equal(isDocument(Buffer.from(text, "latin1"), "notes.txt"), false, text);
    }
  });

  it("says which pages and lines there are when somebody asks for others", async () => {
    assert.match(
      await ask(madeFile("form.pdf"), "form.pdf", { page: "3" }),
      /^invalid_request: .*no page 3: it has 2 pages/,
    );
    assert.match(await ask(madeFile("sales.xlsx"), "s", { page: "Costs" }), /no sheet Costs: it has 2 sheets/);
    assert.match(await ask(madeFile("plan.docx"), "p", { page: "2" }), /it has no pages: leave page out/);
    assert.match(await ask(madeFile("plan.docx"), "p", { line: 900 }), /there is no line 900: it has 6 lines/);
  });

  it("gives a long document piece by piece, and loses nothing", async () => {
    const cells = Array.from({ length: 40 }, (_, n) => ({
      cell_type: "markdown",
      source: Array.from({ length: 60 }, (_, line) => `cell ${n + 1} line ${line + 1} grüße 🎈\n`),
    }));
    const notebook = Buffer.from(JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    const seen: string[] = [];
    let calls = 0;
    for (let at: Partial<DocumentQuery> | undefined = {}; at !== undefined && calls < 50; calls += 1) {
      const text: string = await ask(notebook, "long.ipynb", { ...at, mostChars: 9_000 });
      assert.ok(text.length < 10_500);
      seen.push(...text.split("\n").filter((line) => /^cell \d+ line/.test(line)));
      const next = /go on with page (\d+)(?:, offset (\d+))?/.exec(text.slice(0, 400));
      at = next === null ? undefined : { page: next[1] ?? "", line: Number(next[2] ?? 1) };
    }
    assert.deepEqual(
      seen,
      cells.flatMap(({ source }) => source.map((line) => line.trimEnd())),
    );
    assert.ok(calls >= 6 && calls < 30, `${calls} calls`);
  });
});
