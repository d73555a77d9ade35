/**
 * Splits a structured header field (RFC 5322, section 3.2) into statements at `;`, and each statement into words. Comments
 * and white space separate words, except around the first `=` of a word. Quoted strings stay as they are written, with
 * their quotes. Undefined for a field that is malformed or that two programs could read differently. One pass.
 */
export function statementsOf(field: string): readonly (readonly string[])[] | undefined {
  const statements: string[][] = [[]];
  let hasGap = true;
  for (let at = 0; at < field.length; ) {
    const piece = pieceAt(field, at);
    if (piece === undefined) return undefined;
    at += piece.length;
    if (isGap(piece)) hasGap = true;
    else {
      if (piece === ";") statements.push([]);
      else append(statements.at(-1) ?? [], piece, hasGap);
      hasGap = piece === ";";
    }
  }
  return statements;
}

function isGap(piece: string): boolean {
  return piece.startsWith("(") || piece.trim() === "";
}

function append(words: string[], piece: string, hasGap: boolean): void {
  const last = words.at(-1);
  if (last !== undefined && (!hasGap || isAroundEquals(last, piece))) words[words.length - 1] = last + piece;
  else words.push(piece);
}

/** The whole text of a quoted string without its quotes; any other word as it is. */
export function unquoted(word: string): string {
  return wholeQuotedString.test(word) ? word.slice(1, -1).replace(/\\([\s\S])/g, "$1") : word;
}

const wholeQuotedString = /^"(?:\\[\s\S]|[^"\\])*"$/;

/** A quoted string, white space, a single special character, or what stands between those. */
const simplePiece = /"(?:\\[\s\S]|[^"\\])*"|\s+|[^\s"();=]+|[;=]/y;

/** The piece that begins at `at`. Undefined where a quoted string or a comment does not end, or a comment was never begun. */
function pieceAt(field: string, at: number): string | undefined {
  if (field[at] === "(") {
    const end = commentEnd(field, at);
    return end === undefined ? undefined : field.slice(at, end);
  }
  simplePiece.lastIndex = at;
  return simplePiece.exec(field)?.[0];
}

/** Only the first `=` separates a name from its value: a value may end in `=`, as base64 does. */
function isAroundEquals(word: string, next: string): boolean {
  const equals = word.indexOf("=");
  return equals === -1 ? next === "=" : equals === word.length - 1;
}

/**
 * Where the comment that begins at `start` ends. Comments nest. Quotes mean nothing in a comment, but some servers copy a
 * quoted local part into one without escapes: parentheses inside quotes then belong to the sender, so the field is refused.
 */
export function commentEnd(field: string, start: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < field.length; at += 1) {
    const character = field[at];
    if (character === "\\") at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === "(" || character === ")") {
      if (isQuoted) return undefined;
      depth += character === "(" ? 1 : -1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
