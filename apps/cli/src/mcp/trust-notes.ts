import type { TalariaConfig } from "@talaria/config";
import { isTrusted, policyTable } from "@talaria/policy";

/** Says how questions about what servers are only asked for are spared, and for which. A line, or none. */
export function trustNotes({ mcp: { servers }, policy }: Pick<TalariaConfig, "mcp" | "policy">): readonly string[] {
  const table = policyTable(policy);
  const asking = Object.entries(servers).flatMap(([name, { url, reads }]) =>
    url === undefined || reads.length === 0 || isTrusted({ kind: "url", url, sendsBody: true }, table)
      ? []
      : [`${name} ("${new URL(url).origin}")`],
  );
  if (asking.length === 0) return [];
  const where = `at ${asking.join(", ")}`;
  return [
    `each read is asked about once untrusted content or tools of others are there, ${where}: name in policy.trusted what is your own`,
  ];
}
