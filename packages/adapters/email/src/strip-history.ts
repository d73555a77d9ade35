import { historyStart } from "./history-start.ts";
import { bareLines } from "./quoted-lines.ts";
import { type Author, programLineStart, signatureStart } from "./signatures.ts";

/** What the head of a mail tells of the thread that its text may quote. */
export interface QuotedThread {
  readonly subject: string;
  /** It names a mail that it answers, whoever wrote that. */
  readonly isAnswer: boolean;
  /** One of the mails before it is ours. */
  readonly isOurs: boolean;
  /** Our own address. */
  readonly address: string;
  readonly author?: Author;
}

export interface OwnWords {
  readonly text: string;
  /** Earlier messages, quoted below, are not in the text. */
  readonly hasHistory: boolean;
  readonly hasSignature: boolean;
}

/**
 * What the sender wrote this time: without the history that their program quotes at the end, and without the signature.
 * What is not surely history stays, and so does all that is passed on. A quote between the lines stays, marked with `>`,
 * because the words around it answer it. When nothing would be left, the text stays as it is.
 */
export function stripHistory(text: string, thread: QuotedThread): OwnWords {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const start = historyStart(bareLines(lines), thread);
  const words =
    start === "forward" ? undefined : start < lines.length ? own(lines, start, thread) : aboveSignature(lines, thread);
  const whole = { text: lines.join("\n").trim(), hasHistory: false, hasSignature: false };
  return words === undefined || words.text === "" ? whole : words;
}

/** Below what is quoted there may stand a signature, or what a program adds: that is no answer to the quote. */
function aboveSignature(lines: readonly string[], thread: QuotedThread): OwnWords {
  const above = lines.slice(0, endOf(lines, thread.author));
  const start = above.length === lines.length ? lines.length : historyStart(bareLines(above), thread);
  if (start === "forward" || start >= above.length) return own(lines, lines.length, thread);
  return { ...own(above, start, thread), hasSignature: signatureStart(lines, thread.author) < lines.length };
}

function own(lines: readonly string[], start: number, { author }: QuotedThread): OwnWords {
  const above = lines.slice(0, start);
  return {
    text: above.slice(0, endOf(above, author)).join("\n").trim(),
    hasHistory: start < lines.length,
    hasSignature: signatureStart(above, author) < above.length,
  };
}

/** The number of lines before the signature and what a program adds. */
function endOf(lines: readonly string[], author: Author | undefined): number {
  return programLineStart(lines.slice(0, signatureStart(lines, author)));
}
