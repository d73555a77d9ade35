import assert from "node:assert/strict";
import { mkdir, readFile as readDisk, symlink, writeFile as writeDisk } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { startLocalWorkspace } from "../testing/local-workspace.ts";
import { call, contextOf } from "../testing/tool-call.ts";
import { editFile } from "./edit-file.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { writeFile } from "./write-file.ts";

async function world(files: Readonly<Record<string, string | Uint8Array>> = {}, programs?: readonly string[]) {
  const workspace = await startLocalWorkspace(programs);
  for (const [name, content] of Object.entries(files)) {
    const path = join(workspace.folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeDisk(path, content);
  }
  const context = contextOf({ workspace });
  return {
    ask: async (tool: typeof readFile, input: object) => (await call(tool, input, context)).content,
    result: (tool: typeof readFile, input: object) => call(tool, input, context),
    disk: (name: string) => readDisk(join(workspace.folder, name), "utf8"),
    folder: workspace.folder,
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

/** What tells a document of Word 97: the compound file, and a name in its list of streams. */
const oldWord = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("WordDocument\0", "utf16le")]);

describe("read_file", () => {
  it("shows a picture, and of what only calls itself one its size", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    await using here = await world({ "chart.png": png, "data.bin": png, "large.png": Buffer.alloc(6_000_000) });
    const { content, shows } = await here.result(readFile, { path: "chart.png" });
    assert.equal(content, `chart.png follows (image/png, ${png.byteLength} bytes).`);
    assert.equal(shows?.[0]?.byteLength, png.byteLength);
    assert.match(
      await here.ask(readFile, { path: "data.bin" }),
      /data\.bin is no text: \d+ bytes that begin with 8950/,
    );
    assert.match(await here.ask(readFile, { path: "large.png" }), /large\.png is no text: 6000000 bytes/);
  });

  it("gives the text of a document from a page on, and says that a text has none", async () => {
    const cell = (text: string) => ({ cell_type: "markdown", source: text });
    const notebook = JSON.stringify({ nbformat: 4, metadata: {}, cells: [cell("first"), cell("second")] });
    await using here = await world({ "in/a.ipynb": notebook, "a.txt": "plain", "old.doc": oldWord });
    assert.match(
      await here.ask(readFile, { path: "in/a.ipynb" }),
      /^a\.ipynb: notebook, 2 cells\n[\s\S]*first[\s\S]*second$/,
    );
    assert.match(
      await here.ask(readFile, { path: "in/a.ipynb", page: 2 }),
      /cell 2 of 2\n\n--- cell 2 "markdown" ---\nsecond$/,
    );
    const { did } = await here.result(readFile, { path: "in/a.ipynb" });
    assert.deepEqual(did, [{ kind: "read", path: "in/a.ipynb" }]);
    await assert.rejects(here.ask(readFile, { path: "a.txt", page: 2 }), /a\.txt has no pages: leave page out/);
    await assert.rejects(
      here.ask(readFile, { path: "old.doc" }),
      /old\.doc can't be read: it is of the old format of Word/,
    );
  });

  it("reads a long file page by page, with line numbers and nothing lost", async () => {
    const text = Array.from({ length: 60_000 }, (_, n) => `line ${n + 1} grüße 🎈`).join("\n");
    await using here = await world({ "long.txt": text });
    const seen: string[] = [];
    for (let offset: string | undefined = "30000"; offset !== undefined && seen.length < 2_500; ) {
      const content: string = await here.ask(readFile, { path: "long.txt", offset: Number(offset), limit: 2_000 });
      assert.ok(content.length < 20_000);
      const [head = "", ...rest] = content.split("\n\n");
      seen.push(...rest.join("\n\n").split("\n"));
      offset = /go on with offset (\d+)/.exec(head)?.[1];
    }
    for (const [index, line] of seen.entries())
      assert.equal(line, ` ${30_000 + index}\tline ${30_000 + index} grüße 🎈`);
    assert.match(await here.ask(readFile, { path: "long.txt", offset: 60_000 }), /lines 60000 to 60000 \(the last\)/);
    await assert.rejects(here.ask(readFile, { path: "long.txt", offset: 60_001 }), /has no line 60001/);
  });

  it("cuts a line without end, and knows other encodings", async () => {
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("erste\r\nzweite", "utf16le")]);
    await using here = await world({ "one.txt": `${"x".repeat(3_000_000)}\nnext`, "wide.txt": wide });
    const content = await here.ask(readFile, { path: "one.txt" });
    assert.match(content, /x \[rest of the line left out\]\n {5}2\tnext$/);
    assert.ok(content.length < 3_000);
    assert.match(await here.ask(readFile, { path: "wide.txt" }), / {5}1\terste\n {5}2\tzweite$/);
  });

  it("reads what is no UTF-8 as what it is, and says what it took it for", async () => {
    const latin = Buffer.from("Name;Straße\nMüller;Hauptstraße 1\n", "latin1");
    const late = Buffer.concat([Buffer.from("plain ASCII\n".repeat(30_000)), latin]);
    const declared = Buffer.from([
      ...Buffer.from('<?xml version="1.0" encoding="koi8-r"?>\n<a>'),
      0xf0,
      0xd2,
      0xc9,
      0x3c,
    ]);
    const russian = Buffer.from(
      "cff0e8e2e5f22c20eae0ea20e4e5ebe03f20d1e5e3eee4edff20f5eef0eef8e0ff20efeee3eee4e02e",
      "hex",
    );
    const files = { "l.csv": latin, "late.txt": late, "d.xml": declared, "r.txt": russian };
    const bare = {
      "le.txt": Buffer.from("erste\nzweite", "utf16le"),
      "be.txt": Buffer.from("erste\nzweite", "utf16le").swap16(),
    };
    const cut = Buffer.concat([Buffer.from("x".repeat(262_143)), Buffer.from("ü\nü")]);
    await using here = await world({
      ...files,
      ...bare,
      "cut.txt": cut,
      "numbers.bin": Buffer.from(new Uint16Array(300).map((_, n) => n % 9).buffer),
    });
    assert.match(
      await here.ask(readFile, { path: "l.csv" }),
      /^l\.csv, lines 1 to 2 \(the last\), \d+ bytes, read as windows-1252 \(a guess: it is no UTF-8\)\n\n {5}1\tName;Straße\n {5}2\tMüller;Hauptstraße 1$/,
    );
    assert.match(
      await here.ask(readFile, { path: "late.txt", offset: 30_001 }),
      /read as windows-1252[\s\S]*Müller;Hauptstraße 1$/,
    );
    assert.match(await here.ask(readFile, { path: "d.xml" }), /bytes, read as koi8-r\n[\s\S]*<a>При<$/);
    assert.match(await here.ask(readFile, { path: "r.txt" }), /read as windows-1251 [\s\S]*Привет, как дела\?/);
    for (const end of ["le", "be"])
      assert.match(
        await here.ask(readFile, { path: `${end}.txt` }),
        new RegExp(`read as utf-16${end} [\\s\\S]*1\terste\n {5}2\tzweite$`),
      );
    assert.match(
      await here.ask(readFile, { path: "cut.txt", offset: 2 }),
      /lines 2 to 2 \(the last\), \d+ bytes\n\n {5}2\tü$/,
    );
    assert.match(await here.ask(readFile, { path: "numbers.bin" }), /is no text/);
  });

  it("tells what is no text, what is empty, and what a folder holds", async () => {
    await using here = await world({ "a.bin": Buffer.from([0x89, 0x50, 0, 1]), "empty.txt": "", "sub/x.txt": "x" });
    assert.equal(
      await here.ask(readFile, { path: "a.bin" }),
      "a.bin is no text: 4 bytes that begin with 89500001 (hex).",
    );
    assert.equal(await here.ask(readFile, { path: "empty.txt" }), "empty.txt is empty.");
    assert.equal(await here.ask(readFile, { path: "." }), ". is a folder:\na.bin  4 bytes\nempty.txt  0 bytes\nsub/");
    await assert.rejects(here.ask(readFile, { path: "no.txt" }), (error) => isGatewayError(error, "invalid_request"));
    await symlink("/etc", join(here.folder, "out"));
    await assert.rejects(here.ask(readFile, { path: "out/passwd" }), /leads out of the workspace/);
  });
});

