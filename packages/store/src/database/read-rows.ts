import { GatewayError } from "@talaria/protocol";
import type { z } from "zod";

/** Checks each row by itself, so that an unreadable row does not stop the others. */
export function readEach<Schema extends z.ZodType, Row>(
  schema: Schema,
  rows: readonly Row[],
): { readonly rows: readonly z.output<Schema>[]; readonly unreadable: readonly Row[] } {
  const readable: z.output<Schema>[] = [];
  const unreadable: Row[] = [];
  for (const row of rows) {
    const parsed = schema.safeParse(row);
    if (parsed.success) readable.push(parsed.data);
    else unreadable.push(row);
  }
  return { rows: readable, unreadable };
}

/** Checks a value that another process, perhaps of another release, has stored. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayError("the database holds a row that this release cannot read", {
    code: "internal",
    cause: parsed.error,
  });
}
