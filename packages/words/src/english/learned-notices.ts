import { type Fact, mostFactChars } from "@talaria/protocol";
import { codeOf } from "../marks.ts";
import { quoted } from "../shown-words.ts";

const dayChars = "2026-11-20".length;

/** What `/learned` answers. Markdown. */
export const learnedNotices = {
  list: (
    facts: readonly LearnedFactLine[],
    skills: readonly LearnedSkillLine[],
    more: { readonly facts: number; readonly skills: number },
    isDirect: boolean,
  ) =>
    [
      ...(facts.length === 0
        ? [isDirect ? "Of you I have learnt nothing." : "Of this group I have learnt nothing."]
        : [
            isDirect ? "What I have learnt of you:" : "What I have learnt of this group:",
            [...facts.map(factLine), ...moreLine(more.facts)].join("\n"),
          ]),
      ...(skills.length === 0
        ? ["No skill that counts here have I learnt."]
        : [
            "How I have learnt to do things:",
            [...skills.map(skillLine), ...moreLine(more.skills)].join("\n"),
            "`/learned wrong` with the name of a skill says that its last use has failed; after two in a row I set it aside.",
          ]),
    ].join("\n\n"),
  nothingHere: "I learn nothing here: that needs a conversation with people whom I know for certain.",
  usage:
    "`/learned` lists what I have learnt, `/learned forget` with the name of a skill forgets it, and `/learned wrong` with its name says that its last use has failed. Facts go by `/memory forget` and their number.",
  noSkill: (name: string) => `I have learnt no skill ${codeOf(name)} here. \`/learned\` lists what there is.`,
  notYours: (name: string) =>
    `The skill ${codeOf(name)} is not yours alone to forget: an owner can, with the same command.`,
  forgotten: (name: string) =>
    `Forgotten: the skill ${codeOf(name)}, in all its versions. What is open now knows its name until \`/new\`.`,
  failed: (name: string) =>
    `Noted: the last use of ${codeOf(name)} has failed. After two in a row I set it aside, and tell the owners.`,
  notUsed: (name: string) => `No use of ${codeOf(name)} is known that you could mean, or it has failed already.`,
} as const;

export interface LearnedFactLine extends Pick<Fact, "id" | "text" | "trust" | "createdAt"> {
  /** Who taught it; `you` where that is whoever reads it. */
  readonly by?: string | undefined;
}

/** A skill as whoever asks may know it. */
export interface LearnedSkillLine {
  readonly name: string;
  readonly learntAt: string;
  /** `here`, or a conversation that an owner may know. */
  readonly place?: "here" | { readonly name: string } | undefined;
  readonly by?: string | undefined;
  readonly isByReader?: boolean;
  readonly isAccepted: boolean;
  readonly isArchived: boolean;
  readonly isSetAside: boolean;
  /** Whoever asks may have it forgotten. */
  readonly isTheirs: boolean;
}

function factLine({ id, text, trust, createdAt, by }: LearnedFactLine): string {
  const from = by === undefined ? [] : [by === "you" ? "from you" : `from ${quoted(by)}`];
  const details = [createdAt.slice(0, dayChars), ...from, ...(trust === "inferred" ? ["a guess"] : [])];
  return `- ${quoted(text, mostFactChars)} (${details.join(", ")}): \`/memory forget ${id}\``;
}

function skillLine(skill: LearnedSkillLine): string {
  const { name, learntAt, place, by, isByReader, isTheirs } = skill;
  const where = place === undefined ? [] : [place === "here" ? "here" : `in ${codeOf(place.name)}`];
  const from = isByReader ? ["from you"] : by === undefined ? [] : [`from ${quoted(by)}`];
  const details = [[learntAt.slice(0, dayChars), ...where, ...from].join(" "), stateOf(skill)];
  return `- ${codeOf(name)} (${details.join(", ")})${isTheirs ? `: \`/learned forget ${name}\`` : ""}`;
}

function stateOf({ isAccepted, isArchived, isSetAside }: LearnedSkillLine): string {
  if (isArchived) return "in the archive";
  if (isSetAside) return "set aside, since it has failed twice";
  return isAccepted ? "accepted by an owner" : "waits for an owner to accept it";
}

function moreLine(count: number): readonly string[] {
  return count === 0 ? [] : [`There are ${count} more.`];
}
