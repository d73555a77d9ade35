import type { Workspace } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";

/** A larger file is not edited. */
export const mostEditedBytes = 1_048_576;

/** A text as it is edited: lines end in `\n`, and `toBytes` gives it back the line ends and the mark that the file had. */
export interface TextFile {
  readonly text: string;
  toBytes(text: string): Uint8Array;
}

/** Reads a whole UTF-8 file. Throws `too_large` above 1 MiB, and `unsupported` for what is no UTF-8 text. */
export async function readTextFile(workspace: Workspace, path: string): Promise<TextFile> {
  const { bytes, size } = await workspace.read(path, { length: mostEditedBytes });
  if (size > mostEditedBytes) {
    throw new GatewayError(`${path} has ${size} bytes; at most ${mostEditedBytes} can be edited. Use the terminal.`, {
      code: "too_large",
    });
  }
  const whole = decode(bytes, path);
  const usesCrLf = whole.includes("\r\n") && !/(?<!\r)\n/.test(whole);
  const hasMark = whole.startsWith("\ufeff");
  const plain = hasMark ? whole.slice(1) : whole;
  return {
    text: usesCrLf ? plain.replaceAll("\r\n", "\n") : plain,
    toBytes: (text) => {
      const lines = usesCrLf ? text.replace(/\r?\n/g, "\r\n") : text;
      return Buffer.from(hasMark ? `\ufeff${lines}` : lines, "utf8");
    },
  };
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Told below.
  }
  throw new GatewayError(`${path} is no UTF-8 text. Use the terminal for it.`, { code: "unsupported" });
}
