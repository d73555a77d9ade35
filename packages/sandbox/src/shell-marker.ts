import { randomBytes } from "node:crypto";

const separator = "\u{1E}";
/** What no program can guess: 32 hexadecimal digits. */
export function unknownWord(): string {
  return randomBytes(16).toString("hex");
}

export interface Taken {
  /** What is surely the command's. */
  readonly output: Buffer;
  /** Its exit code when it has ended. */
  readonly code?: number;
  /** Where the shell says it is, which a command may have set to anything. */
  readonly folder?: string;
  /** What came behind. */
  readonly rest?: Buffer;
}

/**
 * Finds the end of a command in the output of the shell that runs it. The shell prints the marker, which holds 128 random
 * bits that no earlier output can know: `printf '\036%s %d\036' <word> "$?"`, with the shell's folder behind the exit code where
 * that is asked for.
 */
export class ShellMarker {
  readonly word = unknownWord();
  #held = Buffer.alloc(0);

  /** Reads what the shell has printed since. */
  take(bytes: Buffer): Taken {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const begin = `${separator}${this.word} `;
    const at = all.indexOf(begin);
    const end = at < 0 ? -1 : all.indexOf(separator, at + begin.length);
    if (end >= 0) {
      const [code = "", ...words] = all.toString("utf8", at + begin.length, end).split(" ");
      const folder = words.length === 0 ? {} : { folder: words.join(" ") };
      return { output: all.subarray(0, at), code: Number(code), ...folder, rest: all.subarray(end + 1) };
    }
    // Only the newest separator can begin a marker that isn't whole yet.
    const last = all.lastIndexOf(separator);
    const isPartial = last >= 0 && all.length - last < begin.length;
    const sure = at >= 0 ? at : isPartial ? last : all.length;
    this.#held = Buffer.from(all.subarray(sure));
    return { output: all.subarray(0, sure) };
  }
}
