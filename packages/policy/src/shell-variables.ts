import { unknownPart } from "./shell-words.ts";

const mostVariables = 200;
const mostValueChars = 200;

const keywords = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "time", "coproc", "{", "}"]);
const declarations = new Set(["export", "declare", "local", "readonly", "typeset"]);

/** The variables that a text for a shell sets itself, as far as their values stand in it. */
export class ShellVariables {
  readonly #values = new Map<string, string>([
    ["HOME", "~"],
    ["IFS", " "],
    ["@", ""],
    ["*", ""],
  ]);

  /** The value of the expansion that begins at the `$` at `start`, and where it ends. */
  expand(text: string, start: number): { readonly value: string; readonly end: number } {
    const [plain, name] = /^\$([A-Za-z_]\w*|[@*#?$!0-9-])/.exec(text.slice(start, start + 100)) ?? [];
    if (plain !== undefined && name !== undefined) return { value: this.#valueOf(name), end: start + plain.length };
    if (text.charAt(start + 1) !== "{") return { value: "$", end: start + 1 };
    const end = text.indexOf("}", start);
    const stop = end < 0 ? text.length : end;
    return { value: this.#inBraces(text.slice(start + 2, stop)), end: stop + 1 };
  }

  /** Takes note of what a command sets. Returns its words without what stands before its name. */
  note(given: readonly string[]): readonly string[] {
    let from = 0;
    for (const word of given) {
      if (!keywords.has(word) && !this.#assign(word)) break;
      from += 1;
    }
    const words = from === 0 ? given : given.slice(from);
    const [name = "", second = ""] = words;
    if (declarations.has(name)) for (const word of words.slice(1)) this.#assign(word);
    if (name === "for" && words[2] === "in") this.#set(second, words.slice(3).join(" "));
    if (name === "set" && second === "--") for (const all of ["@", "*"]) this.#set(all, words.slice(2).join(" "));
    return words;
  }

  #assign(word: string): boolean {
    const [, name, more, value] = /^([A-Za-z_]\w*)(\+?)=([\s\S]*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) return false;
    this.#set(name, more === "" ? value : this.#valueOf(name) + value);
    return true;
  }

  #set(name: string, value: string): void {
    if (this.#values.size < mostVariables) this.#values.set(name, value.length > mostValueChars ? unknownPart : value);
  }

  #valueOf(name: string): string {
    return this.#values.get(name) ?? (/^\d$/.test(name) ? "" : unknownPart);
  }

  /** `NAME`, `NAME:-default` and the first character of a path; anything else is unknown unless NAME is. */
  #inBraces(inner: string): string {
    const [, name, rest = ""] = /^([A-Za-z_]\w*|[@*0-9])([\s\S]*)$/.exec(inner) ?? [];
    if (name === undefined) return unknownPart;
    if (rest === "") return this.#valueOf(name);
    const known = this.#values.get(name);
    const [, fallback] = /^:?[-=]([\s\S]*)$/.exec(rest) ?? [];
    if (fallback !== undefined) return known ?? fallback.replace(/^["']|["']$/g, "");
    if (/^:0:1$/.test(rest) && /^(?:HOME|PWD|OLDPWD|PATH|SHELL)$/.test(name)) return "/";
    return unknownPart;
  }
}
