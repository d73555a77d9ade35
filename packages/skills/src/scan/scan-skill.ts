import type { Skill, SkillFile } from "../skill.ts";
import { commandRules, keyFiles, reachesNetwork, wholeEnvironment } from "./command-rules.ts";
import { scanFile } from "./file-rules.ts";
import { scanNames } from "./name-rules.ts";
import { type ReadableText, readableText } from "./readable-text.ts";
import type { Finding, Remark, TextRule } from "./remark.ts";
import { wordRules } from "./word-rules.ts";

const mostRemarks = 100;
const nearChars = 300;
const rules: readonly TextRule[] = [...wordRules, ...commandRules];

/**
 * Looks through all files of a skill, after the shapes in which skills have spread malware. Each rule speaks once for each file, and says
 * where; objections come first, then as the files do. It decides nothing: somebody reads what it names. `others`: names of further skills.
 */
export function scanSkill(skill: Skill, others: readonly string[] = []): readonly Remark[] {
  const remarks = [...scanNames(skill, others), ...[...scanFiles(skill)].flat()];
  return remarks.toSorted((one, other) => Number(other.isObjection) - Number(one.isObjection)).slice(0, mostRemarks);
}

/** What is said of one file after the other, so that other work runs in between: a file of a mebibyte takes most of a second. */
export function* scanFiles({ files }: Skill): Generator<readonly Remark[], void, undefined> {
  for (const file of files) yield [...scanFile(file), ...scanText(file)];
}

function scanText({ path, text }: SkillFile): readonly Remark[] {
  if (text === undefined) return [];
  const read = readableText(text);
  const found = new Map<string, Remark>();
  for (const { rule, why, isObjection, pattern } of rules) {
    const match = found.has(rule) ? null : pattern.exec(read.plain);
    if (match !== null) found.set(rule, { rule, why, isObjection, file: path, line: read.lineAt(match.index) });
  }
  return [...found.values(), ...keysAndNetwork(path, read)];
}

const reads: Finding = { rule: "reads-keys", why: "it points at files with keys", isObjection: false };
const sendsKeys: Finding = {
  rule: "sends-keys",
  why: "it reads files with keys, and reaches a network",
  isObjection: true,
};
const sendsAll: Finding = {
  rule: "sends-environment",
  why: "it hands on all variables, and reaches a network",
  isObjection: true,
};

/** What is harmless alone. Instructions speak of much; there, it has to stand close together. */
function keysAndNetwork(file: string, { plain, lineAt }: ReadableText): readonly Remark[] {
  const near = /\.(?:md|txt)$/i.test(file) ? nearChars : plain.length;
  const sends = (at: number) => reachesNetwork.test(plain.slice(Math.max(0, at - near), at + near));
  const [keys, environment] = [keyFiles.exec(plain), wholeEnvironment.exec(plain)];
  return [
    ...(keys === null ? [] : [{ ...(sends(keys.index) ? sendsKeys : reads), file, line: lineAt(keys.index) }]),
    ...(environment === null || !sends(environment.index)
      ? []
      : [{ ...sendsAll, file, line: lineAt(environment.index) }]),
  ];
}
