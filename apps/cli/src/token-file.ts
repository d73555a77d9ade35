import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

/** The operator's token, made on first start: 256 bits, readable by its owner only. Several starters agree on one. */
export async function loadOrCreateToken(file: string): Promise<string> {
  try {
    await writeFile(file, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST"))
      throw new Error(`cannot write ${file}: make its folder writable, or set auth.token`, { cause: error });
  }
  const token = (await readFile(file, "utf8")).trim();
  if (token.length < 16) throw new Error(`${file} is damaged: delete it, and the next start makes a new one`);
  return token;
}
