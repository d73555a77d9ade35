import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MessageCapabilities } from "@talaria/protocol";
import { carefulCapabilities } from "./account-capabilities.ts";
import { writingHint } from "./writing-hint.ts";

const all = { headings: true, tables: true, codeBlocks: true, links: true };
const mail: MessageCapabilities = { maxTextLength: 100_000, formatting: all };

describe("what the prompt says about the place", () => {
  it("names the forms that people would not see, and how long a message may be", () => {
    const chat = { maxTextLength: 2_000, formatting: { ...all, tables: false } };
    assert.equal(
      writingHint(chat),
      "# Where you write\n\nWrite Markdown: it is converted. This place shows no tables: do without them. " +
        "Keep answers short: a message holds about 2000 characters, and a longer answer becomes several.",
    );
    const bare = { ...mail, formatting: { ...all, headings: false, tables: false, links: false } };
    assert.match(writingHint(bare), /shows no headings, tables or links with a text of their own: do without/);
  });

  it("asks for nothing special where everything is shown, and for plain text where nobody knows", () => {
    assert.equal(writingHint(mail), "# Where you write\n\nWrite Markdown: it is shown formatted.");
    assert.match(writingHint(carefulCapabilities), /shown as plain text/);
  });

  it("begins with what the platform says of itself", () => {
    const about = "Your answer is shown in Telegram.";
    assert.equal(
      writingHint(mail, about),
      `# Where you write

${about} Write Markdown: it is shown formatted.`,
    );
  });

  it("is the same, byte by byte, for the same capabilities in another order and with others beside them", () => {
    const { formatting, maxTextLength } = mail;
    const { links, ...others } = formatting;
    const reversed = { links, ...others };
    const reordered = { edit: { minIntervalMs: 9 }, formatting: reversed, maxTextLength };
    assert.equal(writingHint(reordered), writingHint(mail));
  });
});
