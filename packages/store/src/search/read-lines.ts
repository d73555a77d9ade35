import type { AccountId } from "@talaria/protocol";
import { languageOf, signsOf, wordsOf } from "@talaria/search";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";

/** Lines that one statement looks at, and words that one writes: some tenths of a second. */
const pageLines = 200;
const pageWords = 20_000;

interface UnreadLine {
  readonly isOurs: boolean;
  readonly lineId: string;
  readonly accountId: AccountId;
  /** Null: nothing is found of it. */
  readonly markdown: string | null;
}

interface ReadLine extends Omit<UnreadLine, "markdown"> {
  readonly words: readonly string[];
  readonly signs: readonly string[];
  readonly language?: string;
}

const linesToRead = sqlLoneFunction<{ readonly most: number }, readonly UnreadLine[] | null>("lines_to_read");
const noteRead = sqlLoneFunction<{ readonly lines: readonly ReadLine[] }, object>("note_read");

/** Reads lines that no search finds yet, the newest first, until there are none or `isEnough` says so, which is asked after each page. */
export async function readLines(database: Database, isEnough: () => boolean): Promise<void> {
  const [next, note] = [linesToRead(database), noteRead(database)];
  let lines: readonly UnreadLine[];
  do {
    lines = (await next({ most: pageLines })) ?? [];
    for (const page of pagesOf(lines.map(toRead))) await note({ lines: page });
  } while (lines.length === pageLines && !isEnough());
}

function toRead({ markdown, ...line }: UnreadLine): ReadLine {
  const words = wordsOf(markdown ?? "");
  const language = languageOf(words);
  return { ...line, words, signs: signsOf(words), ...(language !== undefined && { language }) };
}

function pagesOf(lines: readonly ReadLine[]): readonly (readonly ReadLine[])[] {
  const pages: ReadLine[][] = [];
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
