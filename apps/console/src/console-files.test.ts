import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { type ConsoleFile, loadConsole } from "./index.ts";

/** Where a module's imports lead, below `/console/`, those that it loads only when it needs them too. */
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
  const own = (ending: string) => texts(ending).filter(([name]) => !name.startsWith("vendor/"));

  it("serves every file it imports", () => {
    for (const [name, text] of texts(".js"))
      for (const place of importsOf(name, text)) assert.ok(files.has(place), `${name} imports ${place}`);
    const imported = new Set(own(".js").flatMap(([name, text]) => importsOf(name, text)));
    assert.ok(imported.has("vendor/marked.js") && imported.has("vendor/preact.js") && imported.has("api.js"));
  });

  it("loads what formulas need in a thread of its own, and only then", () => {
    assert.match(files.get("formula-worker.js")?.body.toString() ?? "", /^importScripts\("vendor\/temml\.js"\);$/m);
    assert.doesNotMatch(files.get("index.html")?.body.toString() ?? "", /temml|worker/);
  });

  it("serves every file its pages refer to", () => {
    const pages = texts(".html");
    const linked = pages.flatMap(([name, text]) => linksOf(name, text.replaceAll(`="${version}/`, '="')));
    assert.ok(pages.some(([, text]) => text.includes(`src="${version}/console.js"`)));
    for (const place of ["console.css", "console.js", "icon.svg", "login.js", "parts/line.js", "vendor/preact.js"])
      assert.ok(linked.includes(place), place);
    for (const place of linked) assert.ok(files.has(place), place);
  });

  it("serves every file it has", async () => {
    const there = await readdir(new URL("./public/", import.meta.url), { recursive: true });
    const served = [...files.keys()].filter((name) => !name.startsWith("vendor/"));
    assert.deepEqual(served.toSorted(), there.filter((name) => name.includes(".")).toSorted());
  });

  it("is below 150 kB when it is compressed, without what formulas need, and each file unpacks to what it is", () => {
    const sizes = new Map([...files].map(([name, { gzipped }]) => [name, gzipped.byteLength]));
    const formulas = sizes.get("vendor/temml.js") ?? 0;
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(bytes - formulas < 150_000, `${bytes - formulas} bytes`);
    assert.ok(formulas > 0 && formulas < 55_000, `${formulas} bytes`);
    for (const [name, { body, gzipped }] of files) assert.ok(gunzipSync(gzipped).equals(body), name);
  });

  it("tells its page of every module that it begins with, each once", () => {
    const page = files.get("index.html")?.body.toString() ?? "";
    const told = [...page.matchAll(/rel="modulepreload" href="v-[\w-]{16}\/([^"]+)"/g)].map(([, place = ""]) => place);
    assert.deepEqual([...new Set(told)], told);
    const needed = new Set(told.flatMap((name) => importsOf(name, files.get(name)?.body.toString() ?? "")));
    assert.ok(needed.size > 20);
    for (const place of needed) assert.ok(told.includes(place), place);
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
        assert.doesNotMatch(text, /https?:|\/\/[\w-]+\.[a-z]|@import|(?<!Object)url\(/i, name);
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
