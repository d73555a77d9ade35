import { randomBytes } from "node:crypto";
import { quote } from "./quote.ts";

const separator = "\u{1E}";

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
      `command eval ${quote(command)} </dev/null`,
      `command printf '\\036%s %d\\036' ${this.#nonce} "$?"`,
      "",
    ].join("\n");
  }

  /** What of the output is surely the command's, and its exit code when it has ended. */
  take(bytes: Buffer): { readonly output: Buffer; readonly code?: number } {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const begin = `${separator}${this.#nonce} `;
    const at = all.indexOf(begin);
    if (at >= 0) {
      const code = /^\d{1,3}(?=\u{1E})/u.exec(all.toString("latin1", at + begin.length, at + begin.length + 4))?.[0];
      if (code !== undefined) return { output: all.subarray(0, at), code: Number(code) };
    }
    // Only the newest separator can begin a marker that isn't whole yet.
    const last = all.lastIndexOf(separator);
    const isPartial = last >= 0 && all.length - last < begin.length + 4;
    const sure = isPartial ? last : all.length;
    this.#held = Buffer.from(all.subarray(sure));
    return { output: all.subarray(0, sure) };
  }
}
