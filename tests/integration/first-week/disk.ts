import { execFileSync } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";

/** Of everything that an installation keeps: its database takes some 100 MB. */
const size = "300m";

/** A folder that is a disk of its own, where root may mount one. */
export class Disk {
  readonly folder: string;
  /** It can be filled without harm to anybody else. */
  readonly isOwn: boolean;

  constructor(folder: string) {
    this.folder = folder;
    this.isOwn = process.platform === "linux" && process.getuid?.() === 0 && mounts(folder);
  }

  /** Not one byte more can be written. */
  async fill(): Promise<void> {
    const file = await open(join(this.folder, "filler"), "w");
    try {
      for (const bytes of [1_000_000, 4_096]) {
        const piece = Buffer.alloc(bytes);
        const isWritten = () =>
          file.write(piece).then(
            ({ bytesWritten }) => bytesWritten === bytes,
            () => false,
          );
        while (await isWritten());
      }
    } finally {
      await file.close();
    }
  }

  async free(): Promise<void> {
    await rm(join(this.folder, "filler"));
  }

  remove(): void {
    if (this.isOwn) execFileSync("umount", ["-l", this.folder]);
  }
}

function mounts(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
