import { digestOf } from "./digest-of.ts";
import { type Fault, fatal } from "./fault.ts";
import { readFrontMatter } from "./front-matter.ts";
import { mostMainBytes } from "./limits.ts";
import type { Skill, SkillFile } from "./skill.ts";
import { validate } from "./validate.ts";

export interface ReadSkill {
  /** Of its folder. */
  readonly name: string;
  /** Undefined: a fault keeps it from being used. */
  readonly skill: Skill | undefined;
  readonly faults: readonly Fault[];
}

/** SKILL.md counts before skill.md, as in `find_skill_md` of the reference. */
const mainFiles = ["SKILL.md", "skill.md"] as const;

/** What the files of a folder are as a skill. */
export function toSkill(folder: string, files: readonly SkillFile[]): ReadSkill {
  const main = mainFiles.map((name) => files.find(({ path }) => path === name)).find((file) => file !== undefined);
  const unusable = (message: string) => ({ name: folder, skill: undefined, faults: [fatal(message)] });
  if (main === undefined) return unusable("SKILL.md is missing");
  if (main.text === undefined) return unusable(`${main.path} is no text in UTF-8`);
  if (main.bytes.byteLength > mostMainBytes)
    return unusable(
      `${main.path} has ${main.bytes.byteLength} bytes, of ${mostMainBytes} that it may: move parts into other files`,
    );
  const { fields, body, bodyLine, faults } = readFrontMatter(main.text);
  if (faults.some(({ isFatal }) => isFatal)) return { name: folder, skill: undefined, faults };
  const checked = validate(fields, folder);
  const skill = checked.fields && {
    ...checked.fields,
    ...{ body, bodyLine, digest: digestOf(files) },
    files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  };
  return { name: folder, skill, faults: [...faults, ...checked.faults] };
}
