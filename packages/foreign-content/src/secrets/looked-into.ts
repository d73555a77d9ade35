import { createGunzip, createInflateRaw } from "node:zlib";
import { GatewayError } from "@talaria/protocol";
import { searchFor } from "./find.ts";
import { Unpacking } from "./unpacking.ts";

const gzipMark = Buffer.from([0x1f, 0x8b, 0x08]);
const zipMark = Buffer.from("PK\u0003\u0004");
/** What a file of a zip has before its name. */
const zipHeadBytes = 30;
const deflated = 8;

/**
 * What streams through, as it is, having looked for `values` in what it unpacks to if it is a gzip or zip file. Each piece is handed on
 * when that has been looked through. Throws `unavailable` where one holds a value, or 1 GiB unpacked, or can't be unpacked. In a zip, files
 * with other methods than deflate, and what is packed twice, stay unseen.
 */
export async function* lookedInto(
  source: AsyncIterable<Uint8Array>,
  values: readonly string[],
): AsyncGenerator<Uint8Array> {
  const look = { search: searchFor(values), unpackedBytes: 0 };
  let start = Buffer.alloc(0);
  let unpacked: Unpacked | undefined;
  try {
    for await (const chunk of source) {
      const bytes = unpacked === undefined ? Buffer.concat([start, chunk]) : Buffer.from(chunk);
      start = Buffer.alloc(0);
      if (unpacked === undefined && mayBecomeMarked(bytes)) {
        start = bytes;
        continue;
      }
      unpacked ??= kindOf(bytes, look);
      await unpacked.write(bytes);
      yield bytes;
    }
    if (start.length > 0) yield start;
    await unpacked?.end();
  } finally {
    unpacked?.close();
  }
}

interface Unpacked {
  write(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
  close(): void;
}

type Look = ConstructorParameters<typeof Unpacking>[1];

function mayBecomeMarked(bytes: Buffer): boolean {
  return [gzipMark, zipMark].some((mark) => bytes.length < mark.length && mark.subarray(0, bytes.length).equals(bytes));
}

function kindOf(bytes: Buffer, look: Look): Unpacked {
  if (bytes.subarray(0, gzipMark.length).equals(gzipMark)) return gzip(look);
  if (bytes.subarray(0, zipMark.length).equals(zipMark)) return zip(look);
  return { write: async () => undefined, end: async () => undefined, close: () => undefined };
}

function gzip(look: Look): Unpacked {
  const unpacking = new Unpacking(createGunzip(), look);
  return {
    async write(bytes) {
      if (!unpacking.isOver) await unpacking.write(bytes);
      if (unpacking.isBroken)
        throw new GatewayError("the host's answer is a gzip file that can't be unpacked to look for the secret in it", {
          code: "unavailable",
        });
    },
    end: () => unpacking.end(),
    close: () => unpacking.close(),
  };
}

/** Goes from one file's mark to the next. What isn't packed is looked through as any other bytes. */
function zip(look: Look): Unpacked {
  let held = Buffer.alloc(0);
  let file: Unpacking | undefined;
  return {
    async write(bytes) {
      let rest = Buffer.concat([held, bytes]);
      held = Buffer.alloc(0);
      while (rest.length > 0) {
        if (file !== undefined) {
          rest = rest.subarray(await file.write(rest));
          if (!file.isOver && !file.isBroken) return;
          await file.end();
          file = undefined;
        }
        const { at, data } = nextFile(rest);
        if (data > rest.length) {
          held = rest.subarray(at);
          return;
        }
        if (rest.readUInt16LE(at + 8) === deflated) file = new Unpacking(createInflateRaw(), look);
        rest = rest.subarray(data);
      }
    },
    end: async () => file?.end(),
    close: () => file?.close(),
  };
}

/** Where its mark is and its data begins; Infinity: that isn't there yet, and nothing before `at` is of use. */
function nextFile(bytes: Buffer): { readonly at: number; readonly data: number } {
  const at = bytes.indexOf(zipMark);
  if (at === -1) return { at: Math.max(0, bytes.length - zipMark.length + 1), data: Number.POSITIVE_INFINITY };
  return { at, data: dataStart(bytes, at) };
}

/** Behind the name and what else stands before a file; Infinity: that isn't there yet. */
function dataStart(bytes: Buffer, at: number): number {
  if (bytes.length < at + zipHeadBytes) return Number.POSITIVE_INFINITY;
  return at + zipHeadBytes + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
}
