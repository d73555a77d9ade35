import type { McpServerConfig } from "./mcp-config.ts";

/** The arguments of a call by which the operator tells whom or what it is for. Undefined where none is named, or none is given. */
export function callAim(
  nameThere: string,
  input: unknown,
  config: Pick<McpServerConfig, "targets">,
): Readonly<Record<string, unknown>> | undefined {
  const given = Object.entries(typeof input === "object" && input !== null ? input : {});
  const named = namedTargets(nameThere, config).flatMap((name) => given.filter(([own]) => own === name));
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

export function namedTargets(nameThere: string, { targets = {} }: Pick<McpServerConfig, "targets">): readonly string[] {
  return Object.hasOwn(targets, nameThere) ? (targets[nameThere] ?? []) : [];
}
