import { parseYaml } from "@talaria/config";
import { type Fault, fatal, harmless } from "./fault.ts";

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Counted from 1. */
  readonly bodyLine: number;
  readonly faults: readonly Fault[];
}

const fence = /^---[ \t]*$/;

/**
 * Splits SKILL.md as `parse_frontmatter` of the reference library does, but at whole lines of `---`: there, a `---` within a value ends the
 * front matter. As there, every value is a text (`version: 1.0` is "1.0"), and anchors, tags and keys that are there twice are refused.
 */
export function readFrontMatter(content: string): FrontMatter {
  const lines = content.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  const unread = (message: string) => ({ fields: {}, body: "", bodyLine: 1, faults: [fatal(message)] });
  if (!fence.test(lines[0] ?? "")) return unread("SKILL.md has to begin with a line of `---` and its front matter");
  const end = lines.findIndex((line, index) => index > 0 && fence.test(line));
  if (end < 0) return unread("the front matter of SKILL.md has no end: put a line of `---` after it");
  const { fields, faults } = readFields(lines.slice(1, end));
  const rest = lines.slice(end + 1);
  const first = rest.findIndex((line) => line.trim() !== "");
  const body = rest.slice(Math.max(first, 0)).join("\n").trimEnd();
  return { fields, faults, body, bodyLine: end + 2 + Math.max(first, 0) };
}

/** "Handling malformed YAML" of the specification's guide for clients: a value with a colon is meant as a text, and tried again in quotes. */
function readFields(lines: readonly string[]): Pick<FrontMatter, "fields" | "faults"> {
  const { fields, problems } = parse(lines);
  if (problems.length === 0) return { fields, faults: [] };
  const again = parse(lines.map(quoted));
  if (again.problems.length === 0 && lines.some((line) => quoted(line) !== line)) {
    return {
      fields: again.fields,
      faults: [harmless("the front matter is no YAML: put values with a colon in quotes")],
    };
  }
  return { fields: {}, faults: problems.map(fatal) };
}

function parse(lines: readonly string[]) {
  const { value, issues } = parseYaml(lines.join("\n"), { areTexts: true });
  const problems = issues.map(({ message, place, path }) => {
    const where = path.length === 0 ? "" : ` (${path.join(".")})`;
    return `the front matter can't be read, line ${(place?.line ?? 1) + 1}${where}: ${message}`;
  });
  return { fields: value, problems };
}

function quoted(line: string): string {
  const [, key, value] = /^([\w-]+:[ \t]+)(?!["'|>[{])(.*:[ \t].*)$/.exec(line) ?? [];
  return key === undefined || value === undefined ? line : `${key}${JSON.stringify(value.trimEnd())}`;
}
