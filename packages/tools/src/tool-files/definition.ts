import { z } from "zod";
import type { Handles } from "./messages.ts";

const mostSchemaChars = 50_000;
const beginningText = "expected http:// or https:// and a host, without name, query and fragment; a path ends with /";

const secretText = "expected the name of a secret in `sandbox.secrets`";

/** What a tool file says of its tool, besides `run`. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly effect: "read" | "write";
  readonly timeoutMs: number;
  readonly handles: Handles;
}

const schema = z
  .strictObject({
    name: z.string(),
    description: z.string().trim().min(1).max(4_000),
    input: z.looseObject({ type: z.literal("object") }),
    effect: z.enum(["read", "write"]),
    timeoutMs: z.int().min(100).max(600_000).default(60_000),
    handles: z
      .strictObject({
        files: z.enum(["read", "write"]).exactOptional(),
        fetch: z.array(z.string().refine(isBeginning, beginningText)).min(1).max(20).exactOptional(),
        secrets: z
          .array(z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, secretText))
          .min(1)
          .max(20)
          .exactOptional(),
      })
      .default({}),
  })
  .refine(({ handles }) => handles.secrets === undefined || handles.fetch !== undefined, {
    path: ["handles", "secrets"],
    error: "needs `fetch` with addresses of the secrets' hosts: nothing else carries one",
  })
  .refine(({ effect, handles }) => effect === "write" || handles.files !== "write", {
    path: ["handles", "files"],
    error: '"write" needs `effect: "write"`',
  })
  .refine(({ input }) => JSON.stringify(input).length <= mostSchemaChars, {
    path: ["input"],
    error: `more than ${mostSchemaChars} characters of JSON Schema`,
  });

/** Reads what a child says of its file. Throws an Error that says what is wrong, for the tool's author. */
export function readDefinition(value: unknown, fileName: string): Definition {
  const read = schema.safeParse(value);
  if (!read.success) throw new Error(z.prettifyError(read.error));
  if (read.data.name !== fileName) throw new Error(`name: expected "${fileName}", as the file is called`);
  try {
    z.fromJSONSchema(read.data.input as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (cause) {
    throw new Error(`input: ${cause instanceof Error ? cause.message : "no JSON Schema"}`, { cause });
  }
  return read.data;
}

/** The beginning of an address: the origin, and a path that ends with a slash. */
function isBeginning(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(text);
  const isPlain = username === "" && password === "" && search === "" && hash === "";
  return ["http:", "https:"].includes(protocol) && isPlain && pathname.endsWith("/");
}
