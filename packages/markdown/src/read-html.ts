import type { Nodes, PhrasingContent, Root } from "mdast";
import { tagOf } from "./html-tags.ts";
import { readLine } from "./read-html-line.ts";

/**
 * Reads the tags that models write among Markdown by their meaning, in place: what they mark up becomes nodes as Markdown
 * makes them, so that nothing is shown or linked that Markdown could not. Comments are left out. What is no tag of HTML,
 * and half a pair, stays words. Expects a tree without blocks of HTML.
 */
export function readHtml(root: Root, source: string): Root {
  if (source.includes("<")) readIn(root, source, false);
  return root;
}

function readIn(node: Nodes, source: string, isInLink: boolean): void {
  if (!("children" in node)) return;
  const inside = isInLink || node.type === "link" || node.type === "linkReference";
  const children: Nodes[] = node.children;
  for (const [index, child] of children.entries()) {
    if (isRule(child)) children[index] = { type: "thematicBreak", ...positionOf(child) };
    else readIn(child, source, inside);
  }
  if (!children.some(({ type }) => type === "html")) return;
  // Only lines hold such nodes.
  const line = readLine(children as PhrasingContent[], { source, isInLink: inside, parent: node.type });
  const [only] = line;
  const isTwice = line.length === 1 && only?.type === node.type && "children" in only;
  node.children = (isTwice ? only.children : line) as typeof node.children;
}

function isRule(node: Nodes): boolean {
  if (node.type !== "paragraph" || node.children.length !== 1) return false;
  const [only] = node.children;
  return only?.type === "html" && tagOf(only.value)?.name === "hr";
}

function positionOf({ position }: Nodes): Pick<Nodes, "position"> {
  return position === undefined ? {} : { position };
}
