import type { Nodes, Root, RootContent } from "mdast";

/** How many UTF-16 units of text have their trees remembered. A tree takes some hundred bytes per word. */
const maxUnits = 32 * 1024;

const trees = new Map<string, Root>();
let units = 0;

/** Whether `treeOf` can answer without parsing. */
export function isKnown(section: string): boolean {
  return trees.has(section);
}

/** The tree of a section: parsed if it is not remembered. Must not be changed. */
export function treeOf(section: string, parse: (section: string) => Root): Root {
  const known = trees.get(section);
  const tree = known ?? parse(section);
  if (known !== undefined) trees.delete(section);
  else units += section.length;
  trees.set(section, tree);
  for (const [oldest] of trees) {
    if (units <= maxUnits) break;
    trees.delete(oldest);
    units -= oldest.length;
  }
  return tree;
}

/** A copy of a node whose section starts at this offset and line of the document. */
export function moved<Node extends RootContent>(node: Node, offset: number, line: number): Node {
  return copyOf(node, offset, line) as Node;
}

function copyOf(node: Nodes, offset: number, line: number): Nodes {
  const copy = { ...node };
  if (node.position !== undefined) {
    const { start, end } = node.position;
    copy.position = {
      start: { line: start.line + line, column: start.column, offset: (start.offset ?? 0) + offset },
      end: { line: end.line + line, column: end.column, offset: (end.offset ?? 0) + offset },
    };
  }
  if ("children" in node) Object.assign(copy, { children: node.children.map((child) => copyOf(child, offset, line)) });
  return copy;
}
