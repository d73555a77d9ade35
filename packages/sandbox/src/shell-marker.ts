import { randomBytes } from "node:crypto";

const separator = "\u{1E}";

/** What no program can guess: 32 hexadecimal digits. */
export function unknownWord(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Finds the end of a command in the output of the shell that runs it. The shell prints the marker, which holds 128 random
 * bits that no earlier output can know: `printf '\036%s %d\036' <word> "$?"`.
 */
export class ShellMarker {
  readonly word = unknownWord();
  #held = Buffer.alloc(0);

  /** What of the output is surely the command's, and its exit code when it has ended, with what came behind. */
  take(bytes: Buffer): { readonly output: Buffer; readonly code?: number; readonly rest?: Buffer } {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const begin = `${separator}${this.word} `;
    const at = all.indexOf(begin);
    if (at >= 0) {
      const end = all.indexOf(separator, at + begin.length);
      const code = Number(all.toString("latin1", at + begin.length, end));
      if (end >= 0) return { output: all.subarray(0, at), code, rest: all.subarray(end + 1) };
    }
    // Only the newest separator can begin a marker that isn't whole yet.
    const last = all.lastIndexOf(separator);
    const isPartial = last >= 0 && all.length - last < begin.length + 4;
    const sure = isPartial ? last : all.length;
    this.#held = Buffer.from(all.subarray(sure));
    return { output: all.subarray(0, sure) };
  }
}
