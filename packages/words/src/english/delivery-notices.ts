import type { GrantScope } from "@talaria/protocol";
import type { GroupDecision, Standing } from "@talaria/store";

/**
 * What people read of what becomes of messages. Markdown. `by`, whoever decided as they call themselves, and names and choices are ready
 * to be shown.
 */
export const deliveryNotices = {
  /** Replaces a text with nothing left to show, so that nobody waits for it. */
  nothingToShow: "(This message has no text that can be shown here.)",
  /** Stands for a file that could not be sent. `name` and `size`, such as ` (4.8 MB)`, are ready to be shown. */
  notSent: (name: string, size: string, problem: string) => `(The file ${name}${size} could not be sent: ${problem}.)`,
  /** Stands above what may be there twice. */
  sentAgain: "_(Sent again: it may have arrived before.)_",
  /** Comes instead of an answer that was given up. */
  undelivered: "An answer may not have arrived here. Please ask again, or ask who runs me to send it again.",
  /** Below a question that was decided. */
  approvedBy: (by: string | undefined, scope: GrantScope | undefined) =>
    `✓ Approved${named(by)}${scope === undefined ? "" : ` (${scopes[scope]})`}`,
  deniedBy: (by: string | undefined) => `✗ Denied${named(by)}`,
  /** By whoever had asked for it. */
  takenBackBy: (by: string | undefined) => `✗ Taken back${named(by)}`,
  deniedByRule: "✗ Denied: the operator's rules forbid this now.",
  /** `choice` is absent where somebody answered in words of their own. */
  answeredBy: (by: string | undefined, choice: string | undefined) =>
    choice === undefined ? `✓ Answered${named(by)}` : `✓ Answered${named(by)}: ${choice}`,
  /** Below a question for which nobody who decides could be asked at first. */
  askedSince: "Since then I've asked an owner, in a direct conversation.",
  expired: "Expired: nobody decided in time.",
  /** Below a question about somebody who asked to talk to the agent. */
  aboutPerson: (standing: Standing, by: string | undefined) => `${standingWords[standing]}${named(by)}`,
  /** Below a question about a group. */
  aboutGroup: (decision: GroupDecision, by: string | undefined) => `${groupWords[decision]}${named(by)}`,
  /** Where a question can't be changed. `shown` is what was asked, ready to be shown. */
  forbidden: (shown: string) => `Not done: the operator's rules forbid this now.\n\n${shown}`,
  cancelled: "Stopped.",
  notDone: "Stopped: this was not done.",
  takesNoFiles: "this conversation does not accept files",
  takesFilesUpTo: (size: string) => `this conversation accepts files up to ${size}`,
  tooLarge: "it is too large for the platform",
  rejected: "the platform rejected it",
} as const;

const standingWords = {
  waiting: "Waits",
  approved: "✓ Let in",
  ignored: "Ignored for a day",
  blocked: "✗ Blocked",
  removed: "✗ Removed",
} as const satisfies Record<Standing, string>;

const groupWords = {
  allowed: "✓ Let in",
  ignored: "Ignored",
  left: "✗ Left",
} as const satisfies Record<GroupDecision, string>;

const scopes = { session: "for this conversation", always: "always" } as const;

function named(by: string | undefined): string {
  return by === undefined ? "" : ` by ${by}`;
}
