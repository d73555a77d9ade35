import type { Workspace } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { encodeText } from "./encode-text.ts";
import { encodingOf } from "./text-encoding.ts";

/** A larger file is not edited. */
const mostEditedBytes = 1_048_576;

/** A text as it is edited: lines end in `\n`, and `toBytes` gives it back the line ends, the mark and the encoding that the file had. */
export interface TextFile {
  readonly text: string;
  /** As `TextDecoder` calls it. */
  readonly encoding: string;
  /** Throws what `encodeText` throws. */
  toBytes(text: string): Uint8Array;
}

/** Reads a whole text file. Throws `too_large` above 1 MiB, and `unsupported` for what is no text, or would not stay the same when written. */
export async function readTextFile(workspace: Workspace, path: string): Promise<TextFile> {
  const { bytes, size } = await workspace.read(path, { length: mostEditedBytes });
  if (size > mostEditedBytes) {
    throw new GatewayError(`${path} has ${size} bytes; at most ${mostEditedBytes} can be edited. Use the terminal.`, {
      code: "too_large",
    });
  }
  const { whole, encoding } = decode(bytes, path);
  const usesCrLf = whole.includes("\r\n") && !/(?<!\r)\n/.test(whole);
  const hasMark = whole.startsWith("\ufeff");
  const plain = hasMark ? whole.slice(1) : whole;
  return {
    text: usesCrLf ? plain.replaceAll("\r\n", "\n") : plain,
    encoding,
    toBytes: (text) => {
      const lines = usesCrLf ? text.replace(/\r?\n/g, "\r\n") : text;
      return encodeText(hasMark ? `\ufeff${lines}` : lines, encoding, path);
    },
  };
}

function decode(bytes: Uint8Array, path: string): { readonly whole: string; readonly encoding: string } {
  const seen = encodingOf(bytes);
  if (seen === undefined) {
    throw new GatewayError(`${path} is no text. Use the terminal for it.`, { code: "unsupported" });
  }
  const encoding = seen === "ascii" ? "utf-8" : seen.label;
  const whole = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  if (!Buffer.from(bytes).equals(encodeText(whole, encoding, path))) {
    throw new GatewayError(`${path} is no sound ${encoding}: what is broken would be lost. Use the terminal for it.`, {
      code: "unsupported",
    });
  }
  return { whole, encoding };
}
