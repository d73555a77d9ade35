import { lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";

/** A folder that is whole beside its place. What is there moves aside. */
export interface Replacement {
  readonly place: string;
  readonly next: string;
  readonly aside: string;
}

/**
 * Puts folders into their places, all or none, also when the process is killed meanwhile: until this begins, everything is as it was, and from
 * then on `finishReplacement` goes on. The folder `dir` has to be one of the places. Throws where the first can't be moved, and changes nothing then.
 */
export async function replaceAll(dir: string, replacements: readonly Replacement[]): Promise<void> {
  const journal = journalOf(dir);
  await writeFile(`${journal}.new`, JSON.stringify(replacements), { mode: 0o600, flush: true });
  await rename(`${journal}.new`, journal);
  const [first] = replacements;
  try {
    await finishReplacement(dir);
  } catch (error) {
    if (first === undefined || !(await isThere(first.next)) || (await isThere(first.aside))) throw error;
    await rm(journal);
    throw error;
  }
}

/** Goes on with what a killed process has begun: what came to its place, and where the former one is. Undefined: nothing was begun. */
export async function finishReplacement(dir: string): Promise<readonly Replacement[] | undefined> {
  const journal = journalOf(dir);
  const begun = await readJournal(journal);
  if (begun === undefined) return undefined;
  for (const { place, next, aside } of begun) {
    if (!(await isThere(next))) continue;
    if (await isFull(place)) await move(place, aside);
    await move(next, place);
  }
  await rm(journal, { force: true });
  return begun;
}

/** Whether a replacement has been begun and not finished. */
export function isReplacing(dir: string): Promise<boolean> {
  return isThere(journalOf(dir));
}

/** Whether that is the name of what a restore to the folder `base` makes beside it until it is whole. */
export function isLeftover(name: string, base: string): boolean {
  return name.startsWith(`${base}.`) && /^[0-9a-f-]{36}\.restor(?:ing|ed)$/.test(name.slice(base.length + 1));
}

/** Whether a folder is there and has something in it. */
export async function isFull(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.length > 0;
}

function journalOf(dir: string): string {
  return `${dir}.restore.json`;
}

/** One that another account has put there counts for nothing: it would choose what is moved. */
async function readJournal(file: string): Promise<readonly Replacement[] | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  const isOurs =
    found.isFile() &&
    (process.platform === "win32" || (found.uid === process.getuid?.() && (found.mode & 0o077) === 0));
  if (!isOurs) throw new Error(`${file} is not of this account, or others may use it: remove it`);
  const begun: readonly Replacement[] = JSON.parse(await readFile(file, "utf8"));
  return begun.map(({ place, next, aside }) => ({ place, next, aside }));
}

async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${from} can't be moved to ${to} (${error.code}): where it is a mount, restore into another folder with --home`,
      {
        cause: error,
      },
    );
  });
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
