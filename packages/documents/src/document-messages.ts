import { z } from "zod";

/** One call to the child, which reads it from its standard input as a line of JSON, followed by the document itself. */
export interface DocumentQuery {
  /** As people know it: its ending helps where bytes can't tell. */
  readonly name: string;
  /** Where to begin: the name of a sheet or slide, or a number from 1 on. Absent: at the beginning. */
  readonly page?: string;
  /** First line of that page, from 1 on. */
  readonly line: number;
  readonly mostLines: number;
  readonly mostChars: number;
}

const units = ["page", "sheet", "slide", "chapter", "cell", "text"] as const;
/** What a document consists of. `text`: it has no pages before somebody prints it. */
export type Unit = (typeof units)[number];

const readSchema = z.strictObject({
  type: z.literal("read"),
  format: z.string().max(100),
  unit: z.enum(units),
  count: z.int().min(0),
  /** What is to be known of the whole, one line each. */
  facts: z.array(z.string()).max(300),
  shown: z
    .array(
      z.strictObject({
        /** From 1 on. */
        number: z.int().min(1),
        name: z.string().optional(),
        first: z.int().min(1),
        lines: z.array(z.string()),
        isCut: z.boolean(),
      }),
    )
    .max(1_000),
  next: z.strictObject({ page: z.int().min(1), line: z.int().min(1) }).optional(),
});

/** What the child says: that it has loaded what it needs, then what came of it. */
export const newsSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready") }),
  readSchema,
  /** A sentence for the model. */
  z.strictObject({ type: z.literal("refused"), reason: z.string().max(1_000) }),
]);

export type DocumentRead = z.infer<typeof readSchema>;
export type DocumentNews = z.infer<typeof newsSchema>;
