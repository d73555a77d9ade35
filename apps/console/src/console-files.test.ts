import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { type ConsoleFile, loadConsole } from "./index.ts";

/** Where a module's imports lead, below `/console/`. */
function importsOf(name: string, text: string): readonly string[] {
  const specifiers = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']/g);
  return [...specifiers].map(([, specifier = ""]) => placeOf(specifier, name));
}

/** What a page refers to. */
function linksOf(name: string, text: string): readonly string[] {
  return [...text.matchAll(/\s(?:src|href)=["']([^"']+)["']/g)].map(([, link = ""]) => placeOf(link, name));
}

function placeOf(link: string, from: string): string {
  if (!/^\.{0,2}\/|^[\w-]+\.\w+$/.test(link)) return `not a file of ours: ${link}`;
  return new URL(link, `http://console/${from}`).pathname.slice(1);
}

describe("the console", () => {
  let files: ReadonlyMap<string, ConsoleFile>;
  before(async () => {
    files = await loadConsole();
  });

  const texts = (ending: string) =>
    [...files].filter(([name]) => name.endsWith(ending)).map(([name, { body }]) => [name, body.toString()] as const);
  const own = (ending: string) => texts(ending).filter(([name]) => !name.startsWith("vendor/"));

  it("serves every file it imports", () => {
    for (const [name, text] of texts(".js"))
      for (const place of importsOf(name, text)) assert.ok(files.has(place), `${name} imports ${place}`);
    const imported = new Set(own(".js").flatMap(([name, text]) => importsOf(name, text)));
    assert.ok(imported.has("vendor/marked.js") && imported.has("vendor/purify.js") && imported.has("api.js"));
  });

  it("serves every file its pages refer to", () => {
    const pages = texts(".html");
    const linked = pages.flatMap(([name, text]) => linksOf(name, text));
    assert.deepEqual([...new Set(linked)].toSorted(), [
      "console.css",
      "console.js",
      "icon.svg",
      "login.js",
      "steps.css",
    ]);
    for (const place of linked) assert.ok(files.has(place), place);
  });

  it("serves every file it has", async () => {
    const there = await readdir(new URL("./public/", import.meta.url));
    const served = [...files.keys()].filter((name) => !name.startsWith("vendor/"));
    assert.deepEqual(served.toSorted(), there.toSorted());
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
