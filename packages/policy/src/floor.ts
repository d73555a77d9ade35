import type { Target } from "@talaria/protocol";
import { type Harm, harmOf, type NamedCommand } from "./floor-commands.ts";
import { escaped, isDevice } from "./machine-paths.ts";
import { escapes, isEcho, languages, programOf, shells, startsOf } from "./programs.ts";
import { echoed, readShell } from "./shell-reader.ts";
import type { SimpleCommand } from "./shell-words.ts";

/** Longer texts of commands are refused unread. */
const mostCommandChars = 32_000;
const deepest = 4;

/** Why a call is denied whatever rules, people and grants say. */
export interface FloorBreach {
  readonly id: string;
  readonly text: string;
}

const texts = {
  erases: "Nothing may erase a system folder, everybody's files or their rights.",
  wipes: "Nothing may format or wipe a disk.",
  "writes-device": "Nothing may write to a disk or to the machine's memory directly.",
  password: "Nothing may hand a password to sudo or su: a person types it, or nobody.",
  halts: "Nothing may stop the machine or all of its processes.",
  forks: "Nothing may start itself without end.",
  unreadable: `A command of more than ${mostCommandChars.toLocaleString("en")} characters or of more than 8 levels is not run: write it to a file.`,
} as const satisfies Readonly<Record<Harm | "forks" | "unreadable", string>>;

type FloorHarm = keyof typeof texts;

/**
 * What no rule allows: commands in their usual spellings that destroy a machine. This is a seat belt for a model that errs, not
 * the boundary: whoever wants around it computes the command (base64, a script, a download). The sandbox is the boundary.
 * Takes time in proportion to the text.
 */
export function floorOf(targets: readonly Target[], writes: boolean): FloorBreach | undefined {
  for (const target of targets) {
    const found = harmOfTarget(target, writes);
    if (found !== undefined) return { id: `floor.${found}`, text: texts[found] };
  }
  return undefined;
}

function harmOfTarget(target: Target, writes: boolean): FloorHarm | undefined {
  if (target.kind === "path") return writes && isDevice(target.path) ? "writes-device" : undefined;
  if (target.kind !== "command") return undefined;
  const { command } = target;
  const search = new HarmSearch();
  return typeof command === "string" ? search.inText(command, 0) : search.inArguments(command);
}

/** One search through one command and the texts in it, of bounded length altogether. */
class HarmSearch {
  #charsLeft = 8 * mostCommandChars;

  inArguments(words: readonly string[]): FloorHarm | undefined {
    if (words.reduce((sum, word) => sum + word.length + 1, 0) > mostCommandChars) return "unreadable";
    return this.#inCommands([{ words, writes: [] }], 0);
  }

  inText(text: string, depth: number): FloorHarm | undefined {
    this.#charsLeft -= text.length;
    if (text.length > mostCommandChars || this.#charsLeft < 0) return "unreadable";
    if (depth > deepest) return undefined;
    if (forks(text)) return "forks";
    if (/\bspawn\s{1,9}(?:sudo|su)\b/.test(text)) return "password";
    const { commands, isTooDeep } = readShell(text);
    return isTooDeep ? "unreadable" : this.#inCommands(commands, depth);
  }

  #inCommands(commands: readonly SimpleCommand[], depth: number): FloorHarm | undefined {
    let folder: string | undefined;
    for (const command of commands) {
      const starts = startsOf(command).map((words) => ({ ...command, words, name: programOf(words[0] ?? ""), folder }));
      for (const named of starts) {
        const found = harmOf(named);
        if (found !== undefined) return found;
      }
      const found = this.#inShell(starts, depth) ?? this.#inLanguage(starts, depth) ?? this.#inEscape(starts, depth);
      if (found !== undefined) return found;
      if (command.words[0] === "cd" || command.words[0] === "pushd") folder = command.words[1];
    }
    return undefined;
  }

