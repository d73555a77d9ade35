/** Says that bytes are not what they claim to be. */
export class BrokenTnef extends Error {
  override readonly name = "BrokenTnef";
}

/** Reads bytes from the start, little-endian. Throws `BrokenTnef` for what would be behind the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  short(): number {
    return this.#bytes.readUInt16LE(this.#take(2));
  }

  long(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  /** A view, not a copy. */
  bytes(length: number): Buffer {
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  #take(length: number): number {
    if (length > this.left) throw new BrokenTnef(`${length} bytes were told, and ${this.left} are there`);
    const from = this.#at;
    this.#at += length;
    return from;
  }
}
