import { createHash, randomBytes } from "node:crypto";

const characters = 8;

/** Crockford's alphabet has no I, L, O and U; 256 is a multiple of 32, so every character is equally likely. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export function createCode(): string {
  return Array.from(randomBytes(characters), (byte) => alphabet[byte % alphabet.length]).join("");
}

/** As people type it: small letters, dashes and spaces, O for zero, I and L for one. */
function normalise(code: string): string {
  return code
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
}

/** Under what the code is kept, however it was typed: 32 bytes. */
export function codeHashOf(code: string): Buffer {
  return createHash("sha256").update(normalise(code)).digest();
}
