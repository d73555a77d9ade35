import { privateFaultIn } from "@talaria/protocol";
import { fatal } from "./fault.ts";
import { scanSkill } from "./scan/scan-skill.ts";
import type { SkillFile } from "./skill.ts";
import { type ReadSkill, toSkill } from "./to-skill.ts";

/** Of all files of a skill that the agent has written, SKILL.md with them. */
export const mostWrittenBytes = 65_536;
/** Besides SKILL.md. */
export const mostWrittenFiles = 8;

/** A file of such a skill. */
export interface WrittenFile {
  /** Below the skill's folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** What the agent wants to keep. */
export interface Proposal {
  readonly name: string;
  readonly description: string;
  /** SKILL.md without its front matter. */
  readonly body: string;
  readonly files: readonly WrittenFile[];
}

/** Letters that a person's name has at least to be looked for. */
const leastNameChars = 3;
const plainPath = /^\w[\w.-]*(?:\/\w[\w.-]*){0,4}$/;
const mostPathChars = 200;

/**
 * What a proposal is as a skill, with the same rules as a folder's. `refused`, half a sentence for its writer: a fault, an objection of the scanner, a
 * secret, or a person's name, since a skill is what to do and not who people are. `people`: whose words are in the turn. `others`: names of
 * further skills.
 */
export function writtenSkill(
  proposal: Proposal,
  people: readonly string[],
  others: readonly string[],
): (ReadSkill & { readonly files: readonly WrittenFile[] }) | { readonly refused: string } {
  const name = proposal.name.normalize("NFKC");
  const misplaced = pathFault(proposal.files);
  if (misplaced !== undefined) return { refused: misplaced };
  const main = [
    "---",
    `name: ${name}`,
    `description: ${JSON.stringify(proposal.description)}`,
    "---",
    proposal.body.trim(),
  ];
  const files = [{ path: "SKILL.md", text: `${main.join("\n")}\n` }, ...proposal.files];
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > mostWrittenBytes)
    return { refused: `it has ${bytes} bytes, of ${mostWrittenBytes} that it may: keep what is needed again` };
  const found = storedSkill(name, files);
  const fault = found.faults.find(({ isFatal }) => isFatal);
  if (found.skill === undefined) return { refused: fault?.message ?? "it is no skill" };
  if (found.skill.body === "") return { refused: "`body` is empty: write what to do" };
  const told = personIn(files, people);
  if (told !== undefined)
    return { refused: `it names ${JSON.stringify(told)}: write what to do, and not who people are` };
  const kept = files.map(({ text }) => privateFaultIn(text)).find((one) => one !== undefined);
  if (kept !== undefined)
    return {
      refused: `it holds ${kept === "secret" ? "a secret" : "a code that is for one use"}: say instead where that comes from`,
    };
  const objection = scanSkill(found.skill, others).find(({ isObjection }) => isObjection);
  if (objection !== undefined)
    return { refused: `${objection.file}, line ${objection.line}: ${objection.why} (${objection.rule})` };
  return { ...found, files };
}

/** A skill of the agent's as it was stored: the same files have the same digest. */
export function storedSkill(name: string, files: readonly WrittenFile[]): ReadSkill {
  const unread = files.find(({ path, text }) => path === "" || text.includes("\0"));
  if (unread !== undefined)
    return { name, skill: undefined, faults: [fatal(`${JSON.stringify(unread.path)} is no text file`)] };
  return toSkill(name, files.map(toFile));
}

function toFile({ path, text }: WrittenFile): SkillFile {
  return { path, text, bytes: Buffer.from(text) };
}

function pathFault(files: readonly WrittenFile[]): string | undefined {
  if (files.length > mostWrittenFiles)
    return `it has ${files.length} files besides SKILL.md, of ${mostWrittenFiles} that it may`;
  const seen = new Set(["skill.md"]);
  for (const { path } of files) {
    if (path.length > mostPathChars || !plainPath.test(path) || path.split("/").includes(".."))
      return `${JSON.stringify(path)} is no path for a file of a skill: write it as in references/list.md`;
    if (seen.has(path.toLowerCase())) return `there are two files at ${JSON.stringify(path)}`;
    seen.add(path.toLowerCase());
  }
  return undefined;
}

/** As it is written, between characters that are of no word. */
function personIn(files: readonly WrittenFile[], people: readonly string[]): string | undefined {
  const names = people.map((name) => name.trim()).filter((name) => [...name].length >= leastNameChars);
  return names.find((name) => files.some(({ text }) => standsIn(name, text)));
}

function standsIn(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = [text.slice(0, at).at(-1), text.at(at + name.length)];
    if (around.every((char) => char === undefined || !/[\p{L}\p{N}]/u.test(char))) return true;
  }
  return false;
}
