import type { Settlement } from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";
import { codeOf, listed } from "../marks.ts";
import { plainLine } from "../shown-words.ts";
import { notices } from "./notices.ts";
import { inOne } from "./spans.ts";

type Calls = readonly Pick<OpenCall, "id" | "shown" | "words">[];

/** Of what was asked together: its places that were decided now, and those that still wait. From 1 on. */
interface Places {
  readonly decided: readonly number[];
  readonly left: readonly number[];
}

/** What people read who decide what they were asked, or try to. Markdown. */
export const decisionNotices = {
  done: (name: Verb, { decided, left }: Places) => {
    const done = name === "approve" ? "Approved" : "Denied";
    if (left.length > 0)
      return `${done} ${places(decided)}; ${places(left)} still ${left.length === 1 ? "waits" : "wait"}.`;
    return decided.length === 1 ? `${done}.` : `${done} all ${decided.length}.`;
  },
  /** Several wait, and nothing says which of them is meant. */
  whichOne: (name: Verb, waiting: Calls) => `${nothing(name)}: several questions wait. ${notices.waiting(waiting)}`,
  /** `waiting`: what waits here. */
  takes: (name: Verb, waiting: Calls) => {
    const needs = `\`/${name}\` needs the number of a question that waits, unless only one does. \`all\`, and places such as \`2\`, work only in a reply to the question itself.`;
    return `${nothing(name)}. ${needs}${waiting.length === 0 ? "" : ` ${notices.waiting(waiting)}`}`;
  },
  /** After words that only look like a decision. `isList`: the message asks about several things. */
  howToDecide: (isList: boolean) =>
    isList
      ? "Nothing is decided yet. To decide, press a button, or reply with a place or all, such as `approve 2` or `deny all`."
      : "Nothing is decided yet. To decide, press a button, or reply `approve` or `deny`.",
  /** The same of a question about a person or a group, with its buttons. */
  howToChoose: (labels: readonly string[]) =>
    `Nothing is decided yet. To decide, press a button, or reply with one of these words: ${listed(labels)}.`,
  /** Of one or several that do not wait. Undecided ones: somebody may have been quicker. */
  decidedBefore: (calls: readonly Pick<OpenCall, "settlement" | "isOverdue" | "settledBy" | "isTakenBack">[]) => {
    const ends = new Set(calls.map(endOf));
    const [end] = ends;
    if (ends.size !== 1 || end === undefined) return "That's already decided, or it has expired.";
    const by = new Set(calls.map(({ settledBy }) => settledBy));
    return ended[end](by.size === 1 ? named([...by][0]) : "");
  },
} as const;

const ended = {
  approved: (by) => `That was already approved${by}.`,
  denied: (by) => `That was already denied${by}.`,
  taken_back: (by) => `That was already taken back${by}.`,
  answered: (by) => `That was already answered${by}.`,
  cancelled: () => "This was stopped before anybody decided.",
  expired: () => "Nobody decided this in time, so it has expired.",
} as const satisfies Record<Settlement | "taken_back", (by: string) => string>;

function endOf({
  settlement,
  isOverdue,
  isTakenBack,
}: Pick<OpenCall, "settlement" | "isOverdue" | "isTakenBack">): keyof typeof ended | undefined {
  if (isTakenBack) return "taken_back";
  return settlement ?? (isOverdue ? "expired" : undefined);
}

/** People choose their names. */
function named(by: string | undefined): string {
  const name = plainLine(by ?? "", longestName);
  return name === "" ? "" : ` by ${codeOf(name)}`;
}

const longestName = 40;

type Verb = "approve" | "deny";

function nothing(name: Verb): string {
  return name === "approve" ? "Nothing was approved" : "Nothing was denied";
}

/** `1`, `1 and 3`, `1, 2 and 4`. */
function places(numbers: readonly number[]): string {
  return inOne(numbers.map(String));
}
