import { visibleText } from "@talaria/protocol";
import type { Skill, SkillFile } from "@talaria/skills";

const mostLines = 400;
const mostChars = 400;

/** What changes from one version of a skill to another, for people: files, and of texts the lines that go and come, in their order. */
export function difference(before: Skill, after: Skill): readonly string[] {
  const paths = [...new Set([...before.files, ...after.files].map(({ path }) => path))].toSorted();
  const lines = paths.flatMap((path) => {
    const [old, now] = [before, after].map(({ files }) => files.find((file) => file.path === path));
    return changesOf(path, old, now);
  });
  const more = lines.length - mostLines;
  return more > 0 ? [...lines.slice(0, mostLines), `and ${more} more lines: read the files`] : lines;
}

function changesOf(path: string, old: SkillFile | undefined, now: SkillFile | undefined): readonly string[] {
  const shown = JSON.stringify(path);
  if (old !== undefined && now !== undefined && Buffer.from(old.bytes).equals(now.bytes)) return [];
  const what = old === undefined ? "new file" : now === undefined ? "file is gone" : "changed";
  const texts = [old, now].map((file) => (file === undefined ? "" : file.text));
  const [was, is] = texts;
  if (was === undefined || is === undefined) return [`${shown}: ${what}, no text`];
  return [`${shown}: ${what}`, ...changedLines(was.split("\n"), is.split("\n"))];
}

/** Without what both begin and end with. */
function changedLines(was: readonly string[], is: readonly string[]): readonly string[] {
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start += 1;
  let end = 0;
  while (end < was.length - start && end < is.length - start && was.at(-1 - end) === is.at(-1 - end)) end += 1;
  const line = (sign: string) => (text: string) => `  ${sign} ${visibleText(text).slice(0, mostChars)}`;
  return [
    ...was.slice(start, was.length - end).map(line("-")),
    ...is.slice(start, is.length - end).map(line("+")),
  ].filter((text) => text.trim() !== "-" && text.trim() !== "+");
}
