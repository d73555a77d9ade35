/** Drawn nowhere, but written around names in texts that run from right to left, and between letters. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The lines of a mail as they are compared: without white space at the ends, and without what nobody sees. */
export function bareLines(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(invisible, "").replaceAll("\u00a0", " ").trim());
}

export function isQuote(line: string): boolean {
  return line.startsWith(">");
}

/** What a quoted line quotes. */
export function unquoted(line: string): string {
  return line.replace(/^[>\s]+/, "");
}

/** The quotes of a mail. Each line was looked at once, however often it is asked about. */
export interface Quotes {
  /** From there on, only quoted lines follow, at least one. */
  isQuotedFrom(at: number): boolean;
  /** From there on, nothing is quoted. */
  isUnquotedFrom(at: number): boolean;
}

export function quotesOf(lines: readonly string[]): Quotes {
  const lastOwn = lines.findLastIndex((line) => line !== "" && !isQuote(line));
  const lastQuote = lines.findLastIndex(isQuote);
  const firstQuoteFrom: number[] = [];
  for (let at = lines.length - 1, next = lines.length; at >= 0; at -= 1) {
    if (isQuote(lines[at] ?? "")) next = at;
    firstQuoteFrom[at] = next;
  }
  return {
    isQuotedFrom: (at) => lastQuote >= at && lastOwn < (firstQuoteFrom[at] ?? lines.length),
    isUnquotedFrom: (at) => lastQuote < at,
  };
}