describe("write_file", () => {
  it("makes folders, and shows what it changed", async () => {
    await using here = await world();
    assert.match(
      await here.ask(writeFile, { path: "a/b.txt", content: "one\ntwo\n" }),
      /^a\/b.txt is written: 8 bytes.$/,
    );
    const again = await here.ask(writeFile, { path: "a/b.txt", content: "one\nthree\n" });
    assert.match(again, /-two\n\+three/);
    assert.equal(await here.disk("a/b.txt"), "one\nthree\n");
    assert.match(await here.ask(writeFile, { path: "a/b.txt", content: "one\nthree\n" }), /had this content before/);
  });
});

describe("edit_file", () => {
  it("keeps the line ends and the mark of a file", async () => {
    await using here = await world({ "w.txt": "\ufeffone\r\ntwo\r\nthree\r\n" });
    const content = await here.ask(editFile, { path: "w.txt", oldText: "one\ntwo", newText: "one\n2\n2b" });
    assert.equal(await here.disk("w.txt"), "\ufeffone\r\n2\r\n2b\r\nthree\r\n");
    assert.match(
      content,
      /^w.txt: 1 place changed.\n--- w.txt\n\+\+\+ w.txt\n@@ -1,3 \+1,4 @@\n one\n-two\n\+2\n\+2b\n three$/m,
    );
  });

  it("keeps the encoding of a file, and refuses a character that it doesn't have", async () => {
    const latin = (text: string) => Buffer.from(text, "latin1");
    const wide = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
    await using here = await world({
      "l.txt": latin("für dich\r\nund mich\r\n"),
      "w.txt": wide("erste\r\nzweite\r\n"),
    });
    const raw = (name: string) => readDisk(join(here.folder, name));
    const content = await here.ask(editFile, { path: "l.txt", oldText: "dich", newText: "Jürgen" });
    assert.match(content, /^l\.txt: 1 place changed\. It stays in windows-1252\.\n/);
    assert.deepEqual(await raw("l.txt"), latin("für Jürgen\r\nund mich\r\n"));
    await assert.rejects(
      here.ask(editFile, { path: "l.txt", oldText: "mich", newText: "Łódź" }),
      /"Ł" doesn't exist in windows-1252, as which l\.txt is kept: convert it first, with iconv -f windows-1252/,
    );
    assert.deepEqual(await raw("l.txt"), latin("für Jürgen\r\nund mich\r\n"));
    await here.ask(editFile, { path: "w.txt", oldText: "zweite", newText: "Łódź" });
    assert.deepEqual(await raw("w.txt"), wide("erste\r\nŁódź\r\n"));
    assert.match(
      await here.ask(writeFile, { path: "l.txt", content: "für alle\n" }),
      /It was in windows-1252 and is UTF-8 now/,
    );
    assert.equal(await here.disk("l.txt"), "für alle\n");
  });

  it("refuses what is no text or too large, and leaves the file as it was", async () => {
    const broken = Buffer.concat([Buffer.from("\ufeffGr\u00fc\u00dfe "), Buffer.from([0xfc])]);
    await using here = await world({ "broken.txt": broken, "big.txt": "x".repeat(1_048_577) });
    for (const [path, code] of [
      ["broken.txt", "unsupported"],
      ["big.txt", "too_large"],
    ] as const) {
      await assert.rejects(here.ask(editFile, { path, oldText: "x", newText: "y" }), (error) =>
        isGatewayError(error, code),
      );
    }
    assert.equal((await here.disk("big.txt")).length, 1_048_577);
  });
});

