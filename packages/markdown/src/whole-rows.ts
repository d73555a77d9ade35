import type { Nodes, Root } from "mdast";
import { surplusBars } from "./surplus-bars.ts";

/** Parses a text so that no row of a table has more cells than the head: its surplus bars are words. */
export function withWholeRows(markdown: string, parse: (markdown: string) => Root): Root {
  const root = parse(markdown);
  const bars = markdown.includes("|") ? surplusBarsIn(root, markdown) : [];
  const stand = standIns.find((sign) => !markdown.includes(sign));
  if (bars.length === 0 || stand === undefined) return root;
  let text = "";
  let at = 0;
  for (const bar of bars) {
    text += markdown.slice(at, bar) + stand;
    at = bar + 1;
  }
  return withBars(parse(text + markdown.slice(at)), stand);
}

/** Signs that no text has, each as long as a bar: Unicode keeps them for programs (its section 23.7, "Noncharacters"). */
const standIns = ["\uFDD0", "\uFDD1", "\uFDD2", "\uFDD3"];

/** Where the surplus bars of all tables of a text stand, in its order. */
export function surplusBarsIn(node: Nodes, markdown: string): readonly number[] {
  if (node.type !== "table")
    return "children" in node ? node.children.flatMap((child) => surplusBarsIn(child, markdown)) : [];
  const [head, ...rows] = node.children;
  const columns = head?.children.length ?? 0;
  return rows.flatMap(({ position }) => {
    const start = position?.start.offset ?? 0;
    return surplusBars(markdown.slice(start, position?.end.offset), columns).map((bar) => start + bar);
  });
}

function withBars<Node extends Nodes>(node: Node, stand: string): Node {
  for (const [key, value] of Object.entries(node))
    if (typeof value === "string") Object.assign(node, { [key]: value.replaceAll(stand, "|") });
  if ("children" in node) for (const child of node.children) withBars(child, stand);
  return node;
}
