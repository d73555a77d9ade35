const { subtle } = globalThis.crypto;

export interface SealedFile {
  readonly v: string;
  readonly key: object;
  readonly iv: string;
  readonly hashes: { readonly sha256: string };
}

/** Encrypts a file as the specification says, with WebCrypto as browsers have it. */
export async function sealFile(bytes: Uint8Array<ArrayBuffer>) {
  const key = await subtle.generateKey({ name: "AES-CTR", length: 256 }, true, ["encrypt", "decrypt"]);
  const counter = new Uint8Array(16);
  globalThis.crypto.getRandomValues(counter.subarray(0, 8));
  const ciphertext = new Uint8Array(await subtle.encrypt({ name: "AES-CTR", counter, length: 64 }, key, bytes));
  const sha256 = unpadded(new Uint8Array(await subtle.digest("SHA-256", ciphertext)));
  const file: SealedFile = {
    v: "v2",
    key: await subtle.exportKey("jwk", key),
    iv: unpadded(counter),
    hashes: { sha256 },
  };
  return { ciphertext, file };
}

/** The opposite. Throws when the hash is wrong. */
export async function openSealed(
  ciphertext: Uint8Array<ArrayBuffer>,
  { key, iv, hashes }: SealedFile,
): Promise<Buffer> {
  const hash = unpadded(new Uint8Array(await subtle.digest("SHA-256", ciphertext)));
  if (hash !== hashes.sha256) throw new Error("the hash of a sealed file is wrong");
  const imported = await subtle.importKey("jwk", key, "AES-CTR", false, ["decrypt"]);
  const counter = new Uint8Array(Buffer.from(iv, "base64"));
  return Buffer.from(await subtle.decrypt({ name: "AES-CTR", counter, length: 64 }, imported, ciphertext));
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}
