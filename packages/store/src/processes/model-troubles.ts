import { z } from "zod";
import type { ProcessRow } from "../ports/operations.ts";

const newsSchema = z.array(
  z.object({
    model: z.string().max(200),
    at: z.string().max(40),
    code: z.string().max(40).optional(),
    line: z.string().max(2_000).optional(),
    // Workers of a release before say nothing of these, and tell only what lasts.
    since: z.string().max(40).optional(),
    count: z.int().nonnegative().default(2),
    isPassing: z.boolean().default(false),
  }),
);

export type ModelNews = z.output<typeof newsSchema>[number];

/** A model that fails, and what mends it. */
export interface ModelTrouble {
  readonly model: string;
  readonly code: string;
  readonly line: string;
}

/** What living workers say of models that fail: of each model what was seen last, whichever worker saw it. */
export function modelTroublesOf(living: readonly Pick<ProcessRow, "stats">[]): readonly ModelTrouble[] {
  return modelNewsOf(living).flatMap(({ model, code, line }) =>
    code === undefined || line === undefined ? [] : [{ model, code, line }],
  );
}

/** Of each model that was asked the last that was seen of it: without `code`, it answered. */
export function modelNewsOf(living: readonly Pick<ProcessRow, "stats">[]): readonly ModelNews[] {
  const said = living.flatMap(({ stats }) => newsSchema.safeParse(stats.models).data ?? []);
  return [...new Map(said.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map((one) => [one.model, one])).values()];
}
