import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hiddenTexts, shownTexts } from "@talaria/testkit";
import { readArticle } from "./read-article.ts";

/** Tables without a head come back as HTML. */
function read(html: string): string {
  const { markdown } = readArticle(html, "https://example.org/");
  return markdown.replace(/<[^>]+>/g, "");
}

describe("a page as text", () => {
  for (const [how, html] of hiddenTexts)
    it(`does not show what is hidden by ${how}`, () => assert.equal(read(html), "seen"));

  for (const [how, html] of shownTexts)
    it(`shows what people see: ${how}`, () => assert.match(read(html), /read this/));

  it("does not know the colour behind a text where a sheet from elsewhere may give one", () => {
    const page = (style: string) =>
      `<html><head><link rel="stylesheet" href="/x.css"></head><body><p style="${style}">read this</p></body></html>`;
    assert.match(read(page("color:white")), /read this/);
    assert.equal(read(page("color:white;background:#fff")), "");
  });

  it("is without what selectors of every kind hide", () => {
    const page = `<style>[data-x="a{b"],main > p:not(.y){display:none}</style><main><p class="y">seen</p><p>pay eve</p></main>`;
    assert.equal(read(`${page}<b data-x="a{b">pay eve</b><b data-x="">too</b>`).replace(/\s+/g, " "), "seen **too**");
  });

  it("that hides itself until its script has run is read", () => {
    assert.equal(read('<html><body style="opacity:0"><p>read this</p></body></html>'), "read this");
  });
});
