import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { declarationsOf } from "./declarations.ts";
import { hidesPictures, hidesText, openSight, type Sight, sightWithin } from "./sight.ts";
import { styleRules } from "./style-rules.ts";

function styled(style: string, outer: Sight = openSight): Sight {
  return sightWithin(outer, { declarations: declarationsOf(style) });
}

describe("how an element is seen", () => {
  it("goes into what is inside of it, where that says nothing else", () => {
    for (const style of ["visibility:hidden", "font-size:0", "text-indent:-999px", "color:white"])
      assert.deepEqual([hidesText(styled(style)), hidesText(styled("", styled(style)))], [true, true], style);
    const inside = styled(
      "visibility:visible;font-size:12px;color:black;opacity:1;display:block",
      styled("display:none"),
    );
    assert.equal(hidesText(inside), true);
  });

  it("differs for pictures, which have no size and colour of text", () => {
    const both = (style: string) => [hidesText(styled(style)), hidesPictures(styled(style))];
    assert.deepEqual(both("font-size:0"), [true, false]);
    assert.deepEqual(both("color:#fff"), [true, false]);
    assert.deepEqual(both("visibility:hidden"), [true, true]);
    assert.deepEqual(both("opacity:0"), [true, true]);
  });

  it("is not told by a colour where the background is unknown", () => {
    const onPicture = styled("background:url(x.png)");
    assert.equal(hidesText(styled("color:#fff", onPicture)), false);
    assert.equal(hidesText(styled("color:transparent", onPicture)), true);
    assert.equal(hidesText(styled("color:#fff;background:white", onPicture)), true);
  });

  it("is hidden by a style that is too long to read", () =>
    assert.equal(hidesText(styled(`color:${" ".repeat(20_000)}red`)), true));
});

describe("the rules of style sheets", () => {
  const read = (sheet: string) =>
    styleRules(sheet).rules.map(({ selector, declarations }) => `${selector} ${declarations.map(({ name }) => name)}`);

  it("are those on every screen that bear on what is seen", () =>
    assert.deepEqual(
      read(
        "@import 'x';a{display:none;float:left}b{float:left}@media print{c{display:none}}@media screen{d{top:0}}@layer x{e{top:0}}f{left:0",
      ),
      ["a display", "d top", "e top", "f left"],
    ));

  it("do not begin or end in comments, texts and addresses", () =>
    assert.deepEqual(read('/* a{ */b{background:url(x;{y});top:0}c[x="{"]{top:0}'), [
      "b background,top",
      'c[x="{"] top',
    ]));

  it("are told as not whole where there are more than are read", () => {
    assert.equal(styleRules("a{top:0}".repeat(20_000)).isWhole, true);
    assert.equal(styleRules("a{top:0}".repeat(20_002)).isWhole, false);
    assert.equal(styleRules(`a{top:0}${" ".repeat(1_000_000)}`).isWhole, false);
  });
});
