import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";

export const manifestName = "manifest.json";
export const workspacesName = "workspaces.tar";

export const manifestSchema = z.object({
  /** Of this form; a release that can't read a later one says so. */
  format: z.literal(1),
  version: z.string().max(100),
  madeAt: z.string().max(100),
  database: z.object({
    migrations: z.array(z.object({ name: z.string(), checksum: z.string() })).readonly(),
    tables: z
      .array(z.object({ name: z.string().regex(/^[a-z_]+$/), columns: z.array(z.string()).readonly() }))
      .readonly(),
    sequences: z.record(z.string(), z.string()),
  }),
  /** SHA-256 of every other file, by its path in the backup. */
  files: z.record(z.string(), z.string()),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** SHA-256 of every file below a folder but the manifest, by paths with `/`. */
export async function digestsBelow(folder: string): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1);
    if (path === manifestName) continue;
    const hash = createHash("sha256");
    await pipeline(createReadStream(file), hash);
    digests[path] = hash.digest("hex");
  }
  return digests;
}
