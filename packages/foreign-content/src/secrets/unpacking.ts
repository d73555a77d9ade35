import type { Gunzip, InflateRaw, ZstdDecompress } from "node:zlib";
import { GatewayError } from "@talaria/protocol";
import type { Search } from "./find.ts";

/** Of one answer. */
const mostUnpackedBytes = 1024 * 1024 * 1024;

/** What is searched for in one answer. */
export interface Look {
  readonly search: Search;
  unpackedBytes: number;
}

/** Something whose bytes are looked through as they come. Its methods throw `unavailable` once a value was seen, or nobody can look. */
export interface Looked {
  write(bytes: Buffer): Promise<void>;
  /** Nothing more comes: it may have been cut off. */
  end(): Promise<void>;
  close(): void;
}

/** What one packed text unpacks to, looked through as it comes, and handed to `inner`. */
export class Unpacking {
  /** What was packed has ended. */
  isOver = false;
  isBroken = false;
  readonly #decoder: Gunzip | InflateRaw | ZstdDecompress;
  readonly #look: Look;
  readonly #inner: Looked;
  #held = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(decoder: Gunzip | InflateRaw | ZstdDecompress, look: Look, inner: Looked) {
    this.#decoder = decoder;
    this.#look = look;
    this.#inner = inner;
    decoder.on("readable", () => this.#wake());
    decoder.once("end", () => {
      this.isOver = true;
      this.#wake();
    });
    decoder.on("error", () => {
      this.isBroken = true;
      this.#wake();
    });
    decoder.once("close", () => this.#wake());
  }

  /** How many of the bytes belonged to it. Throws `unavailable` once a value was seen, or too much. */
  async write(bytes: Uint8Array): Promise<number> {
    const before = this.#decoder.bytesWritten;
    let isWritten = false;
    this.#decoder.write(bytes, () => {
      isWritten = true;
      this.#wake();
    });
    await this.#readUntil(() => isWritten);
    // The end is told after the last piece.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#decoder.bytesWritten - before;
  }

  async end(): Promise<void> {
    if (!this.isOver && !this.isBroken && !this.#decoder.destroyed) {
      this.#decoder.end();
      await this.#readUntil(() => false);
    }
    await this.#take(Buffer.alloc(0), true);
    await this.#inner.end();
    this.close();
  }

  close(): void {
    this.#decoder.destroy();
    this.#inner.close();
  }

  async #readUntil(isEnough: () => boolean): Promise<void> {
    for (;;) {
      const piece: Buffer | null = this.#decoder.destroyed ? null : this.#decoder.read();
      if (piece !== null) await this.#take(piece, false);
      else if (isEnough() || this.isOver || this.isBroken || this.#decoder.destroyed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async #take(piece: Buffer, isLast: boolean): Promise<void> {
    this.#look.unpackedBytes += piece.length;
    if (this.#look.unpackedBytes > mostUnpackedBytes)
      throw refusal("a packed file too large to look for the secret in it");
    const bytes = Buffer.concat([this.#held, piece]);
    let isFound = false;
    const found = () => {
      isFound = true;
    };
    const open = this.#look.search(bytes, found, isLast);
    if (isFound) throw refusal("a packed file that holds the secret");
    this.#held = bytes.subarray(open);
    if (piece.length > 0) await this.#inner.write(piece);
  }
}

export function refusal(what: string): GatewayError {
  return new GatewayError(`the host's answer is ${what}`, { code: "unavailable" });
}
