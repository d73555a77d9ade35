import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** A sealed value is this version, then nonce, tag and ciphertext. */
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts with AES-256-GCM. `place` says where the value belongs: it can be read nowhere else. */
export function seal(key: Uint8Array, place: readonly string[], value: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associatedData(place));
  const ciphertext = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Throws an `Error` for a value of another key or place, and for one that was altered. */
export function unseal(key: Uint8Array, place: readonly string[], sealed: Buffer): string {
  if (sealed[0] !== version) throw new Error(`unknown version ${sealed[0]}`);
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const tag = sealed.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
    .setAAD(associatedData(place))
    .setAuthTag(tag);
  const ciphertext = sealed.subarray(1 + nonceBytes + tagBytes);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
}

function associatedData(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(place), "utf8");
}
