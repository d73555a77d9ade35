import { english } from "./english/index.ts";

/** Everything that people read and no model has written, in one language. One that lacks an entry of English, or takes others, is none. */
export type Words = Said<typeof english>;

/** Texts of any wording, and functions that take what those of English do. */
type Said<Entry> = Entry extends string
  ? string
  : Entry extends (...given: infer Given) => infer Text
    ? (...given: Given) => Said<Text>
    : { readonly [Name in keyof Entry]: Said<Entry[Name]> };

/** A language that was written for another release lacks what is new. */
export type Partly<Entry> = Entry extends string | ((...given: never[]) => unknown)
  ? Entry
  : { readonly [Name in keyof Entry]?: Partly<Entry[Name]> };

/** The same with English where it lacks an entry, or has something else there. Entries that English does not have are left out. */
export function withEnglish(words: Partly<Words>): Words {
  return filled(english, words) as Words;
}

function filled(own: unknown, given: unknown): unknown {
  if (typeof own !== "object" || own === null) return typeof given === typeof own ? given : own;
  const others = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  return Object.fromEntries(
    Object.entries(own).map(([name, entry]) => [
      name,
      filled(entry, Object.hasOwn(others, name) ? others[name] : undefined),
    ]),
  );
}
