import type { AccountId } from "@talaria/protocol";
import { languageOf, signsOf, wordsOf } from "@talaria/search";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";

/** Lines that one statement looks at, and words that one writes: some tenths of a second. */
const pageLines = 500;
const pageWords = 20_000;
/** Words of one text whose stems find it. */
const mostStemmed = 2_000;
/** Words whose stems are known. */
const mostKnown = 50_000;

interface UnreadLine {
  readonly isOurs: boolean;
  readonly lineId: string;
  readonly accountId: AccountId;
  /** Null: nothing is found of it. */
  readonly markdown: string | null;
}

interface SplitLine extends Omit<UnreadLine, "markdown"> {
  readonly words: readonly string[];
  readonly language: string;
}

interface ReadLine extends Omit<UnreadLine, "markdown"> {
  readonly terms: readonly string[];
  readonly length: number;
}

const linesToRead = sqlLoneFunction<{ readonly most: number }, readonly UnreadLine[] | null>("lines_to_read");
const stemsOfWords = sqlLoneFunction<
  { readonly words: readonly (readonly [language: string, word: string])[] },
  readonly (readonly string[])[] | null
>("stems_of_words");
const noteRead = sqlLoneFunction<{ readonly lines: readonly ReadLine[] }, object>("note_read");

/** Reads lines that no search finds yet, the newest first, until there are none or `isEnough` says so, which is asked after each page. */
export async function readLines(database: Database, isEnough: () => boolean): Promise<void> {
  const [next, note, read] = [linesToRead(database), noteRead(database), createReader(database)];
  let lines: readonly UnreadLine[];
  do {
    lines = (await next({ most: pageLines })) ?? [];
    for (const page of pagesOf(lines.map(toWords))) await note({ lines: await read(page) });
  } while (lines.length === pageLines && !isEnough());
}

function toWords({ markdown, ...line }: UnreadLine): SplitLine {
  const words = wordsOf(markdown ?? "");
  return { ...line, words, language: languageOf(words) ?? "" };
}

/** Each word is stemmed once: stems take most of the time. */
function createReader(database: Database) {
  const stem = stemsOfWords(database);
  const known = new Map<string, readonly string[]>();
  return async (lines: readonly SplitLine[]): Promise<readonly ReadLine[]> => {
    if (known.size > mostKnown) known.clear();
    const words = new Map(lines.flatMap(wordsToStem));
    const unknown = [...words].filter(([key]) => !known.has(key));
    const stems = unknown.length === 0 ? [] : await stem({ words: unknown.map(([, word]) => word) });
    for (const [n, [key]] of unknown.entries()) known.set(key, stems?.[n] ?? []);
    return lines.map(({ words, language, ...line }) => {
      const found = wordsToStem({ words, language }).flatMap(([key]) => known.get(key) ?? []);
      return { ...line, terms: [...words, ...signsOf(words), ...found], length: words.length };
    });
  };
}

function wordsToStem({ words, language }: Pick<SplitLine, "words" | "language">) {
  const different = new Set(words.slice(0, mostStemmed));
  return [...different].map((word) => [`${language} ${word}`, [language, word] as const] as const);
}

function pagesOf(lines: readonly SplitLine[]): readonly (readonly SplitLine[])[] {
  const pages: SplitLine[][] = [];
  let room = 0;
  for (const line of lines) {
    room -= line.words.length;
    if (room < 0 || pages.length === 0) {
      pages.push([]);
      room = pageWords - line.words.length;
    }
    pages.at(-1)?.push(line);
  }
  return pages;
}
