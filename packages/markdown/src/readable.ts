import type { Nodes } from "mdast";
import { parseMarkdown } from "./parse-markdown.ts";
import { inReadingOrder, type TextRange, withoutDirections } from "./text-order.ts";

const codes: ReadonlySet<string> = new Set(["code", "inlineCode", "formula", "inlineFormula"]);

/** Without a sign, what stood around it may become code, or no code any more. Who needs more rounds wants to deceive. */
const mostRounds = 4;
/** Without any of these, `inReadingOrder` leaves a text as it is. */
const signOrNumber = /[\u202a-\u202e\u2066-\u2069]|&#/;

/** Markdown of models and strangers that is seen in the order it is written in, by the rule of `inReadingOrder`. */
export function readable(markdown: string): string {
  let text = markdown;
  for (let round = 0; round < mostRounds; round += 1) {
    if (!signOrNumber.test(text)) return text;
    const next = inReadingOrder(text, codeIn(parseMarkdown(text)));
    if (next === text) return text;
    text = next;
  }
  return inReadingOrder(withoutDirections(text));
}

/** In the order of the text. */
function codeIn(root: Nodes): readonly TextRange[] {
  const found: TextRange[] = [];
  const waiting: Nodes[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    if (codes.has(node.type) && start !== undefined && end !== undefined) found.push({ start, end });
    else if ("children" in node) waiting.push(...node.children.toReversed());
  }
  return found;
}
