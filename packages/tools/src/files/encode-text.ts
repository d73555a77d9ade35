import { GatewayError } from "@talaria/protocol";

/**
 * The text in UTF-8, UTF-16 or an encoding of one byte a character. Throws `unsupported` for others, and `invalid_request` for a
 * character that the encoding doesn't have, each with the remedy.
 */
export function encodeText(text: string, label: string, path: string): Uint8Array {
  if (label === "utf-8") return Buffer.from(text, "utf8");
  if (label === "utf-16le") return Buffer.from(text, "utf16le");
  if (label === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  const bytesOf = tableOf(label);
  if (bytesOf === undefined) {
    throw new GatewayError(`${path} is in ${label}, which is read but not written: ${remedy(path, label)}`, {
      code: "unsupported",
    });
  }
  const bytes = Buffer.alloc(text.length);
  let length = 0;
  for (const character of text) {
    const byte = bytesOf.get(character);
    if (byte === undefined) {
      throw new GatewayError(
        `"${character}" doesn't exist in ${label}, as which ${path} is kept: ${remedy(path, label)}`,
        {
          code: "invalid_request",
        },
      );
    }
    bytes[length] = byte;
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** Undefined where a byte is not always a character of its own. */
function tableOf(label: string): ReadonlyMap<string, number> | undefined {
  const decoder = new TextDecoder(label);
  const table = new Map<string, number>();
  for (let byte = 0; byte < 256; byte += 1) {
    const character = decoder.decode(Uint8Array.of(byte));
    if (byte < 128 ? character !== String.fromCharCode(byte) : character.length !== 1) return undefined;
    if (character !== "\ufffd") table.set(character, byte);
  }
  return table.size > 160 ? table : undefined;
}

function remedy(path: string, label: string): string {
  return `convert it first, with iconv -f ${label} -t utf-8 ${path} > new, or write it anew`;
}
