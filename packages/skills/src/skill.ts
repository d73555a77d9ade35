/** One skill, whole and valid, as its folder was read. */
export interface Skill extends SkillFields {
  /** Without the front matter. */
  readonly body: string;
  /** The line of SKILL.md at which the body begins. */
  readonly bodyLine: number;
  /** All files, SKILL.md too, sorted by path. */
  readonly files: readonly SkillFile[];
  /** SHA-256 over paths and contents of all files, in hexadecimal digits. */
  readonly digest: string;
}

/** The front matter. */
export interface SkillFields {
  /** The folder's name. */
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** What the skill's writer would like to have. Nothing is granted by it. */
  readonly allowedTools?: string;
}

export interface SkillFile {
  /** Below the skill's folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Undefined: it is no text in UTF-8. */
  readonly text: string | undefined;
}
