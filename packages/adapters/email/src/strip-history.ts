import { passedOnFrom } from "./forwards.ts";
import { type HistoryStart, historyStart } from "./history-start.ts";
import { bareLines } from "./quoted-lines.ts";
import type { Author, QuotedThread } from "./quoted-thread.ts";
import { programLineStart, signatureStart } from "./signatures.ts";

export interface OwnWords {
  readonly text: string;
  /** The earlier messages, as they stand below; empty where there are none. */
  readonly quoted: string;
  /** Earlier messages, quoted below, are not in the text; `likely`: it is not sure that they are that. */
  readonly history: "none" | "likely" | "sure";
  readonly hasSignature: boolean;
  /** The end of the text, which somebody else wrote and the sender passes on; empty for nothing. */
  readonly passedOn: string;
}

/**
 * What the sender wrote this time: without the history that their program quotes at the end, and without the signature.
 * What is not surely history stays, and so does all that is passed on. A quote between the lines stays, marked with `>`,
 * because the words around it answer it. When nothing would be left, the text stays as it is.
 */
export function stripHistory(text: string, thread: QuotedThread): OwnWords {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const start = historyStart(bareLines(lines), thread);
  const words = start === "forward" ? undefined : start ? above(lines, start, thread) : aboveSignature(lines, thread);
  const passedOn =
    start === "forward"
      ? lines
          .slice(passedOnFrom(bareLines(lines)))
          .join("\n")
          .trim()
      : "";
  const whole: OwnWords = { text: lines.join("\n").trim(), quoted: "", history: "none", hasSignature: false, passedOn };
  return words === undefined || words.text === "" ? whole : words;
}

/** Below what is quoted there may stand a signature, or what a program adds: that is no answer to the quote. */
function aboveSignature(lines: readonly string[], thread: QuotedThread): OwnWords {
  const own = lines.slice(0, endOf(lines, thread.author));
  const start = own.length === lines.length ? undefined : historyStart(bareLines(own), thread);
  const hasSignature = signatureStart(lines, thread.author) < lines.length;
  if (start === undefined || start === "forward")
    return { text: own.join("\n").trim(), quoted: "", history: "none", hasSignature, passedOn: "" };
  return { ...above(own, start, thread), hasSignature };
}

function above(lines: readonly string[], { at, isSure }: HistoryStart, { author }: QuotedThread): OwnWords {
  const own = lines.slice(0, at);
  return {
    text: own.slice(0, endOf(own, author)).join("\n").trim(),
    quoted: lines.slice(at).join("\n").trim(),
    history: isSure ? "sure" : "likely",
    hasSignature: signatureStart(own, author) < own.length,
    passedOn: "",
  };
}

/** The number of lines before the signature and what a program adds. */
function endOf(lines: readonly string[], author: Author | undefined): number {
  return programLineStart(lines.slice(0, signatureStart(lines, author)));
}
