import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** More files than this are too many, whatever their size: each costs the disk an inode and us a look. */
const maxFiles = 200_000;

export interface Usage {
  readonly bytes: number;
  /** Why the size can't be known, which counts as too much. */
  readonly problem?: string;
}

/** Bytes on the disk below a folder. Follows no link, counts a file with several names once. */
export async function folderUsage(folder: string): Promise<Usage> {
  const waiting = [folder];
  const counted = { bytes: 0, files: 0, linked: new Set<string>() };
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    try {
      await countEntries(path, waiting, counted);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== "ENOENT")
        return { bytes: counted.bytes, problem: `a folder of the workspace can't be measured (${code})` };
    }
    if (counted.files > maxFiles)
      return { bytes: counted.bytes, problem: `the workspace has more than ${maxFiles} files` };
  }
  return { bytes: counted.bytes };
}

async function countEntries(
  folder: string,
  waiting: string[],
  counted: { bytes: number; files: number; readonly linked: Set<string> },
): Promise<void> {
  for await (const entry of await opendir(folder)) {
    counted.files += 1;
    if (counted.files > maxFiles) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      waiting.push(path);
      continue;
    }
    const { blocks, nlink, dev, ino } = await lstat(path);
    const id = `${dev}:${ino}`;
    if (nlink > 1 && counted.linked.has(id)) continue;
    if (nlink > 1) counted.linked.add(id);
    counted.bytes += blocks * 512;
  }
}
