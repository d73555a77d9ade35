import type { PhrasingContent } from "mdast";
import { smallScript } from "./small-script.ts";

/** A link or a picture: by its address, or by the name of its definition. */
interface Target {
  readonly url?: string;
  readonly identifier?: string;
}

/**
 * The words of inline Markdown without any marks. `lineBreak` stands for breaks that the author asked for, and `beside` tells what
 * stands behind a link.
 */
export function wordsOf(
  nodes: readonly PhrasingContent[],
  lineBreak = " ",
  beside: (words: string, target: Target) => string = () => "",
): string {
  return nodes.map((node) => wordOf(node, lineBreak, beside)).join("");
}

function wordOf(node: PhrasingContent, lineBreak: string, beside: (words: string, target: Target) => string): string {
  if ("value" in node) return node.value;
  if (node.type === "subscript" || node.type === "superscript") {
    const words = wordsOf(node.children, lineBreak, beside);
    const script = smallScript(words, node.type);
    return "letters" in script ? script.letters : script.before + words + script.after;
  }
  if ("children" in node) {
    const words = wordsOf(node.children, lineBreak, beside);
    const isLink = node.type === "link" || node.type === "linkReference";
    return words + (isLink && words !== "" ? beside(words, node) : "") || ("url" in node ? node.url : "");
  }
  if (node.type === "footnoteReference") return `[${node.label ?? node.identifier}]`;
  if (node.type === "break") return lineBreak;
  return node.alt ? node.alt + beside(node.alt, node) : "url" in node ? node.url : node.identifier;
}