describe("search_files", () => {
  for (const programs of [undefined, ["grep", "find", "cut", "head"]]) {
    it(`finds lines and files with ${programs?.join(", ") ?? "ripgrep"}`, async () => {
      const files = { "a.ts": "const x = 1;\n// $(touch gone)\n", "sub/b.md": "x y\n", ".git/c": "x\n" };
      await using here = await world(files, programs);
      const sorted = async (input: object) => (await here.ask(searchFiles, input)).split("\n").sort();
      assert.deepEqual(await sorted({ pattern: "x( =)?" }), ["./a.ts:1:const x = 1;", "./sub/b.md:1:x y"]);
      assert.deepEqual(await sorted({ pattern: "x", glob: "*.md" }), ["./sub/b.md:1:x y"]);
      assert.deepEqual(await sorted({ glob: "*.ts" }), ["./a.ts"]);
      assert.deepEqual(await sorted({ pattern: "nowhere" }), ["Nothing found."]);
      assert.deepEqual(await sorted({ pattern: "\\$\\(touch gone\\)" }), ["./a.ts:2:// $(touch gone)"]);
      await assert.rejects(
        here.ask(searchFiles, { pattern: "(" }),
        /the search failed: .*(unclosed|Unmatched|parenthes)/i,
      );
      await assert.rejects(here.ask(searchFiles, { pattern: "x", path: "nope" }), /the search failed/);
    });
  }

  it("stops at its limit and says so", async () => {
    await using here = await world({ "many.txt": "hit\n".repeat(5_000) });
    const lines = (await here.ask(searchFiles, { pattern: "hit", limit: 20 })).split("\n");
    assert.equal(lines.length, 21);
    assert.match(lines.at(-1) ?? "", /there is more/);
  });
});
