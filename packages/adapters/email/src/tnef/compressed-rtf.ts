import { BrokenTnef, ByteReader } from "./byte-reader.ts";

/** What the dictionary holds before the first byte ([MS-OXRTFCP] section 2.1.2.1). */
const beginning =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const dictionaryLength = 4_096;
const compressed = 0x75465a4c;
const uncompressed = 0x414c454d;
/** More is not read; what was read until then counts. */
const maxBytes = 512 * 1024;

/**
 * The RTF of a `PidTagRtfCompressed` ([MS-OXRTFCP] sections 2.1.3.1.1 and 3.1.4.1). Its checksum is not compared: what can be read is
 * shown.
 */
export function decompressRtf(bytes: Buffer): Buffer {
  const reader = new ByteReader(bytes);
  reader.long();
  const length = Math.min(reader.long(), maxBytes);
  const type = reader.long();
  reader.long();
  if (type === uncompressed) return reader.bytes(Math.min(length, reader.left));
  if (type !== compressed) throw new BrokenTnef("the RTF is compressed in an unknown way");
  return new Decompression(reader, length).run();
}

class Decompression {
  readonly #reader: ByteReader;
  readonly #dictionary = Buffer.alloc(dictionaryLength);
  readonly #output: Buffer;
  #at: number;
  #written = 0;

  constructor(reader: ByteReader, length: number) {
    this.#reader = reader;
    this.#output = Buffer.alloc(length);
    this.#at = this.#dictionary.write(beginning, "latin1");
  }

  /** Each control byte tells of eight tokens whether they are references, the lowest bit first. */
  run(): Buffer {
    while (this.#reader.left > 0 && !this.#isFull) {
      const control = this.#reader.byte();
      for (let bit = 0; bit < 8 && this.#reader.left > 0 && !this.#isFull; bit += 1)
        if ((control & (1 << bit)) === 0) this.#write(this.#reader.byte());
        else if (!this.#copy()) return this.#output.subarray(0, this.#written);
    }
    return this.#output.subarray(0, this.#written);
  }

  get #isFull(): boolean {
    return this.#written === this.#output.length;
  }

  /** Twelve bits of place and four of length, big-endian. False at the end, which is a reference to where the next byte goes. */
  #copy(): boolean {
    if (this.#reader.left < 2) return false;
    const reference = (this.#reader.byte() << 8) | this.#reader.byte();
    const place = reference >> 4;
    if (place === this.#at) return false;
    const length = (reference & 0xf) + 2;
    for (let n = 0; n < length && !this.#isFull; n += 1)
      this.#write(this.#dictionary[(place + n) % dictionaryLength] ?? 0);
    return true;
  }

  #write(byte: number): void {
    this.#output[this.#written] = byte;
    this.#written += 1;
    this.#dictionary[this.#at] = byte;
    this.#at = (this.#at + 1) % dictionaryLength;
  }
}
