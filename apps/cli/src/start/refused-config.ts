import { rename, rm, writeFile } from "node:fs/promises";

/** More are shown by `talaria check`. */
const most = 20;

/** Keeps beside the data that a changed configuration is not in use, and why. One that can't be written is no error. */
export async function keepRefusal(file: string, problems: readonly string[]): Promise<void> {
  const kept = { pid: process.pid, problems: problems.slice(0, most) };
  await writeFile(`${file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
    .then(() => rename(`${file}.new`, file))
    .catch(() => undefined);
}

/** What runs is what the file says. */
export async function forgetRefusal(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}
