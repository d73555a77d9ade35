import { z } from "zod";

/** An optional field of what a platform sends. It counts as absent when it is null or not what it should be. */
export function odd<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** A list of what a platform sends, at most `longest` entries; unreadable ones are left out. Empty when it is no list. */
export function list<Schema extends z.ZodType>(schema: Schema, longest: number) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((entries) =>
      entries.slice(0, longest).flatMap((entry) => {
        const read = schema.safeParse(entry);
        return read.success ? [read.data] : [];
      }),
    );
}
