import { z } from "zod";
import type { Issue, Path } from "./issue.ts";

/** The message for an unknown key. */
export const unknownKey = "unknown key";

/** `did you mean "token"?` if one of the names is close enough to be a typo. */
export function suggestName(wrong: string, names: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(wrong.length / 3));
  const ranked = names
    .map((name) => ({ name, distance: editDistance(wrong.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0] === undefined ? undefined : `did you mean "${ranked[0].name}"?`;
}

/** The keys that a schema allows in the mapping at `path`. */
export function knownKeys(schema: z.ZodType, path: Path): readonly string[] {
  const root = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonNode;
  let nodes: readonly JsonNode[] = alternatives(root);
  for (const segment of path) nodes = nodes.flatMap((node) => below(node, segment)).flatMap(alternatives);
  return [...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** Adds a suggestion from `names` to unknown keys that have none. */
export function suggestAlso(issues: readonly Issue[], names: readonly string[]): readonly Issue[] {
  return issues.map((issue) => {
    if (issue.message !== unknownKey || issue.suggestion !== undefined) return issue;
    const suggestion = suggestName(String(issue.path.at(-1)), names);
    return suggestion === undefined ? issue : { ...issue, suggestion };
  });
}

interface JsonNode {
  readonly properties?: Readonly<Record<string, JsonNode>>;
  readonly additionalProperties?: JsonNode | boolean;
  readonly items?: JsonNode;
  readonly anyOf?: readonly JsonNode[];
  readonly oneOf?: readonly JsonNode[];
  readonly allOf?: readonly JsonNode[];
}

function alternatives(node: JsonNode): readonly JsonNode[] {
  const nested = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [node, ...nested.flatMap(alternatives)];
}

function below(node: JsonNode, segment: string | number): readonly JsonNode[] {
  const further = typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
  const next = typeof segment === "number" ? node.items : (node.properties?.[segment] ?? further);
  return next === undefined ? [] : [next];
}

/** Insertions, deletions and replacements between two short texts; a swap of neighbours counts as one. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const candidates = [
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      ];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) candidates.push((beforePrevious[column - 2] ?? 0) + 1);
      current.push(Math.min(...candidates));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
