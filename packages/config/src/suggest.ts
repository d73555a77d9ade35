import { editDistance } from "@talaria/protocol";
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
