import { type Fact, mostFactChars } from "@talaria/protocol";
import { quoted } from "../shown-words.ts";

const dayChars = "2026-11-20".length;

const howTo =
  "`/memory forget` with a number forgets one, `/memory forget everything` all of it, and `/memory correct` with a number and words puts " +
  "those in its place.";
const until = "What is open now knows it until `/new`.";

/** What `/memory` answers. */
export const factNotices = {
  kept: (facts: readonly Fact[], more: number, isDirect: boolean) =>
    [
      isDirect ? "What I keep of you, for other conversations with you:" : "What I keep of this group:",
      facts.map(lineOf).join("\n"),
      more === 0 ? howTo : `There are ${more} more: ask me for them. ${howTo}`,
    ].join("\n\n"),
  nothing: (isDirect: boolean) =>
    isDirect
      ? "I keep nothing of you beyond this conversation."
      : "I keep nothing of this group, or nothing that you taught me.",
  nothingHere: "I keep nothing here: that needs a conversation with people whom I know for certain.",
  none: (number: string) => `I keep nothing under ${number} here. \`/memory\` lists what there is.`,
  notYours: (number: string) => `Somebody else has taught me ${number}: they can have it forgotten, or an owner.`,
  forgotten: (fact: Fact) => `Forgotten: ${quoted(fact.text, mostFactChars)}. ${until}`,
  forgottenAll: (isDirect: boolean) =>
    `Forgotten: ${isDirect ? "everything that I kept of you" : "what I kept of this group"}, also what had been replaced. ${until}`,
  corrected: (text: string) => `From now on I know instead: ${quoted(text, mostFactChars)}. ${until}`,
  notCorrected: (number: string) =>
    `Nothing was corrected: either I keep nothing under ${number} any more, or there is no room for so many words. \`/memory\` lists what there is.`,
  tooLong: (length: number) => `A fact has at most ${mostFactChars} characters, yours has ${length}: say it shorter.`,
  usage: `\`/memory\` lists what I keep. ${howTo}`,
} as const;

function lineOf({ id, text, trust, confirmedAt, scope, uses }: Fact): string {
  const about = scope === "agent" ? ", about my work" : scope === "workspace" ? ", about the files here" : "";
  const guess = trust === "inferred" ? ", a guess" : "";
  const used = uses === 0 ? "" : `, used ${uses === 1 ? "once" : `${uses} times`}`;
  return `- \`${id}\` ${quoted(text, mostFactChars)} (${confirmedAt.slice(0, dayChars)}${about}${guess}${used})`;
}
