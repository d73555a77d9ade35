import { z } from "zod";
import { toSecond } from "../operations/to-second.ts";
import type { ProcessRow } from "../ports/operations.ts";
import type { ProblemPhrases } from "../ports/problem-phrases.ts";

const newsSchema = z.array(
  z.object({
    model: z.string().max(200),
    at: z.string().max(40),
    code: z.string().max(40).optional(),
    // Workers of a release before say all of it in English, instead of where its key stands.
    line: z.string().max(2_000).optional(),
    keyFiles: z
      .array(z.object({ path: z.string().max(1_000), secret: z.string().max(200).optional() }))
      .max(20)
      .default([]),
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
export function modelTroublesOf(
  living: readonly Pick<ProcessRow, "stats">[],
  phrases: ProblemPhrases,
): readonly ModelTrouble[] {
  return modelNewsOf(living).flatMap(({ code, ...news }) =>
    code === undefined ? [] : [{ model: news.model, code, line: modelLine({ ...news, code }, phrases) }],
  );
}

export function modelLine(
  { model, code, line, at, since = at, count, keyFiles }: ModelNews & { readonly code: string },
  phrases: ProblemPhrases,
): string {
  return line ?? phrases.model({ model, code, since: toSecond(since), failed: count, keyFiles });
}

/** Of each model that was asked the last that was seen of it: without `code`, it answered. */
export function modelNewsOf(living: readonly Pick<ProcessRow, "stats">[]): readonly ModelNews[] {
  const said = living.flatMap(({ stats }) => newsSchema.safeParse(stats.models).data ?? []);
  return [...new Map(said.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map((one) => [one.model, one])).values()];
}
