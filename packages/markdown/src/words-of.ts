import type { PhrasingContent } from "mdast";

/** The words of inline Markdown without any marks, on one line unless the author broke a line inside a word. */
export function wordsOf(nodes: readonly PhrasingContent[]): string {
  return nodes.map(wordOf).join("");
}

function wordOf(node: PhrasingContent): string {
  if ("value" in node) return node.value;
  if ("children" in node) return wordsOf(node.children) || ("url" in node ? node.url : "");
  if (node.type === "footnoteReference") return `[${node.label ?? node.identifier}]`;
  if (node.type === "break") return " ";
  return node.alt || ("url" in node ? node.url : node.identifier);
}
