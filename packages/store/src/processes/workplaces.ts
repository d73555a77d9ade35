import { z } from "zod";
import type { ProcessRow } from "../ports/operations.ts";

const lackingSchema = z.array(z.object({ key: z.string(), reason: z.string() }));
const workplaceSchema = z.object({ works: z.boolean(), line: z.string().max(5_000) });
/** A worker of an earlier release says nothing of it. */
const partsSchema = z.object({ lacking: lackingSchema });
const serversSchema = z.array(z.object({ name: z.string(), state: z.string(), problem: z.string().optional() }));

/** What living workers say of their commands, files and browser, each thing once. Those that have not tried yet say nothing. */
export function workplacesOf(
  living: readonly Pick<ProcessRow, "stats">[],
): readonly { readonly works: boolean; readonly line: string }[] {
  const said = living.flatMap(({ stats }) => workplaceSchema.safeParse(stats.workplace).data ?? []);
  return [...new Map(said.map((one) => [one.line, one])).values()];
}

/**
 * What doesn't work of what is switched on, as any living worker says, by the key of the configuration: `sandbox.backend`,
 * `browser.enabled`, `mcp.servers.<name>`. Each key once. Reasons may hold words of a server, cut and cleaned.
 */
export function lackingOf(living: readonly Pick<ProcessRow, "stats">[]): readonly Lacking[] {
  const found = living.flatMap(({ stats }) => [
    ...(partsSchema.safeParse(stats.workplace).data?.lacking ?? []),
    ...(serversSchema.safeParse(stats.mcp).data ?? []).flatMap(({ name, state, problem }) =>
      state === "login" || state === "down" ? [{ key: `mcp.servers.${name}`, reason: problem ?? state }] : [],
    ),
  ]);
  return [...new Map(found.map((one) => [one.key, one])).values()];
}

export interface Lacking {
  readonly key: string;
  readonly reason: string;
}
