import { notices as agentNotices } from "@talaria/agent";
import type { Charge } from "@talaria/policy";
import type { GrantOffer, Role } from "@talaria/protocol";

const minuteMs = 60_000;

/** All texts that the worker itself sends to people. The reasons why a turn failed are in `@talaria/agent`. */
export const notices = {
  /** Stands for the question in lists of what waits. */
  askedByCall: "A call that runs has asked something.",
  takesWords: (id: string, isDirect: boolean) =>
    isDirect
      ? "Your next words here are the answer; `/stop` ends everything."
      : `To answer in words, reply to this message, or write \`/answer ${id}\` and your answer behind it.`,
  /** A limit of `limits.spending` is reached; people may write again in `endsInMs`. */
  spent: (limit: SpentLimit, endsInMs: number) => `${reachedIn(limit)} Please write again in ${inWords(endsInMs)}.`,
  /** `shown` is what would be done, as the person who decides has to see it. */
  asksApproval: ({ shown, approver, id, endsInMs, offer }: Approval) =>
    `**May I do this?**\n\n${shown}\n\n${approver === "owner" ? "An owner" : "A member"} can decide within ${inWords(endsInMs)}: tap a button, or write \`/approve ${id}\` or \`/deny ${id}\`.${offered(id, offer)}`,
  /** Stands above a question at an owner's home. */
  askedElsewhere: (names: readonly string[], place: string, accountId: string) =>
    `Asked by ${names.length === 0 ? "nobody in particular" : names.map(codeOf).join(", ")} in ${codeOf(place)} on ${codeOf(accountId)}:`,
  approve: "Approve",
  deny: "Deny",
  grants: { session: "For this conversation", always: "Always" },
  /** The same in the middle of a turn that has made `calls`. Undefined: which limit it was is not known. */
  spentMeanwhile: (limit: SpentLimit | undefined, endsInMs: number, calls: number) => {
    const stopped = calls === 0 ? "I stopped here." : `I stopped here after ${counted(calls, "call")}.`;
    const reason = limit === undefined ? "A limit was reached." : reachedIn(limit);
    return `${stopped} ${reason} Say "continue" in ${inWords(endsInMs)} to go on.`;
  },
  timedOut: agentNotices.time_limit,
  crashLoop: "I couldn't finish this: something kept failing. The operator can find the reason in the log.",
} as const;

type SpentLimit = Pick<Charge, "scope" | "unit" | "windowMs">;

function reachedIn({ scope, unit, windowMs }: SpentLimit): string {
  const whose = {
    person: ["You've reached", "your"],
    conversation: ["This conversation has reached", "its"],
    account: ["I've reached", "my"],
    total: ["I've reached", "my"],
  } as const;
  const [who, its] = whose[scope];
  const limits = {
    turns:
      windowMs <= minuteMs
        ? `${scope === "person" ? "the" : its} limit of messages per minute`
        : `${its} daily limit of messages`,
    tokens: `${its} daily limit of tokens`,
    money: `${its} monthly limit of money`,
  };
  return `${who} ${limits[unit]}.`;
}

/** As it is, whatever somebody calls themselves. */
function codeOf(text: string): string {
  return `\`${text.replace(/[`\s]+/g, " ").trim()}\``;
}

/** `covers` is what the policy found, such as `web_fetch: https://example.com/*`. */
function offered(id: string, offer: GrantOffer | undefined): string {
  if (offer === undefined) return "";
  const commands = offer.scopes.map((scope) => `\`/approve ${id} ${scope}\``).join(" or ");
  return ` ${commands} also covers later calls of ${offer.covers}.`;
}

interface Approval {
  readonly shown: string;
  readonly approver: Role;
  readonly id: string;
  readonly endsInMs: number;
  readonly offer: GrantOffer | undefined;
}

/** Rounded up, in the largest unit that fits: `40 seconds`, `12 minutes`, `5 hours`, `30 days`. */
function inWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  const hours = Math.ceil(minutes / 60);
  if (minutes < 120) return counted(minutes, "minute");
  return hours < 48 ? counted(hours, "hour") : counted(Math.ceil(hours / 24), "day");
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
