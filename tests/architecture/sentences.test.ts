import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readRepository } from "./repository.ts";
import { idlePlaces, sentencesIn, sentenceViolations } from "./sentences.ts";

const files = readRepository();

describe("what people read", () => {
  it("is in the catalogue of packages/words", () => assert.deepEqual(sentenceViolations(files), []));

  it("is expected elsewhere only where it still is", () => assert.deepEqual(idlePlaces(files), []));

  it("is found in code that says it itself", () => {
    const path = "packages/sessions/src/rude.ts";
    for (const said of ['"Go away."', "`I won't do it. Ever!`", "'Is anybody there?'", '"It was denied (late)."'])
      assert.deepEqual(sentenceViolations([{ path, text: `const words = ${said};` }]), [`${path} says ${said}`], said);
  });

  it("is no name, no label, no comment and no log line", () => {
    for (const text of [
      '"Stopped"',
      '"a call could not ask people"',
      "// Go away.",
      "/** Go away. */",
      '"message.created"',
    ])
      assert.deepEqual(sentencesIn(`const words = ${text};`), [], text);
  });
});
