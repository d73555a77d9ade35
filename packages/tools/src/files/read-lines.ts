import type { Workspace } from "@talaria/agent";
import { isDocument } from "@talaria/documents";
import { encodingOf, type SeenEncoding, type TextEncoding } from "./text-encoding.ts";

const utf8: TextEncoding = { label: "utf-8", by: "validity" };
const sliceBytes = 262_144;
/** How far into a file lines are counted. */
const mostBytes = 67_108_864;
const longestKept = 2_001;

export interface ReadLines {
  readonly lines: readonly string[];
  readonly size: number;
  /** As far as it was read. */
  readonly encoding?: SeenEncoding;
  /** Something is behind the last line. */
  readonly hasMore: boolean;
  /** Set for what is no text: the first bytes. */
  readonly binary?: Uint8Array;
  /** It has pages or the like, which `readDocument` gives. Then nothing of it was read. */
  readonly isDocument?: true;
}

export interface WantedLines {
  /** From 1 on. */
  readonly first: number;
  readonly most: number;
  /** Of all lines together. */
  readonly mostChars: number;
}

/**
 * Reads lines of a text file slice by slice, so that neither a long file nor a long line fills the memory: behind 2,001
 * characters a line is left out.
 */
export async function readLines(workspace: Workspace, path: string, wanted: WantedLines): Promise<ReadLines> {
  const collected = new LineCollector(wanted);
  const decoder = new SliceDecoder();
  let size = 0;
  for (let start = 0; start === 0 || (start < size && start < mostBytes); start += sliceBytes) {
    const slice = await workspace.read(path, { start, length: sliceBytes });
    size = slice.size;
    if (start === 0 && isDocument(slice.bytes, path)) return { lines: [], size, hasMore: false, isDocument: true };
    const text = decoder.decode(slice.bytes, start + slice.bytes.byteLength >= size);
    if (text === undefined) return { lines: [], size, hasMore: false, binary: slice.bytes.subarray(0, 16) };
    collected.add(text);
    if (collected.isFull) return { lines: collected.lines, size, hasMore: true, encoding: decoder.encoding };
    if (slice.bytes.byteLength < sliceBytes) break;
  }
  collected.end();
  return { lines: collected.lines, size, hasMore: collected.isFull, encoding: decoder.encoding };
}

/** Decides by the first slice that is not mere ASCII, which is the same in every encoding that follows it. */
class SliceDecoder {
  encoding: SeenEncoding = "ascii";
  #decoder: InstanceType<typeof TextDecoder> | undefined;

  /** Undefined when the first slice is no text. */
  decode(bytes: Uint8Array, isLast: boolean): string | undefined {
    if (this.encoding === "ascii") {
      const seen = encodingOf(bytes);
      if (seen === undefined && this.#decoder === undefined) return undefined;
      this.encoding = seen ?? utf8;
      this.#decoder = new TextDecoder(this.encoding === "ascii" ? utf8.label : this.encoding.label);
    }
    return this.#decoder?.decode(bytes, { stream: !isLast });
  }
}

class LineCollector {
  readonly lines: string[] = [];
  readonly #wanted: WantedLines;
  #number = 1;
  #chars = 0;
  #open = "";
  #isFull = false;

  constructor(wanted: WantedLines) {
    this.#wanted = wanted;
  }

  /** A line came that is not among those any more. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
      this.#extend(text.slice(from, Math.min(at, from + longestKept)));
      this.#close();
      if (this.#isFull) return;
      from = at + 1;
    }
    this.#extend(text.slice(from, from + longestKept));
  }

  end(): void {
    if (this.#open !== "") this.#close();
  }

  #extend(piece: string): void {
    if (this.#open.length < longestKept) this.#open = (this.#open + piece).slice(0, longestKept);
  }

  #close(): void {
    const line = this.#open.replace(/\r$/, "");
    this.#open = "";
    const { first, most, mostChars } = this.#wanted;
    const number = this.#number;
    this.#number += 1;
    if (number < first) return;
    const isTooMuch = this.lines.length > 0 && this.#chars + line.length > mostChars;
    if (this.lines.length >= most || isTooMuch) {
      this.#isFull = true;
      return;
    }
    this.lines.push(line);
    this.#chars += line.length + 8;
  }
}
