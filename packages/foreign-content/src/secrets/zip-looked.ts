import { createInflateRaw } from "node:zlib";
import { packedKindOf } from "./packed-kinds.ts";
import { type Look, type Looked, refusal, Unpacking } from "./unpacking.ts";

const zipMark = Buffer.from("PK\u0003\u0004");
/** What a file of a zip has before its name. */
const zipHeadBytes = 30;
const stored = 0;
const deflated = 8;
/** APPNOTE.TXT 6.3.10, 4.4.5: what programs still write besides. Other numbers are no file's. */
const otherMethods: ReadonlySet<number> = new Set([9, 12, 14, 93, 95, 96, 97, 98, 99]);
/** By which a stored content is known. */
const startBytes = 16;

/**
 * Goes from one file's mark to the next. What isn't packed is looked through as any other bytes. `inside`: looks through what one of its files
 * unpacks to.
 */
export function zipLooked(look: Look, inside: () => Looked): Looked {
  let held = Buffer.alloc(0);
  let file: Unpacking | undefined;
  /** A packed file that the zip has not packed again. */
  let plain: { readonly content: Looked; left: number } | undefined;
  /** How many of the bytes belonged to the file that is open; undefined: it goes on. */
  const inFile = async (bytes: Buffer): Promise<number | undefined> => {
    if (file !== undefined) {
      const taken = await file.write(bytes);
      if (!file.isOver && !file.isBroken) return undefined;
      await file.end();
      file = undefined;
      return taken;
    }
    if (plain === undefined) return 0;
    const own = bytes.subarray(0, plain.left);
    await plain.content.write(own);
    plain.left -= own.length;
    if (plain.left > 0) return undefined;
    await plain.content.end();
    plain = undefined;
    return own.length;
  };
  const open = ({ method, size }: ReturnType<typeof headOf>, start: Buffer) => {
    if (otherMethods.has(method)) throw refusal("a zip file packed in a way in which nobody can look for the secret");
    if (method === deflated) file = new Unpacking(createInflateRaw(), look, inside());
    if (method === stored && size > 0 && packedKindOf(start) !== undefined) plain = { content: inside(), left: size };
  };
  return {
    async write(bytes) {
      let rest = Buffer.concat([held, bytes]);
      held = Buffer.alloc(0);
      while (rest.length > 0) {
        const taken = await inFile(rest);
        if (taken === undefined) return;
        rest = rest.subarray(taken);
        const { at, data } = nextFile(rest);
        if (data > rest.length) {
          held = rest.subarray(at);
          return;
        }
        open(headOf(rest, at), rest.subarray(data, data + startBytes));
        rest = rest.subarray(data);
      }
    },
    async end() {
      await file?.end();
      await plain?.content.end();
    },
    close() {
      file?.close();
      plain?.content.close();
    },
  };
}

/** `size`: 0 where whoever has written it did not know it beforehand. */
function headOf(bytes: Buffer, at: number): { readonly method: number; readonly size: number } {
  return { method: bytes.readUInt16LE(at + 8), size: bytes.readUInt32LE(at + 18) };
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
