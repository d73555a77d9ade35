import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isStub } from "./stub-text.ts";
import { startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const stubs = [
  "Your mail client does not support HTML.",
  "This message contains HTML content. Please use an HTML capable mail reader.",
  "Diese E-Mail enthält HTML. Ihr Programm zeigt es nicht an.",
  "Votre messagerie n'affiche pas le format HTML.",
  "This is a multi-part message in MIME format.",
  "If you cannot read this, view it in your browser:\nhttps://a.test/1",
  "[cid:image001.png@01D]",
  "\u00a0\n-",
];
const words = [
  "Thanks!",
  "Yes, at ten.",
  "5",
  "はい。",
  "The browser crashes.",
  `Why is HTML slow? ${"It takes long. ".repeat(40)}`,
];

describe("a plain version that says nothing", () => {
  for (const text of stubs) it(`is ${JSON.stringify(text.slice(0, 50))}`, () => assert.equal(isStub(text), true));
  for (const text of words) it(`is not ${JSON.stringify(text.slice(0, 50))}`, () => assert.equal(isStub(text), false));

  it("does not hide the words of the formatted one", async () => {
    await using stage = await startStage();
    const say = (text: string, html: string) => stage.next(() => void stage.server.say(ada.from, text, { html }));
    const stub = "Your mail client does not support HTML.";
    assert.equal(textOf(await say(stub, "<p>Please order <b>three</b>.</p>")), "Please order three.");
    assert.equal(textOf(await say("Why is my HTML wrong?", "<p>Why is my HTML wrong?</p>")), "Why is my HTML wrong?");
    assert.equal(textOf(await say(stub, "<p></p>")), stub);
  });
});
