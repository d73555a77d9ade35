import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { attentionSyntax } from "./attention.ts";
import { betweenDigits } from "./between-digits.ts";
import { formulaNodes } from "./formula-nodes.ts";
import { formulaSyntax } from "./formula-syntax.ts";
import { readHtml } from "./read-html.ts";
import { withWholeRows } from "./whole-rows.ts";

const syntax = [
  // GitHub takes one tilde for a strike too, which chats use as "about" and chemists for what stands below.
  gfm({ singleTilde: false }),
  // In a block of HTML Markdown would not count; models mix both.
  { disable: { null: ["htmlFlow"] } },
];
const mdastExtensions = [gfmFromMarkdown(), formulaNodes];

/** Parses a text or a section of it, which must not be costly. */
export function parseWhole(markdown: string): Root {
  return withWholeRows(markdown, (text) => {
    const root = fromMarkdown(text, {
      extensions: [attentionSyntax(text), ...syntax, betweenDigits(text), formulaSyntax(text)],
      mdastExtensions,
    });
    return readHtml(root, text);
  });
}
