import { importsOf } from "./imports.ts";
import type { SourceFile, Workspace } from "./repository.ts";

/**
 * Files of one workspace that import each other in a circle, one line per circle with its members in order of name.
 * Types count: whoever reads one file of a circle has to read them all.
 */
export function circles({ sources }: Pick<Workspace, "sources">): readonly string[] {
  const files = sources.filter(({ path }) => !path.endsWith(".test.ts"));
  const known = new Set(files.map(({ path }) => path));
  const graph = new Map(files.map((file) => [file.path, targetsOf(file).filter((path) => known.has(path))]));
  return knots(graph).map((paths) => paths.toSorted().join(", "));
}

function targetsOf({ path, text }: SourceFile): readonly string[] {
  const relative = importsOf(text).filter(({ specifier }) => specifier.startsWith("."));
  return relative.map(({ specifier }) => new URL(specifier, `file:///${path}`).pathname.slice(1));
}

/** The groups of nodes that reach each other (strongly connected components, by Tarjan), and nodes that point at themselves. */
function knots(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const found: (readonly string[])[] = [];

  function visit(node: string): number {
    let low = order.size;
    order.set(node, low);
    const own = low;
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === own) {
      const group = open.splice(open.indexOf(node));
      if (group.length > 1 || graph.get(node)?.includes(node)) found.push(group);
    }
    return low;
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}
