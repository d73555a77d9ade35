import { z } from "zod";
import type { ProcessRow } from "../ports/operations.ts";

const workplaceSchema = z.object({ works: z.boolean(), line: z.string().max(5_000) });

/** What living workers say of their commands, files and browser, each thing once. Those that have not tried yet say nothing. */
export function workplacesOf(
  living: readonly Pick<ProcessRow, "stats">[],
): readonly { readonly works: boolean; readonly line: string }[] {
  const said = living.flatMap(({ stats }) => workplaceSchema.safeParse(stats.workplace).data ?? []);
  return [...new Map(said.map((one) => [one.line, one])).values()];
}
