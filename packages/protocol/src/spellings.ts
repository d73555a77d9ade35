import { inspect } from "node:util";

/**
 * A secret as it may stand in other texts: as it is, in JSON, also in JSON within JSON, in addresses and forms, in hex, and in base64, alone or
 * between other bytes. In no order; some may be the same.
 */
export function spellingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const plain = [secret, inspect(secret).slice(1, -1), ...percentEncodings(secret)];
  const all = [...plain, hex, hex.toUpperCase(), ...base64Fragments(bytes)];
  return all.flatMap((text) => [text, escaped(text), escaped(escaped(text))]);
}

/** As it stands inside a JSON text. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function percentEncodings(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams({ v: secret }).toString().slice(2);
  const lowerCase = (text: string) => text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
  return [encoded, lowerCase(encoded), form, lowerCase(form), encodeURI(secret.toWellFormed())];
}

/**
 * What base64 makes of the secret when it stands at the beginning of the encoded bytes or behind others, as in
 * `user:secret`: only the digits that no neighbouring byte has a part in.
 */
function base64Fragments(secret: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), secret]).toString("base64");
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + secret.length) * 8) / 6);
    const fragment = encoded.slice(from, to);
    return [fragment, fragment.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
