import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";

/** The operator's token, made on first start: 256 bits, readable by its owner only. Several starters agree on one. */
export async function loadOrCreateToken(file: string): Promise<string> {
  const text = (await readIfThere(file)) ?? (await create(file));
  const token = text.trim();
  if (token.length < 16) throw new Error(`${file} is damaged: delete it, and the next start makes a new one`);
  return token;
}

/** Written in full beside its place and then linked, so nobody ever reads half a token or replaces one. */
async function create(file: string): Promise<string> {
  const beside = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(beside, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx", flush: true });
    await link(beside, file).catch(unless("EEXIST"));
  } catch (error) {
    throw new Error(`cannot write ${file}: make its folder writable, or set auth.token`, { cause: error });
  } finally {
    await rm(beside, { force: true });
  }
  return await readFile(file, "utf8");
}

async function readIfThere(file: string): Promise<string | undefined> {
  return await readFile(file, "utf8").catch(unless("ENOENT"));
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Error && "code" in error && error.code === code)) throw error;
    return undefined;
  };
}
