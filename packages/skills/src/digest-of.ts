import { createHash } from "node:crypto";
import type { SkillFile } from "./skill.ts";

/** The same for the same paths with the same bytes, in any order. */
export function digestOf(files: readonly Pick<SkillFile, "path" | "bytes">[]): string {
  const lines = files.map(({ path, bytes }) => `${sha256(bytes)} ${JSON.stringify(path)}\n`).toSorted();
  return sha256(lines.join(""));
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
