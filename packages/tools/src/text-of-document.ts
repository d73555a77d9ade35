import { type KnownFile, readKept, type ToolContext } from "@talaria/agent";
import { readDocument } from "@talaria/documents";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { workspaceOf } from "./workspace-of.ts";

/** A larger document is not taken apart. */
const mostBytes = 32 * 1_024 * 1_024;
const pieceBytes = 4 * 1_024 * 1_024;

/** A model may well write a number. */
export const pageSchema = z.coerce.string().max(200).optional().describe("Page, slide, sheet");

export interface WantedText {
  /** A number, or the name of a sheet. */
  readonly page: string | undefined;
  /** First line, from 1 on. */
  readonly offset: number;
  readonly limit: number;
  readonly mostChars: number;
}

/** Part of a document in the workspace, as text. Throws what `readDocument` throws. */
export async function textOfFile(path: string, wanted: WantedText, context: ToolContext): Promise<string> {
  const workspace = workspaceOf(context);
  const { size } = await workspace.read(path, { length: 0 });
  refuseLarge(path, size);
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < size; start += pieceBytes) {
    context.signal.throwIfAborted();
    pieces.push((await workspace.read(path, { start, length: pieceBytes })).bytes);
  }
  const name = path.split("/").findLast((part) => part !== "") ?? path;
  return await textOf(Buffer.concat(pieces), name, wanted, context.signal);
}

/** The same of a file of this conversation. */
export async function textOfKept(
  file: KnownFile,
  name: string,
  wanted: WantedText,
  context: ToolContext,
): Promise<string> {
  refuseLarge(name, file.byteLength);
  return await textOf(await readKept(file, context.media, context.signal), name, wanted, context.signal);
}

async function textOf(bytes: Uint8Array, name: string, wanted: WantedText, signal: AbortSignal): Promise<string> {
  const { page, offset: line, limit: mostLines, mostChars } = wanted;
  return await readDocument(bytes, { name, line, mostLines, mostChars, ...(page !== undefined && { page }) }, signal);
}

function refuseLarge(name: string, size: number): void {
  if (size <= mostBytes) return;
  throw new GatewayError(
    `${name} has ${size} bytes, and documents of at most ${mostBytes} are read: ask for a part of it`,
    {
      code: "too_large",
    },
  );
}
