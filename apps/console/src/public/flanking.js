// Written by scripts/generate-console-markdown.ts.
/** `a*b` and `2*x`: one sign between numbers or single letters is no mark. */
export function isArithmetic(markdown, offset) {
  operation.lastIndex = offset;
  return operation.test(markdown);
}

const operation = /(?<=(?<![A-Za-z\d])(?:[A-Za-z]|\d{1,15}))\*(?=[A-Za-z](?![A-Za-z\d])|\d)/y;

/** Letters that are written without blanks between words, and their punctuation. */
export function isEastAsian(character) {
  return eastAsian.test(character);
}

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;
