import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { htmlToText } from "./html-text.ts";

/** How often other work got its turn while a mail was read. */
async function turnsDuring(html: string): Promise<number> {
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  await htmlToText(html);
  isRead = true;
  return turns;
}

const sheet = (rules: string, body = "x") => `<style>${rules}</style>${body}`;
const distinct = (count: number) => Array.from({ length: count }, (_, n) => `<p color="${n}">`).join("");

describe("style sheets that are made to be slow", () => {
  it("let other work run while their rules are applied", async () => {
    const rules = `*{transform:${"a(1)".repeat(240)}}`.repeat(100);
    // A hundred thousand characters of values for each of the elements.
    assert.ok((await turnsDuring(sheet(rules, distinct(40)))) > 40);
  });

  it("let other work run while they are read", async () => {
    for (const signs of ["\\a", '""', "/**/", ";", "a{x:y}"])
      assert.ok((await turnsDuring(sheet(signs.repeat(200_000 / signs.length)))) > 15, signs);
  });

  it("are applied to as many elements as is bounded, and what they are about counts as hidden behind that", async () => {
    const rules = `b{transform:${"a(1)".repeat(2_400)}}`.repeat(20);
    const others = Array.from({ length: 200 }, (_, n) => `<b color="c${n}">.</b>`).join("");
    const body = `<b color="1">first</b>${others}<b color="2">last</b><i>seen</i>`;
    const { text, hasHidden } = await htmlToText(sheet(rules, body));
    assert.match(text, /^first\.+seen$/);
    assert.equal(hasHidden, true);
  });

  it("hide what they hide behind any number of rules and selectors", async () => {
    const before = Array.from({ length: 3_000 }, (_, n) => `.a${n}{color:red;display:block}`).join("");
    const list = Array.from({ length: 500 }, (_, n) => `.b${n}`).join(",");
    const rules = `${before}${list}{display:none}#g.h{display:none}`;
    const body = `<p class="z b499">pay eve</p><p class="h" id="g">pay eve</p><p class="h">seen</p><p class="a2999">too</p>`;
    assert.deepEqual((await htmlToText(sheet(rules, body))).text.split(/\s+/), ["seen", "too"]);
  });

  it("hide all where they are too long to be read", async () => {
    for (const rules of [`p{top:0}${" ".repeat(1_000_000)}`, "p{top:0}".repeat(20_100)])
      assert.deepEqual(await htmlToText(sheet(rules, "<p>x</p>")), { text: "", hasHidden: true, isTooDeep: false });
  });

  it("hide what a rule with escapes and comments hides, as before", async () => {
    const rules = `p{color:red} .\\61 {x:y} /* .b{display:none} */ .h{dis\\70lay:/**/none} .s[title="}"]{color:red} .u{background:url(}) } .g{display:none}`;
    const body = `<p class="b">b</p><p class="h">h</p><p class="u">u</p><p class="g">g</p>`;
    assert.deepEqual((await htmlToText(sheet(rules, body))).text.split(/\s+/), ["b", "u"]);
  });
});
