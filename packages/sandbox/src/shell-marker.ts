import { randomBytes } from "node:crypto";
import { quote } from "./quote.ts";

const separator = "\u{1E}";

/** The shell's first line. Its output stays on a descriptor that no command gets, whatever one does to its own. */
export const firstLine = "exec 9>&1\n";

/**
 * Finds the end of a command in the output of the shell that runs it. The shell prints the marker, which holds 128 random
 * bits that no earlier output can know, from a line that it reads only after the command.
 */
export class ShellMarker {
  readonly #nonce = randomBytes(16).toString("hex");
  #held = Buffer.alloc(0);

  /** Lines for the shell's stdin. The command itself reads from nothing. */
  lines(command: string): string {
    return [
      `command eval ${quote(command)} </dev/null >&9 2>&9 9>&-`,
      `command printf '\\036%s %d\\036' ${this.#nonce} "$?" >&9`,
      "",
    ].join("\n");
  }

  /** What of the output is surely the command's, and its exit code when it has ended. */
  take(bytes: Buffer): { readonly output: Buffer; readonly code?: number } {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const begin = `${separator}${this.#nonce} `;
    const at = all.indexOf(begin);
    if (at >= 0) {
      const end = all.indexOf(separator, at + begin.length);
      if (end >= 0)
        return { output: all.subarray(0, at), code: Number(all.toString("latin1", at + begin.length, end)) };
    }
    // Only the newest separator can begin a marker that isn't whole yet.
    const last = all.lastIndexOf(separator);
    const isPartial = last >= 0 && all.length - last < begin.length + 4;
    const sure = isPartial ? last : all.length;
    this.#held = Buffer.from(all.subarray(sure));
    return { output: all.subarray(0, sure) };
  }
}
