import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { type ConsoleFile, loadConsole } from "./index.ts";

/** Where a worker's imports lead, below `/console/`. */
function importsOf(name: string, text: string): readonly string[] {
  const specifiers = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']/g);
  return [...specifiers].map(([, specifier = ""]) => placeOf(specifier, name));
}

/** What a page refers to. */
function linksOf(name: string, text: string): readonly string[] {
  return [...text.matchAll(/\s(?:src|href)=["']([^"']+)["']/g)].map(([, link = ""]) => placeOf(link, name));
}

function placeOf(link: string, from: string): string {
  if (!/^\.{0,2}\/|^[\w/-]+\.\w+$/.test(link)) return `not a file of ours: ${link}`;
  return new URL(link, `http://console/${from}`).pathname.slice(1);
}

describe("the console", () => {
  let files: ReadonlyMap<string, ConsoleFile>;
  let version: string;
  before(async () => {
    ({ files, version } = await loadConsole());
  });

  const texts = (ending: string) =>
    [...files].filter(([name]) => name.endsWith(ending)).map(([name, { body }]) => [name, body.toString()] as const);
  /** What the bundles are made of, and what is served as it is. */
  let sources: readonly (readonly [name: string, text: string])[];
  before(async () => {
    const folder = new URL("./public/", import.meta.url);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes("."));
    sources = await Promise.all(
      names.map(async (name) => [name, await readFile(new URL(name, folder), "utf8")] as const),
    );
  });
  const own = (ending: string) => sources.filter(([name]) => name.endsWith(ending));

  it("serves every file that its workers import", () => {
    const workers = texts("-worker.js");
    assert.equal(workers.length, 2);
    for (const [name, text] of workers)
      for (const place of importsOf(name, text)) assert.ok(files.has(place), `${name} imports ${place}`);
    assert.ok(
      workers.flatMap(([name, text]) => importsOf(name, text)).includes("vendor/speed-highlight-core-tokenize.js"),
    );
  });

  it("has everything else that a page runs in one file", () => {
    for (const name of ["console.js", "login.js"]) {
      const text = files.get(name)?.body.toString() ?? "";
      assert.doesNotMatch(text, /\bimport\s*[{"'(*]|\bfrom\s*["']/, name);
    }
    const begun = [
      ...(files.get("console.js")?.body.toString() ?? "").matchAll(/import\.meta\.resolve\("\.\/([^"]+)"\)/g),
    ];
    assert.deepEqual(begun.map(([, place = ""]) => place).toSorted(), ["formula-worker.js", "highlight-worker.js"]);
  });

  it("loads what formulas need in a thread of its own, and only then", () => {
    assert.match(files.get("formula-worker.js")?.body.toString() ?? "", /^importScripts\("vendor\/temml\.js"\);$/m);
    assert.doesNotMatch(files.get("index.html")?.body.toString() ?? "", /temml|worker/);
  });

  it("serves every file its pages refer to", () => {
    const pages = texts(".html");
    const linked = pages.flatMap(([name, text]) => linksOf(name, text.replaceAll(`="${version}/`, '="')));
    for (const page of ["console", "login"])
      assert.ok(pages.some(([, text]) => text.includes(`src="${version}/${page}.js"`)));
    assert.deepEqual([...new Set(linked)].toSorted(), ["console.js", "icon.svg", "login.js", "page.css"]);
    for (const place of linked) assert.ok(files.has(place), place);
  });

  it("is below 150 kB when it is compressed, without what formulas need, and each file unpacks to what it is", () => {
    const sizes = new Map([...files].map(([name, { gzipped }]) => [name, gzipped.byteLength]));
    const formulas = sizes.get("vendor/temml.js") ?? 0;
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(bytes - formulas < 150_000, `${bytes - formulas} bytes`);
    assert.ok(formulas > 0 && formulas < 55_000, `${formulas} bytes`);
    for (const [name, { body, gzipped }] of files) assert.ok(gunzipSync(gzipped).equals(body), name);
  });

  it("has no script or style inside its pages", () => {
    for (const [name, text] of texts(".html")) {
      assert.doesNotMatch(text, /<script\b(?![^>]*\bsrc=)|<script[^>]*>\s*[^<\s]/, name);
      assert.doesNotMatch(text, /<style\b|\sstyle=|\son\w+=|javascript:/, name);
    }
  });

  it("loads nothing from elsewhere", () => {
    for (const ending of [".html", ".css", ".js"])
      for (const [name, text] of own(ending))
        assert.doesNotMatch(text, /https?:|\/\/[\w-]+\.[a-z]|@import (?!"\.\/)|(?<!Object)url\(/i, name);
    assert.doesNotMatch(files.get("page.css")?.body.toString() ?? "", /@import|url\(/);
    for (const [name, { body }] of files)
      if (name.endsWith(".svg")) assert.doesNotMatch(body.toString(), /<script|href=|url\(/);
  });

  it("never puts text in as markup", () => {
    for (const [name, text] of own(".js"))
      assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/, name);
  });

  it("works where a page is served without TLS", () => {
    for (const [name, text] of own(".js")) assert.doesNotMatch(text, /randomUUID\(|crypto\.subtle/, name);
  });
});
