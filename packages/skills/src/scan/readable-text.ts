/** A text as rules read it, and the lines that it comes from. */
export interface ReadableText {
  /** NFKC, in lower case, with single blanks in place of line ends and others. */
  readonly plain: string;
  /** Of a place in `plain`, counted from 1. */
  lineAt(index: number): number;
}

/** A sentence that is broken over lines is found as well as one that isn't. */
export function readableText(text: string): ReadableText {
  const starts: number[] = [];
  const lines: number[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const [index, line] of text.split(/\r\n?|[\n\u2028\u2029\u0085]/).entries()) {
    const part = line
      .normalize("NFKC")
      .replace(/[’‘]/g, "'")
      .replace(/\\$/, "")
      .replace(/\s+/g, " ")
      .trim()
      .toLowerCase();
    if (part === "") continue;
    starts.push(length);
    lines.push(index + 1);
    parts.push(part);
    length += part.length + 1;
  }
  return {
    plain: parts.join(" "),
    lineAt: (index) => lines[starts.findLastIndex((start) => start <= index)] ?? 1,
  };
}
