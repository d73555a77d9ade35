const mostChars = 100;
/** More than a path of any use to somebody has. */
const mostPathChars = 500;

/** A word of a command line as an error names it: in quotes, without control characters, at most 100 characters of it. */
export function shownWord(word: string): string {
  return JSON.stringify(clipped(word, mostChars));
}

/** The same of a path, which is shown bare: at most 500 characters. */
export function shownPath(path: string): string {
  return clipped(path, mostPathChars);
}

/** A sentence that repeats words of a command line, with at most 100 characters of each. */
export function withShortWords(sentence: string): string {
  return sentence.replace(/[^\s']+/g, (word) => clipped(word, mostChars));
}

function clipped(text: string, most: number): string {
  const characters = [...text.slice(0, 2 * most + 2)];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
