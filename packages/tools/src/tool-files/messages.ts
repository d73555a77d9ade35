import { z } from "zod";

/*
 * What the worker and a child say to each other: one JSON text a line, over the child's standard input and output. The worker
 * checks each line; the child trusts the worker.
 */

/** From the worker. `open` comes first and once. */
export type ToChild =
  /** Addresses (`file:`) of the tool file, of the folder that it may import from, and of zod's module. */
  | { readonly type: "open"; readonly file: string; readonly folder: string; readonly zod: string }
  | {
      readonly type: "call";
      readonly id: string;
      readonly input: unknown;
      readonly idempotencyKey: string;
      readonly handles: Handles;
      /** What stands for each secret in this call's requests. */
      readonly secrets: Readonly<Record<string, string>>;
    }
  | { readonly type: "abort"; readonly id: string }
  | { readonly type: "answer"; readonly number: number; readonly value: unknown }
  | { readonly type: "refusal"; readonly number: number; readonly message: string };

/** What a tool may use besides its input. Whatever is absent is refused. */
export interface Handles {
  readonly files?: "read" | "write" | undefined;
  /** Beginnings of the addresses that may be asked for. */
  readonly fetch?: readonly string[] | undefined;
  /** Names of secrets that requests may carry. */
  readonly secrets?: readonly string[] | undefined;
}

const id = z.string().min(1).max(200);
const files = z.array(z.string().max(4_096)).max(200);

export const fromChildSchema = z.discriminatedUnion("type", [
  /** The module is loaded. `definition`: what it exports, without `run`, and with its input as JSON Schema. `files`: what it imports. */
  z.object({ type: z.literal("described"), definition: z.unknown(), files }),
  z.object({ type: z.literal("broken"), problem: z.string(), files }),
  z.object({ type: z.literal("result"), id, content: z.string(), untrusted: z.literal(true).exactOptional() }),
  z.object({ type: z.literal("failed"), id, message: z.string() }),
  z.object({ type: z.literal("progress"), id, label: z.string() }),
  z.object({
    type: z.literal("request"),
    id,
    number: z.int().positive(),
    handle: z.string().max(40),
    args: z.unknown(),
  }),
  /** Its last words. */
  z.object({ type: z.literal("crash"), message: z.string() }),
]);

export type FromChild = z.output<typeof fromChildSchema>;
