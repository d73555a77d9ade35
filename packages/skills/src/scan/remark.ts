/** What the scanner found in a skill. */
export interface Remark {
  /** The rule's name. */
  readonly rule: string;
  /** The file's path below the skill's folder. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Half a sentence. */
  readonly why: string;
  /** No honest skill has it. Otherwise somebody should look. */
  readonly isObjection: boolean;
}

export type Finding = Omit<Remark, "file" | "line">;

/** A pattern for a text as `readableText` makes it: in lower case with single blanks. Every repetition in it is bounded. */
export type TextRule = Finding & { readonly pattern: RegExp };

export function objection(rule: string, why: string, pattern: RegExp): TextRule {
  return { rule, why, pattern, isObjection: true };
}

export function doubt(rule: string, why: string, pattern: RegExp): TextRule {
  return { rule, why, pattern, isObjection: false };
}
