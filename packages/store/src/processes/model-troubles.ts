import { z } from "zod";
import type { ProcessRow } from "../ports/operations.ts";

const newsSchema = z.array(
  z.object({
    model: z.string().max(200),
    at: z.string().max(40),
    code: z.string().max(40).optional(),
    line: z.string().max(2_000).optional(),
  }),
);

/** A model that fails until an operator mends something, and what that is. */
export interface ModelTrouble {
  readonly model: string;
  readonly code: string;
  readonly line: string;
}

/** What living workers say of models that refuse to answer: of each model what was seen last, whichever worker saw it. */
export function modelTroublesOf(living: readonly Pick<ProcessRow, "stats">[]): readonly ModelTrouble[] {
  const said = living.flatMap(({ stats }) => newsSchema.safeParse(stats.models).data ?? []);
  const last = new Map(said.toSorted((a, b) => (a.at < b.at ? -1 : 1)).map((one) => [one.model, one]));
  return [...last.values()].flatMap(({ model, code, line }) =>
    code === undefined || line === undefined ? [] : [{ model, code, line }],
  );
}
