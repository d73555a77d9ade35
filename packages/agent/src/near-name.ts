import { type Tool, toolSpecs } from "./tool.ts";

/**
 * What other agents call the same tool, by `nameKey`. Of one whose arguments are called otherwise a call is not repaired: see `takes`.
 * Claude Code's Bash, Read, Write and Grep (anthropics/claude-code#39979); the names that Cline, Cursor, OpenHands, Gemini CLI and VS Code
 * are known to use, seen in public code and not in a reference of each. A wrong one costs nothing: without a tool it is an error as before.
 * The others are what models make of these. Left out on purpose: Glob, whose `pattern` is one of names and ours one of content; Edit,
 * apply_patch and replace_in_file, which take other arguments; Codex's shell, whose command is a list, is refused by our schema.
 */
const namesElsewhere: Readonly<Record<string, readonly string[]>> = {
  terminal: [
    ...["bash", "shell", "executecommand", "runcommand", "runterminalcmd", "runterminal", "runterminalcommand"],
    ...["executebash", "runshellcommand", "runinterminal"],
  ],
  read_file: ["read"],
  write_file: ["write", "writetofile"],
  search_files: ["grep"],
};

/** Shorter names are too near to each other. */
const shortestTypo = 5;
/** From this length on, two slips are one name still. */
const longEnoughForTwo = 8;

/**
 * The one tool that a call means whose name is another agent's for it, or wrong by a letter or two, and whose arguments fit. Undefined
 * where there is none, or more than one. No foreign one: servers' names differ by little, and one that is gone is not another.
 */
export function nearTool(
  wanted: string,
  input: Readonly<Record<string, unknown>>,
  tools: ReadonlyMap<string, Tool>,
  keyOf: (name: string) => string,
): string | undefined {
  const usual = Object.entries(namesElsewhere).find(([, names]) => names.includes(wanted))?.[0];
  const near = usual === undefined ? [...tools.keys()].filter((name) => isTypo(wanted, keyOf(name))) : [usual];
  const [found, ...others] = near;
  const tool = tools.get(found ?? "");
  if (tool === undefined || others.length > 0 || tool.isForeign === true) return undefined;
  return takes(tool, input, usual !== undefined) ? tool.name : undefined;
}

/** Whether a call gives what the tool requires, and for another agent's name something that the tool knows at all. */
function takes(tool: Tool, input: Readonly<Record<string, unknown>>, needsSome: boolean): boolean {
  const { required = [], properties = {} } = toolSpecs([tool])[0]?.parameters ?? {};
  const isGiven = (name: unknown) => typeof name === "string" && Object.hasOwn(input, name);
  if (!Array.isArray(required) || !required.every(isGiven)) return false;
  return !needsSome || Object.keys(properties ?? {}).some(isGiven);
}

/** The first letter is right: `lock` is not `unlock`, nor `get` `set`. */
function isTypo(wanted: string, name: string): boolean {
  if (wanted.length < shortestTypo || wanted[0] !== name[0]) return false;
  const most = wanted.length < longEnoughForTwo ? 1 : 2;
  return Math.abs(wanted.length - name.length) <= most && slipsBetween(wanted, name) <= most;
}

/** How many letters are missing, too many, wrong, or swapped with the next. */
function slipsBetween(one: string, other: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(at(next, j - 1) + 1, at(row, j) + 1, at(row, j - 1) + (isSame ? 0 : 1), swapped));
    }
    before = row;
    row = next;
  }
  return at(row, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
