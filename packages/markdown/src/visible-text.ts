import type { Nodes } from "mdast";
import { parseMarkdown } from "./parse-markdown.ts";

/** What a reader sees of a Markdown text, without white space: words, code, and the addresses of images. */
export function visibleText(markdown: string): string {
  return textOf(parseMarkdown(markdown)).replaceAll(/\s+/g, "");
}

function textOf(node: Nodes): string {
  if ("value" in node) return node.value;
  if ("children" in node) return node.children.map(textOf).join("");
  if (node.type === "image" || node.type === "imageReference") return node.alt ?? "";
  if (node.type === "definition") return node.url;
  return node.type === "footnoteReference" ? `[^${node.label ?? node.identifier}]` : "";
}
