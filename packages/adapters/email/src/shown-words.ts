import type { QuotedThread } from "./quoted-thread.ts";
import type { OwnWords } from "./strip-history.ts";

/** The file that has the whole text where some of it is not shown. */
export const wholeName = "whole-mail.txt";

export interface ShownWords {
  readonly text: string;
  /** The end of it that others wrote. */
  readonly quoted: string;
  /** What of the mail is not in the text; each a sentence without brackets. */
  readonly remarks: readonly string[];
  /** Something is left out that neither the text nor the session has. */
  readonly needsFile: boolean;
}

/** Of what was quoted no more is shown, in UTF-16 units. */
const longestHistory = 20_000;
/** Of all words: with invitations and remarks beside them it has to be a message of at most 100,000, the default of `limits.textChars`. */
const longestText = 75_000;

/** What is shown of a mail: the sender's words, and below them what they quote of a thread in which no mail was ours. */
export function shownWords(words: OwnWords, { isOurs }: QuotedThread): ShownWords {
  if (words.text.startsWith("/")) return { text: words.text, quoted: "", remarks: [], needsFile: false };
  const quoted = isOurs ? "" : upTo(longestHistory, words.quoted);
  const whole = [words.text, quoted].filter(Boolean).join("\n\n");
  const text = upTo(longestText, whole);
  const own = words.text.length - words.passedOn.length;
  const shown = { text, quoted: quoted === "" && words.passedOn === "" ? "" : text.slice(own).trim() };
  if (text !== whole) return { ...shown, remarks: [cutText], needsFile: true };
  const remark = isOurs ? remarkOnHistory[words.history] : quoted === words.quoted ? undefined : cutHistory;
  if (remark?.needsFile) return { ...shown, remarks: [remark.text], needsFile: true };
  const signature = words.hasSignature ? ["signature left out"] : [];
  return { ...shown, remarks: [...(remark === undefined ? [] : [remark.text]), ...signature], needsFile: false };
}

const cutText = `the text is cut here because it is too long; more of it stands in ${wholeName}`;
/** Of a history that is left out. */
const remarkOnHistory = {
  none: undefined,
  sure: { text: "earlier messages left out", needsFile: false },
  likely: { text: `earlier messages left out; they stand in ${wholeName}`, needsFile: true },
} as const;
const cutHistory = {
  text: `earlier messages are cut here; the whole stands in ${wholeName}`,
  needsFile: true,
} as const;

/** The beginning of a text, whole lines if they are not too long. Of a history it is the newest: each mail quotes below it. */
function upTo(length: number, text: string): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length).toWellFormed();
  const end = cut.lastIndexOf("\n");
  return (end > length / 2 ? cut.slice(0, end) : cut).trimEnd();
}
