import { registerHooks } from "node:module";
import { z } from "zod";
import type { DocumentNews, DocumentQuery } from "../document-messages.ts";
import { kindOf } from "../kind-of.ts";
import { answer } from "./answer.ts";
import { openerOf } from "./open.ts";
import { Refusal } from "./refusal.ts";

/** The child's program: one document, one answer. */
const querySchema: z.ZodType<DocumentQuery> = z.strictObject({
  name: z.string(),
  page: z.string().exactOptional(),
  line: z.int().min(1),
  mostLines: z.int().min(1),
  mostChars: z.int().min(1),
});

const network = /^(node:)?(net|tls|http|https|http2|dgram|dns)(\/|$)/;

keepOffline();
tell(await read());

async function read(): Promise<DocumentNews> {
  const { query, bytes } = await readInput();
  try {
    const kind = kindOf(bytes, query.name);
    if (kind === undefined) throw new Refusal("it is no document that can be read here");
    const open = await openerOf(kind);
    tell({ type: "ready" });
    return await answer(await open(bytes, query.name), query);
  } catch (error) {
    if (error instanceof Refusal) return { type: "refused", reason: error.message.slice(0, 1_000).toWellFormed() };
    throw error;
  }
}

/** No library that reads a document has any business with the network; where the system can, it has none anyhow. */
function keepOffline(): void {
  for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"]) Reflect.deleteProperty(globalThis, name);
  registerHooks({
    resolve: (specifier, context, next) => {
      const isLibrary = context.parentURL?.includes("/node_modules/") ?? false;
      if (isLibrary && network.test(specifier)) throw new Error(`${specifier} is not for readers of documents`);
      return next(specifier, context);
    },
  });
}

async function readInput(): Promise<{ readonly query: DocumentQuery; readonly bytes: Buffer }> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  const input = Buffer.concat(pieces);
  const end = input.indexOf("\n");
  return { query: querySchema.parse(JSON.parse(input.toString("utf8", 0, end))), bytes: input.subarray(end + 1) };
}

function tell(news: DocumentNews): void {
  process.stdout.write(`${JSON.stringify(news)}\n`);
}
