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

  it("is looked at once for each rule that may be about an element, however many there are", () => {
    const rules = Array.from({ length: 10_000 }, (_, n) => `.c${n} + .d${n}{display:none}.e${n}{display:none}`).join(
      "",
    );
    const body = Array.from({ length: 5_000 }, (_, n) => `<p class="k${n}">w${n}</p>`).join("");
    const page = `<style>${rules}</style>${body}<p class="e9999">pay eve</p><p class="c7">x</p><p class="d7">pay eve</p>`;
    const text = read(page);
    assert.match(text, /w0\s+w1\s[\s\S]*w4999\s+x$/);
  });

  it("is without what can't be judged any more", () => {
    const values = `i{visibility:hidden;transform:${"a(1)".repeat(2_400)};visibility:visible}`.repeat(20);
    const body = Array.from({ length: 100 }, (_, n) => `<i color="c${n}">w${n}</i>`).join("");
    const text = read(`<style>b{visibility:hidden}${values}</style><p>seen</p>${body}`);
    assert.match(text, /seen/);
    assert.doesNotMatch(text, /w0/);
  });

  it("that hides itself until its script has run is read", () => {
    assert.equal(read('<html><body style="opacity:0"><p>read this</p></body></html>'), "read this");
  });
});
