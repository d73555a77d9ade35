import type { AdapterDeps } from "@talaria/adapter";

/**
 * Counts and logs something of a known kind that could not be read, so that nothing is dropped unnoticed. `kind` is the
 * platform's name of the kind, such as `message` or `m.reaction`, never something a sender chose; `facts` hold ids, and
 * nothing that people wrote.
 */
export function noteUnreadable(
  { log, countUnreadable }: Pick<AdapterDeps, "log" | "countUnreadable">,
  kind: string,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  countUnreadable(kind);
  log.warn({ ...facts, kind }, "an event could not be read");
}
