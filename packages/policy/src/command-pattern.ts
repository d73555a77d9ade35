import type { Target } from "@talaria/protocol";
import type { PatternReading } from "./pattern.ts";
import { programOf, runsOthers, startsOf } from "./programs.ts";
import { readShell } from "./shell-reader.ts";

/** The floor denies longer commands. */
const mostChars = 32_000;

const plainText = /^[\w./:@%+,= -]+$/;
const plainWord = /^[\w./:@%+,][\w./:@%+,=-]*$/;

/**
 * Reads `git status`, which is that command alone, or `git log *`, which is that with or without further words. `mayWiden`: the pattern
 * belongs to a rule that allows.
 */
export function readCommandPattern(text: string, mayWiden: boolean): PatternReading {
  const isPrefix = text.endsWith(" *");
  const words = (isPrefix ? text.slice(0, -2) : text).trim().split(/\s+/);
  const [program = ""] = words;
  if (isPrefix && words.join("").includes("*")) return { fault: "may have one star, at its end" };
  if (!isPrefix && text.endsWith("*")) return { fault: "needs a blank before its star" };
  if (isPrefix && mayWiden && runsOthers(program))
    return { fault: `would allow anything: \`${program}\` runs what its arguments say. Name the whole command` };
  const start = words.join(" ");
  return {
    pattern: {
      text,
      kind: "command",
      weight: isPrefix ? start.length : 1_000 + start.length,
      matches: (target, isStrict) => {
        if (target.kind !== "command") return false;
        return isStrict ? fitsExactly(target.command, start, isPrefix) : fitsBroadly(target, words, isPrefix);
      },
    },
  };
}

/** One plain command, without anything that a shell would act on. Further words may be no options. */
function fitsExactly(command: string | readonly string[], start: string, isPrefix: boolean): boolean {
  const text = typeof command === "string" ? command.trim() : command.join(" ");
  if (typeof command !== "string" && command.some((word) => /\s/.test(word) || word === "")) return false;
  if (text === start) return true;
  if (!isPrefix || !plainText.test(text) || !text.startsWith(`${start} `)) return false;
  return text
    .slice(start.length + 1)
    .split(" ")
    .every((word) => plainWord.test(word));
}

/** Any command in the text that begins so, whatever starts it. */
function fitsBroadly(target: CommandTarget, wanted: readonly string[], isPrefix: boolean): boolean {
  return startsIn(target).some((words) => {
    if (programOf(words[0] ?? "") !== programOf(wanted[0] ?? "")) return false;
    const isStart = wanted.every((word, index) => index === 0 || words[index] === word);
    return isStart && (isPrefix || words.length === wanted.length);
  });
}

type CommandTarget = Extract<Target, { readonly kind: "command" }>;

/** A target meets many rules, and is read once. */
const known = new WeakMap<CommandTarget, readonly (readonly string[])[]>();

function startsIn(target: CommandTarget): readonly (readonly string[])[] {
  const before = known.get(target);
  if (before !== undefined) return before;
  const { command } = target;
  const commands =
    typeof command === "string" ? readShell(command.slice(0, mostChars)).commands : [{ words: command, writes: [] }];
  const starts = commands.flatMap(startsOf);
  known.set(target, starts);
  return starts;
}
