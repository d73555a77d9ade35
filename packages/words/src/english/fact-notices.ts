import { type Fact, type FactFault, mostFactChars } from "@talaria/protocol";
import { quoted } from "../shown-words.ts";

const dayChars = "2026-11-20".length;

const forgets = "`/memory forget` with a number forgets one, `/memory forget everything` all of it";
const howTo = `${forgets}, and \`/memory correct\` with a number and words puts those in its place.`;
const exportsAll = "In private, `/memory export` gives you all that I keep of you as a file.";
const until = "What is open now knows it until `/new`.";

/** What `/memory` answers. */
export const factNotices = {
  kept: (
    facts: readonly Fact[],
    more: number,
    { isDirect, isOff }: { readonly isDirect: boolean; readonly isOff: boolean },
  ) =>
    [
      isOff
        ? `What is still kept of ${isDirect ? "you" : "this group"}:`
        : isDirect
          ? "What I keep of you, for other conversations with you:"
          : "What I keep of this group:",
      facts.map(lineOf).join("\n"),
      [...(more === 0 ? [] : [`There are ${more} more.`]), isOff ? `${forgets}.` : howTo, exportsAll].join(" "),
    ].join("\n\n"),
  off: "My memory beyond conversations is off: I know nothing of what was kept, and keep nothing new. An operator turns it on with `memory: { enabled: true }` in the configuration.",
  notCorrectedOff:
    "Nothing was corrected, since my memory beyond conversations is off. You can still have what is kept forgotten: see `/memory`. An operator turns it on with `memory: { enabled: true }` in the configuration.",
  exported: (count: number) =>
    `All that I keep of you, with its sources and its archive: ${count === 1 ? "1 fact" : `${count} facts`}.`,
  exportInPrivate: "I give that to you alone: write `/memory export` to me in private.",
  takesNoFiles: (person: string) =>
    `I can send no files here. \`/memory\` lists what I know of you, and an operator exports all of it with \`talaria memory export ${person}\`.`,
  noRoomToExport:
    "There is no room left for the file: nothing was exported. An operator makes some, see `media` in the configuration, or exports it with `talaria memory export`.",
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
  faulty: (fault: FactFault) => `Nothing was corrected, since ${faults[fault]}.`,
  usage: `\`/memory\` lists what I keep. ${howTo} ${exportsAll}`,
} as const;

const faults: Readonly<Record<FactFault, string>> = {
  too_long: "these are too many words for a fact: say it shorter",
  unseen_characters: "there are characters in it that nobody sees, or that turn text round: type it anew",
  mixed_alphabets: "some of its words mix alphabets, and look like others than they are: type them anew",
  secret: "it looks like a password or a key, which I keep of nobody: leave that out",
  one_time_code: "it looks like a code for one use, which I keep of nobody: leave that out",
  order: "it's an order: say it as a fact, “prefers tables” rather than “always use tables”",
  sets_rules_aside: "it tells its reader to set rules aside: leave that out",
  gives_another_part: "it gives its reader another part to play: leave that out",
  kept_from_people: "it asks for something to be kept from people: leave that out",
  asks_for_prompt: "it asks for what its reader was told: leave that out",
  hides_part: "it hides a part of its text: write it without markup",
  sends_away: "it has something sent somewhere, or a command run: say it without the address or the command",
  sends_secrets: "it has secrets sent away: leave that out",
  points_at_keys: "it names files with keys: leave those out",
  changes_settings: "it has settings of agents or of a shell changed: leave that out",
};

function lineOf({ id, text, trust, confirmedAt, scope, uses }: Fact): string {
  const about = scope === "agent" ? ", about my work" : scope === "workspace" ? ", about the files here" : "";
  const guess = trust === "inferred" ? ", a guess" : "";
  const used = uses === 0 ? "" : `, used ${uses === 1 ? "once" : `${uses} times`}`;
  return `- \`${id}\` ${quoted(text, mostFactChars)} (${confirmedAt.slice(0, dayChars)}${about}${guess}${used})`;
}
