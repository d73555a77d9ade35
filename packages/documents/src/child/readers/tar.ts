import { once } from "node:events";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";
import { type ArchivedFile, archiveOf } from "./archive-list.ts";

const mostEntries = 100_000;
/** Of what is unpacked while a list is made, so that a bomb ends as such. */
const mostUnpacked = 1_024 * 1_024 * 1_024;
const headBytes = 1_024;

/** The list of a tar archive, also of a compressed one; of another file that gzip has compressed its text. */
export async function openTar(bytes: Buffer, name: string): Promise<OpenDocument> {
  const isCompressed = bytes[0] === 0x1f;
  const head = isCompressed ? await firstBytes(bytes) : bytes.subarray(0, headBytes);
  if (head.toString("latin1", 257, 262) === "ustar") return await listed(bytes, isCompressed);
  if (isCompressed && !head.includes(0)) return compressedText(bytes, name);
  throw new Refusal("it is compressed with gzip and holds no text: unpack it in the workspace, with gunzip");
}

async function listed(bytes: Buffer, isCompressed: boolean): Promise<OpenDocument> {
  const files: ArchivedFile[] = [];
  let isWhole = true;
  const parser = new Parser({
    onReadEntry: (entry: ReadEntry) => {
      if (files.length >= mostEntries) isWhole = false;
      else files.push({ name: entry.path.slice(0, 1_000), size: entry.size ?? 0, note: noteOf(entry) });
      entry.resume();
    },
  });
  const failed = once(parser, "error").then(([error]) => Promise.reject(error));
  const ended = once(parser, "end");
  ended.catch(() => undefined);
  try {
    await Promise.race([failed, feed(parser, unpacked(bytes, isCompressed)).then(() => ended)]);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    isWhole = false;
  }
  return archiveOf(isCompressed ? "tar archive, compressed with gzip" : "tar archive", files, isWhole);
}

async function feed(parser: Parser, chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks) parser.write(chunk);
  parser.end();
}

function noteOf({ type, linkpath }: ReadEntry): string {
  if (type === "File" || type === "OldFile" || type === "Directory") return "";
  return linkpath ? `${type} to ${JSON.stringify(linkpath.slice(0, 300))}` : type;
}

/** A compressed text as it is. */
function compressedText(bytes: Buffer, name: string): OpenDocument {
  return {
    format: "text, compressed with gzip",
    unit: "text",
    count: 1,
    facts: name.endsWith(".gz") ? [] : ["Its name doesn't say that it is compressed."],
    read: async (_index, sink) => {
      const decoder = new TextDecoder();
      for await (const chunk of unpacked(bytes, true)) {
        sink.write(decoder.decode(chunk, { stream: true }));
        if (sink.isFull) return;
      }
    },
  };
}

async function firstBytes(bytes: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const chunk of unpacked(bytes, true)) {
    pieces.push(chunk.subarray(0, headBytes));
    if (Buffer.concat(pieces).byteLength >= headBytes) break;
  }
  return Buffer.concat(pieces);
}

async function* unpacked(bytes: Buffer, isCompressed: boolean): AsyncGenerator<Buffer, void, undefined> {
  if (!isCompressed) return yield bytes;
  let length = 0;
  const gunzip = Readable.from([bytes]).pipe(createGunzip());
  try {
    for await (const chunk of gunzip) {
      length += (chunk as Buffer).byteLength;
      if (length > mostUnpacked) throw new Refusal("it unpacks to more than 1 GB: unpack it in the workspace");
      yield chunk as Buffer;
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("it is broken or incomplete", { cause: error });
  }
}
