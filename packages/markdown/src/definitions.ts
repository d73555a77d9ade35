import type { Definition, Nodes, Root } from "mdast";
import { readableAddress } from "./address-beside.ts";

/** The definitions of a document's links, wherever they stand. */
export interface Definitions {
  /** The address by identifier; the first of each counts. */
  readonly targets: ReadonlyMap<string, string>;
  /** Definitions that no link leads to, such as a list of sources: people have to read them where they stand. */
  readonly unused: ReadonlySet<Definition>;
}

export function definitionsOf(root: Root): Definitions {
  const targets = new Map<string, string>();
  const found: Definition[] = [];
  const used = new Set<string>();
  const visit = (node: Nodes) => {
    if (node.type === "linkReference" || node.type === "imageReference") used.add(node.identifier);
    if (node.type === "definition") {
      found.push(node);
      if (!targets.has(node.identifier)) targets.set(node.identifier, node.url);
    } else if ("children" in node) node.children.forEach(visit);
  };
  visit(root);
  const isUnused = ({ identifier, url }: Definition) =>
    readableAddress(url) !== "" && !(used.has(identifier) && targets.get(identifier) === url);
  return { targets, unused: new Set(found.filter(isUnused)) };
}
