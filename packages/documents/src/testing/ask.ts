import { readFileSync } from "node:fs";
import { isGatewayError } from "@talaria/protocol";
import type { DocumentQuery } from "../document-messages.ts";
import { readDocument } from "../read-document.ts";

/** A file that a real program has made: see `make-files.sh`. */
export function madeFile(name: string): Buffer {
  return readFileSync(new URL(`./files/${name}`, import.meta.url));
}

/** What the model reads, or the code and the sentence of the error. */
export async function ask(bytes: Uint8Array, name: string, more: Partial<DocumentQuery> = {}): Promise<string> {
  const query = { name, line: 1, mostLines: 500, mostChars: 16_000, ...more };
  return await readDocument(bytes, query, new AbortController().signal).catch((error: unknown) => {
    if (!isGatewayError(error)) throw error;
    return `${error.code}: ${error.message}`;
  });
}
