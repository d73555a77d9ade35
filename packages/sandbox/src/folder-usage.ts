import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** More files than this are too many, whatever their size: each costs the disk an inode and us a look. */
export const maxFiles = 200_000;

export interface Usage {
  readonly bytes: number;
  /** Why the size can't be known, which counts as too much. */
  readonly problem?: string;
}

/** Bytes on the disk below a folder. Follows no link, counts a file with several names once. */
export async function folderUsage(folder: string): Promise<Usage> {
  const waiting = [folder];
  const linked = new Set<string>();
  let bytes = 0;
  let files = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    try {
      for await (const entry of await opendir(path)) {
        files += 1;
        if (files > maxFiles) return { bytes, problem: `the workspace has more than ${maxFiles} files` };
        const inner = join(path, entry.name);
        if (entry.isDirectory()) {
          waiting.push(inner);
          continue;
        }
        const { blocks, nlink, dev, ino } = await lstat(inner);
        const id = `${dev}:${ino}`;
        if (nlink > 1 && linked.has(id)) continue;
        if (nlink > 1) linked.add(id);
        bytes += blocks * 512;
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ENOENT") continue;
      return { bytes, problem: `a folder of the workspace can't be measured (${code})` };
    }
  }
  return { bytes };
}
