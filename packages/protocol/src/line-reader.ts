/** Puts lines together from chunks, in time proportional to the bytes. */
export class LineReader {
  readonly #mostBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The lines that end in this chunk. Throws a `RangeError` once an open line is longer than allowed. */
  *read(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(this.#pieces, this.#bytes).toString("utf8");
      this.clear();
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
    this.#keep(chunk.subarray(start));
  }

  clear(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#bytes += piece.length;
    if (this.#bytes > this.#mostBytes) {
      this.clear();
      throw new RangeError(`a line has more than ${this.#mostBytes} bytes`);
    }
    this.#pieces.push(piece);
  }
}
