import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { senderSchema } from "./codec.ts";
import { preferredIn, spoken } from "./language.ts";

const sender = { userId: "42", role: "person", displayName: "Ada", assurance: "platform" };
const odd = ["", "d", "de_DE", "de-", "-de", "*", "de DE", "de\n", "42", `de-${"a-".repeat(20)}b`, 7, null, {}, ["de"]];

describe("the language of people", () => {
  for (const tag of ["de", "en-US", "zh-Hant-TW", "es-419", "sl-rozaj-biske-1994", "de-CH-1996"])
    it(`is read: ${tag}`, () => assert.deepEqual(spoken(tag), { language: tag }));

  for (const tag of odd)
    it(`is not known where it is told as ${JSON.stringify(tag)}, and the sender is read all the same`, () => {
      assert.deepEqual(spoken(tag), {});
      assert.deepEqual(senderSchema.parse({ ...sender, language: tag }), sender);
    });

  it("crosses processes, and is absent where nobody told it", () => {
    assert.deepEqual(senderSchema.parse({ ...sender, language: "pt-BR" }), { ...sender, language: "pt-BR" });
    assert.deepEqual(Object.keys(senderSchema.parse(sender)), Object.keys(sender));
  });

  const headers: readonly (readonly [string, string | undefined])[] = [
    ["de-CH", "de-CH"],
    ["da, en-gb;q=0.8, en;q=0.7", "da"],
    ["en;q=0.5, de;q=0.9", "de"],
    ["*, de;q=0.5", "de"],
    ["fr;q=0, it; q=0.1", "it"],
    ["fr;q=2, de;q=x", undefined],
    ["*", undefined],
    ["", undefined],
    [`${"x ".repeat(600)}, de`, undefined],
    [`${"*,".repeat(30)} de`, undefined],
  ];
  for (const [header, language] of headers)
    it(`is ${language ?? "not known"} by the header ${JSON.stringify(header.slice(0, 40))}`, () =>
      assert.equal(preferredIn(header).language, language));
});
