import type { z } from "zod";
import { type Issue, type Path, pathKey } from "./issue.ts";
import { knownKeys, suggestName, unknownKey } from "./suggest.ts";

export type SchemaCheck<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Checks `value`, found at `path` in the file. Text from the environment may stand for a number or a boolean.
 * Messages name what is expected and never quote the value.
 */
export function checkSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: Path,
  fromEnvironment: ReadonlySet<string>,
): SchemaCheck<z.output<Schema>> {
  const first = schema.safeParse(value);
  if (first.success) return { ok: true, value: first.data };
  const converted = convertTexts(value, first.error.issues, path, fromEnvironment);
  const second = converted === value ? first : schema.safeParse(converted);
  if (second.success) return { ok: true, value: second.data };
  return { ok: false, issues: second.error.issues.flatMap((issue) => toIssues(issue, schema, converted, path)) };
}

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodType, root: unknown, start: Path): Issue[] {
  const inner = issue.path as Path;
  const path = [...start, ...inner];
  const value = valueAt(root, inner);
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, inner);
    return issue.keys.map((key) =>
      withSuggestion({ path: [...path, key], at: "key", message: unknownKey }, key, known),
    );
  }
  if (issue.code === "invalid_union") {
    const closest = closestBranch(issue.errors);
    if (closest === undefined) return [{ path, message: issue.message }];
    return closest.flatMap((branch) => toIssues({ ...branch, path: [...inner, ...branch.path] }, schema, root, start));
  }
  if (value === undefined && issue.code !== "custom") return [{ path, message: "is required" }];
  if (issue.code === "invalid_type") return [{ path, message: `expected ${issue.expected}, got ${typeName(value)}` }];
  if (issue.code === "invalid_value") {
    const message = `must be one of ${issue.values.map((known) => JSON.stringify(known)).join(", ")}`;
    return [withSuggestion({ path, message }, String(value), issue.values.map(String))];
  }
  return [{ path, message: issue.message }];
}

function withSuggestion(issue: Issue, wrong: string, names: readonly string[]): Issue {
  const suggestion = suggestName(wrong, names);
  return suggestion === undefined ? issue : { ...issue, suggestion };
}

/** The branch of a union that got furthest into the value: most likely the one that was meant. */
function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const depth = (branch: readonly z.core.$ZodIssue[]) => Math.max(0, ...branch.map((issue) => issue.path.length));
  const meaningful = branches.filter((branch) => branch.length > 0);
  return meaningful.sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
}

function convertTexts(
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  start: Path,
  fromEnvironment: ReadonlySet<string>,
): unknown {
  let result = value;
  for (const issue of issues) {
    const inner = issue.path as Path;
    if (issue.code !== "invalid_type" || !fromEnvironment.has(pathKey([...start, ...inner]))) continue;
    const plain = plainValue(String(valueAt(value, inner)), issue.expected);
    if (plain !== undefined) result = replaceAt(result, inner, plain);
  }
  return result;
}

function plainValue(text: string, expected: string): number | boolean | undefined {
  const wantsNumber = expected === "number" || expected === "int";
  if (wantsNumber && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (expected === "boolean" && (text === "true" || text === "false")) return text === "true";
  return undefined;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, segment) => (value as Record<string, unknown> | undefined)?.[segment], root);
}

function replaceAt(root: unknown, [segment, ...rest]: Path, replacement: unknown): unknown {
  if (segment === undefined) return replacement;
  if (Array.isArray(root))
    return root.map((item, index) => (index === segment ? replaceAt(item, rest, replacement) : item));
  const mapping = root as Record<string, unknown>;
  return { ...mapping, [segment]: replaceAt(mapping[segment], rest, replacement) };
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value === "object" ? "mapping" : typeof value;
}
