import { createGunzip, createZstdDecompress } from "node:zlib";
import { searchFor } from "./find.ts";
import { type PackedKind, packedKindOf } from "./packed-kinds.ts";
import { type Look, type Looked, refusal, Unpacking } from "./unpacking.ts";
import { zipLooked } from "./zip-looked.ts";

/** Files within files. */
const mostLevels = 5;

/**
 * What streams through, as it is, having looked for `values` in what it unpacks to if it is a gzip, zip or zstd file, or one in such a
 * one. Each piece is handed on when that has been looked through. Throws `unavailable` where one holds a value, or 1 GiB unpacked,
 * can't be unpacked, or is packed in a way that nobody here unpacks: xz, bzip2, 7z, RAR, lzip, lz4. In a tar archive, packed files stay unseen.
 */
export async function* lookedInto(
  source: AsyncIterable<Uint8Array>,
  values: readonly string[],
): AsyncGenerator<Uint8Array> {
  const content = new Content({ search: searchFor(values), unpackedBytes: 0 }, 0);
  let start = Buffer.alloc(0);
  try {
    for await (const chunk of source) {
      await content.write(Buffer.from(chunk));
      const bytes = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      // What is refused for its beginning must not have begun.
      start = content.isKnown ? Buffer.alloc(0) : Buffer.from(bytes);
      if (content.isKnown) yield bytes;
    }
    await content.end();
    if (start.length > 0) yield start;
  } finally {
    content.close();
  }
}

/** What its first bytes say that it is. */
class Content implements Looked {
  readonly #look: Look;
  readonly #level: number;
  #start = Buffer.alloc(0);
  #looked: Looked | undefined;

  constructor(look: Look, level: number) {
    this.#look = look;
    this.#level = level;
  }

  get isKnown(): boolean {
    return this.#looked !== undefined;
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#looked !== undefined) return await this.#looked.write(bytes);
    const start = Buffer.concat([this.#start, bytes]);
    const kind = packedKindOf(start);
    this.#start = kind === "open" ? start : Buffer.alloc(0);
    if (kind === "open") return;
    this.#looked = this.#lookedAs(kind);
    await this.#looked.write(start);
  }

  async end(): Promise<void> {
    await this.#looked?.end();
  }

  close(): void {
    this.#looked?.close();
  }

  #lookedAs(kind: PackedKind | undefined): Looked {
    if (kind === undefined) return plain;
    if (!kind.isSearched) throw refusal(`packed with ${kind.name}, in which nobody can look for the secret`);
    if (this.#level >= mostLevels) throw refusal(`packed more than ${mostLevels} times, one in the other`);
    const inside = () => new Content(this.#look, this.#level + 1);
    if (kind.name === "zip") return zipLooked(this.#look, inside);
    return inARow(kind.name, () => {
      const decoder = kind.name === "gzip" ? createGunzip() : createZstdDecompress();
      return new Unpacking(decoder, this.#look, inside());
    });
  }
}

const plain: Looked = { write: async () => undefined, end: async () => undefined, close: () => undefined };

/** One after the other in one file: a decoder of zstd ends with the first, one of gzip goes on by itself. */
function inARow(name: "gzip" | "zstd", open: () => Unpacking): Looked {
  let current = open();
  return {
    async write(bytes) {
      for (let rest = bytes; rest.length > 0; ) {
        if (current.isOver) {
          // What follows and isn't packed is looked through as any other bytes.
          if (packedKindOf(rest) === undefined) return;
          await current.end();
          current = open();
        }
        rest = rest.subarray(await current.write(rest));
        if (current.isBroken) throw refusal(`a ${name} file that can't be unpacked to look for the secret in it`);
        if (name === "gzip" && current.isOver) return;
      }
    },
    end: () => current.end(),
    close: () => current.close(),
  };
}
