import type { PhrasingContent } from "mdast";
import { smallScript } from "./small-script.ts";

/** The words of inline Markdown without any marks. `lineBreak` stands for breaks that the author asked for. */
export function wordsOf(nodes: readonly PhrasingContent[], lineBreak = " "): string {
  return nodes.map((node) => wordOf(node, lineBreak)).join("");
}

function wordOf(node: PhrasingContent, lineBreak: string): string {
  if ("value" in node) return node.value;
  if (node.type === "subscript" || node.type === "superscript") {
    const words = wordsOf(node.children, lineBreak);
    const script = smallScript(words, node.type);
    return "letters" in script ? script.letters : script.before + words + script.after;
  }
  if ("children" in node) return wordsOf(node.children, lineBreak) || ("url" in node ? node.url : "");
  if (node.type === "footnoteReference") return `[${node.label ?? node.identifier}]`;
  if (node.type === "break") return lineBreak;
  return node.alt || ("url" in node ? node.url : node.identifier);
}
