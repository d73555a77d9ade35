/** What is read of a text. What comes after it is not found. */
const mostChars = 20_000;
/** A longer word is a key or an address that nobody types. */
const longestWord = 100;

const withoutSpaces =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const run = new RegExp(
  `[${withoutSpaces}][${withoutSpaces}\\p{M}]*|(?:(?![${withoutSpaces}])[\\p{L}\\p{N}\\p{M}])+`,
  "gu",
);
const startsWithoutSpaces = new RegExp(`^[${withoutSpaces}]`, "u");
const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Marks of Latin, Greek and Cyrillic letters. Those of other scripts tell words apart. */
const accents = /[\u0300-\u036f]/g;

/**
 * The words of a text in their order, in small letters and without accents. A script without spaces gives each pair of neighbouring
 * signs and the last sign alone: so each sign begins a word.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = plainOf(text);
  return (plain.match(run) ?? []).flatMap((part) =>
    startsWithoutSpaces.test(part) ? pairsOf(part) : part.length > longestWord ? [] : [part],
  );
}

/** The words that a question looks for: pairs are enough where there is one. A sign alone is the beginning of what it finds. */
export function soughtWordsOf(text: string): readonly SoughtWord[] {
  const plain = plainOf(text);
  return (plain.match(run) ?? []).flatMap((part): readonly SoughtWord[] => {
    if (!startsWithoutSpaces.test(part)) return part.length > longestWord ? [] : [{ word: part }];
    const pairs = pairsOf(part);
    return pairs.length === 1
      ? pairs.map((word) => ({ word, isBeginning: true }))
      : pairs.slice(0, -1).map((word) => ({ word }));
  });
}

export interface SoughtWord {
  readonly word: string;
  /** It finds every word that begins with it. */
  readonly isBeginning?: true;
}

/** The first signs of those words that are pairs of signs: what a sign alone finds. */
export function signsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    if (!startsWithoutSpaces.test(word)) return [];
    const [first = "", ...others] = [...graphemes.segment(word)].map(({ segment }) => segment);
    return others.length === 0 ? [] : [first];
  });
}

/** Whether such a word says something by itself: pairs of Japanese syllables are mostly endings and particles. */
export function isEnding(word: string): boolean {
  return /^\p{Script=Hiragana}+$/u.test(word);
}

function plainOf(text: string): string {
  return text.slice(0, mostChars).normalize("NFKD").replace(accents, "").normalize("NFC").toLowerCase();
}

function pairsOf(part: string): readonly string[] {
  const signs = [...graphemes.segment(part)].map(({ segment }) => segment);
  return signs.map((sign, n) => sign + (signs[n + 1] ?? ""));
}