  #inShell(starts: readonly NamedCommand[], depth: number): FloorHarm | undefined {
    const shell = starts.find(({ name }) => shells.test(name));
    if (shell === undefined) return undefined;
    const joined = shell.name === "eval" ? [shell.words.slice(1).join(" ")] : [];
    const given = givenTo(shell).map((text) => text.replace(/^\w+=/, ""));
    return this.#inTexts([...joined, ...given.filter((text) => /[\s$`'"\\;|&{:]/.test(text))], depth);
  }

  #inLanguage(starts: readonly NamedCommand[], depth: number): FloorHarm | undefined {
    const language = starts.find(({ name }) => languages.test(name));
    if (language === undefined) return undefined;
    const given = givenTo(language);
    if (given.some((text) => removesTree.test(text))) return "erases";
    if (given.some((text) => forksInLanguage.test(text))) return "forks";
    const quoted = given.map(quotedIn);
    const all = quoted.flat();
    if (all.some((text) => isDevice(text)) && all.some((text) => fileModes.test(text))) return "writes-device";
    return this.#inTexts(quoted.flatMap(commandsAmong), depth);
  }

  #inEscape(starts: readonly NamedCommand[], depth: number): FloorHarm | undefined {
    const program = starts.find(({ name }) => escapes.test(name));
    const texts = program?.words.flatMap((word) => /(?:^|=|\+)!([\s\S]+)$|exec=([\s\S]+)$/.exec(word)?.slice(1) ?? []);
    return this.#inTexts(
      (texts ?? []).filter((text) => text !== undefined),
      depth,
    );
  }

  #inTexts(given: readonly string[], depth: number): FloorHarm | undefined {
    for (const text of given) {
      const found = this.inText(text, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Its arguments, its input, and what an `echo` before it prints. */
function givenTo({ words, input, pipedFrom }: NamedCommand): readonly string[] {
  const piped = pipedFrom === undefined ? [] : [pipedFrom.input, isEcho(pipedFrom) ? echoed(pipedFrom) : undefined];
  return [...words.slice(1), input, ...piped].filter((text) => text !== undefined);
}

/** Of files that are opened to be written. */
const fileModes = /^(?:[wax]b?\+?|r\+b?|rb\+|>>?)$/;
const removesTree =
  /(?:rmtree|rmSync|rm_rf?|remove_tree|rmdirSync|remove_entry)\s{0,9}\(?\s{0,9}["'`]\/?(?:["'`]|(?:bin|boot|dev|etc|home|lib|root|sbin|usr|var)\/?["'`])/;
const forksInLanguage =
  /fork\s{0,9}(?:\(\))?\s{0,9}while\s{1,9}(?:fork|1|true)|while\s{0,9}\(?\s{0,9}(?:1|True|true)\s{0,9}\)?\s{0,9}[:{]?\s{0,9}(?:os\.)?fork\b|loop\s{0,9}\{\s{0,9}fork/;

function quotedIn(code: string): readonly string[] {
  return [...code.matchAll(/"([^"\\]{0,500})"|'([^'\\]{0,500})'|`([^`\\]{0,500})`/g)].map(
    ([, double, single, back]) => double ?? single ?? back ?? "",
  );
}

/** The quoted texts of a piece of code that may be commands: those with blanks, and all together, as a list of words. */
function commandsAmong(quoted: readonly string[]): readonly string[] {
  return quoted.length > 1 ? [...quoted.filter((text) => text.includes(" ")), quoted.join(" ")] : quoted;
}

/** A function that starts itself twice or in the background, or a script that does. */
function forks(text: string): boolean {
  if (/\$\{?0\}?["']?\s{0,9}[|&]\s{0,9}(?:\.\/)?["']?\$\{?0|%0\s{0,9}\|\s{0,9}%0/.test(text)) return true;
  const definition =
    /(?:function\s{1,9}([^\s(){}|&;'"<>$`]{1,64})|([^\s(){}|&;'"<>$`]{1,64})\s{0,9}\(\s{0,9}\))\s{0,9}(?:\(\s{0,9}\)\s{0,9})?[{(]/g;
  for (const match of text.matchAll(definition)) {
    const name = escaped(match[1] ?? match[2] ?? "");
    const body = text.slice(match.index + match[0].length, match.index + match[0].length + 300);
    if (new RegExp(`(?:^|[\\s;|&({])${name}\\s{0,9}(?:\\|(?!\\|)|&(?!&))`).test(body.split("}")[0] ?? "")) return true;
  }
  return false;
}
