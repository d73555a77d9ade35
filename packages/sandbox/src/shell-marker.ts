import { randomBytes } from "node:crypto";
import { quote } from "./quote.ts";

const separator = "\u{1E}";
/** The shell cuts what it says of its folder, which a command may have set to anything. */
const mostFolderBytes = 4_096;

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
      `command printf '\\036%s %d %.${mostFolderBytes}s\\036' ${this.#nonce} "$?" "\${PWD-}" >&9`,
      "",
    ].join("\n");
  }

  /** What of the output is surely the command's, and when it has ended its exit code, and the folder that the shell says it is in. */
  take(bytes: Buffer): { readonly output: Buffer; readonly code?: number; readonly folder?: string } {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const begin = `${separator}${this.#nonce} `;
    const at = all.indexOf(begin);
    const end = at < 0 ? -1 : all.indexOf(separator, at + begin.length);
    if (end >= 0) {
      const [code = "", ...folder] = all.toString("utf8", at + begin.length, end).split(" ");
      return { output: all.subarray(0, at), code: Number(code), folder: folder.join(" ") };
    }
    // Only the newest separator can begin a marker that isn't whole yet.
    const last = all.lastIndexOf(separator);
    const isPartial = last >= 0 && all.length - last < begin.length;
    const sure = at >= 0 ? at : isPartial ? last : all.length;
    this.#held = Buffer.from(all.subarray(sure));
    return { output: all.subarray(0, sure) };
  }
}
