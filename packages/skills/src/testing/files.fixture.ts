import type { SkillFile } from "../skill.ts";

/** Files of a skill by their paths. */
export function filesOf(contents: Readonly<Record<string, string | Uint8Array>>): readonly SkillFile[] {
  return Object.entries(contents).map(([path, content]) =>
    typeof content === "string"
      ? { path, bytes: Buffer.from(content), text: content }
      : { path, bytes: content, text: undefined },
  );
}
