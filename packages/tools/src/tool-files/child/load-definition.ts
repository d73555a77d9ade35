/** Carries out one call. */
export type Run = (input: unknown, context: object) => unknown;

export interface Loaded {
  /** All that the file says of the tool, as JSON. */
  readonly definition: unknown;
  readonly run: Run;
  /** Reads the input as the tool wants it. Throws what is wrong with it. */
  readonly input: (value: unknown) => unknown;
}

interface ZodSchema {
  readonly _zod: unknown;
  parse(value: unknown): unknown;
}

/** Imports a tool file. Throws an Error that says what is wrong with it. */
export async function loadDefinition(file: string, zod: string): Promise<Loaded> {
  const module = (await import(file)) as { readonly default?: unknown };
  const exported = module.default;
  if (typeof exported !== "object" || exported === null) {
    throw new Error("it has no `export default { ... }` with the definition of a tool");
  }
  const { run, input, ...rest } = exported as Readonly<Record<string, unknown>>;
  if (typeof run !== "function") throw new Error("run: expected a function `run(input, context)`");
  if (!isZod(input)) return { definition: { ...rest, input }, run: run as Run, input: (value) => value };
  const { z } = (await import(zod)) as typeof import("zod");
  const { $schema: _, ...schema } = z.toJSONSchema(input as unknown as import("zod").z.ZodType, { io: "input" });
  return { definition: { ...rest, input: schema }, run: run as Run, input: (value) => parsed(input, value, z) };
}

function isZod(input: unknown): input is ZodSchema {
  return typeof input === "object" && input !== null && "_zod" in input;
}

function parsed(schema: ZodSchema, value: unknown, z: typeof import("zod").z): unknown {
  try {
    return schema.parse(value);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(`the arguments are not valid.\n${z.prettifyError(error)}`, { cause: error });
  }
}
