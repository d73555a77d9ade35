import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { GatewayError } from "@talaria/protocol";
import type { MediaPlace } from "./media-ref.ts";

/** A file as other members of an encrypted room can read it; `file` lacks only the address. */
export interface LockedFile {
  readonly ciphertext: Buffer;
  readonly file: {
    readonly v: "v2";
    readonly key: object;
    readonly iv: string;
    readonly hashes: { readonly sha256: string };
  };
}

/** AES-256 in counter mode with a key of its own (specification, sending encrypted attachments). */
export async function encryptFile(bytes: Uint8Array): Promise<LockedFile> {
  const key = randomBytes(32);
  // The lower half counts blocks and begins at 0, so that no client overflows it.
  const iv = Buffer.concat([randomBytes(8), Buffer.alloc(8)]);
  const cipher = createCipheriv("aes-256-ctr", key, iv);
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return {
    ciphertext,
    file: {
      v: "v2",
      key: { kty: "oct", alg: "A256CTR", ext: true, k: key.toString("base64url"), key_ops: ["encrypt", "decrypt"] },
      iv: unpadded(iv),
      hashes: { sha256: unpadded(createHash("sha256").update(ciphertext).digest()) },
    },
  };
}

/** Throws `invalid_request`, and returns nothing, when the bytes don't match the hash in the message. */
export function decryptFile(ciphertext: Uint8Array, { key, iv, sha256 }: NonNullable<MediaPlace["lock"]>): Buffer {
  if (!timingSafeEqual(createHash("sha256").update(ciphertext).digest(), sha256))
    throw new GatewayError("an encrypted file was changed in transit", { code: "invalid_request" });
  const decipher = createDecipheriv("aes-256-ctr", key, iv);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
