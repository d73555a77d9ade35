import { StringDecoder } from "node:string_decoder";

/** Keeps the beginning and the end of a text that comes in pieces, `maxChars` of it at most. */
export class BoundedOutput {
  readonly #headChars: number;
  readonly #tailChars: number;
  readonly #decoder = new StringDecoder("utf8");
  readonly #tail: string[] = [];
  #head = "";
  #tailLength = 0;
  #leftOut = 0;
  #bytes = 0;

  /** `headChars` 0 keeps the end alone. */
  constructor(maxChars: number, headChars = Math.floor(maxChars / 2)) {
    this.#headChars = headChars;
    this.#tailChars = Math.max(0, maxChars - headChars);
  }

  /** The text that these bytes complete. */
  add(bytes: Uint8Array): string {
    this.#bytes += bytes.length;
    const text = this.#decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.addText(text);
    return text;
  }

  addText(text: string): void {
    const room = this.#headChars - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === "") return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tailLength > this.#tailChars) this.#drop(this.#tailLength - this.#tailChars);
    // A program that writes single characters must not make an array of a million strings.
    if (this.#tail.length > 1_024) this.#tail.splice(0, this.#tail.length, this.#tail.join(""));
  }

  /** All that was ever added. */
  get bytes(): number {
    return this.#bytes;
  }

  read(): { readonly text: string; readonly leftOut: number } {
    const tail = this.#tail.join("");
    return {
      text: this.#leftOut === 0 ? this.#head + tail : wholeCharacters(this.#head, tail),
      leftOut: this.#leftOut,
    };
  }

  #drop(count: number): void {
    const oldest = this.#tail[0] ?? "";
    const dropped = Math.min(count, oldest.length);
    if (dropped === oldest.length) this.#tail.shift();
    else this.#tail[0] = oldest.slice(dropped);
    this.#tailLength -= dropped;
    this.#leftOut += dropped;
  }
}

/** No half of a surrogate pair where the middle is missing. */
function wholeCharacters(head: string, tail: string): string {
  return head.replace(/[\uD800-\uDBFF]$/, "\u{FFFD}") + tail.replace(/^[\uDC00-\uDFFF]/, "\u{FFFD}");
}
