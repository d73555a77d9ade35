import type { Nodes } from "mdast";
import { definitionsOf } from "./definitions.ts";
import { labelsIn, normalized } from "./link-labels.ts";
import { parseMarkdown } from "./parse-markdown.ts";

/** A piece of the source and what takes its place. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The text with the addresses of its links by name where they are used, so that each part of it can stand alone. What no link
 * leads to stays. Parses the text if it has such links.
 */
export function withInlineLinks(markdown: string): string {
  if (!hasLinksByName(markdown)) return markdown;
  const root = parseMarkdown(markdown);
  const { targets, unused } = definitionsOf(root);
  const edits: Edit[] = [];
  const visit = (node: Nodes) => {
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    if ("children" in node) node.children.forEach(visit);
    if (start === undefined || end === undefined) return;
    if (node.type === "definition") {
      if (!unused.has(node)) edits.push({ start, end: markdown.charAt(end) === "\n" ? end + 1 : end, text: "" });
    } else if (node.type === "linkReference" || node.type === "imageReference") {
      const url = targets.get(node.identifier)?.replaceAll(/[\s<>\\]/g, encodeURIComponent) ?? "";
      const label = markdown.slice(start, end).replace(/\]\[[^[\]]*\]$|\]$/, "");
      edits.push({ start: start + label.length, end, text: `](<${url}>)` });
    }
  };
  visit(root);
  return edited(markdown, edits);
}

function edited(markdown: string, edits: readonly Edit[]): string {
  let text = "";
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    text += markdown.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + markdown.slice(at);
}

/** Whether something looks like a link to one of the definitions. */
function hasLinksByName(markdown: string): boolean {
  const defined = labelsIn(markdown);
  if (defined.size === 0) return false;
  for (const [, label = ""] of markdown.matchAll(/\[([^[\]]{1,300})\](?!:)/g))
    if (defined.has(normalized(label))) return true;
  return markdown.includes("][");
}
