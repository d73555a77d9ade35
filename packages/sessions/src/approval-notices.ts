import type { GrantOffer, Role } from "@talaria/protocol";

/** What people read who are asked for an approval. Markdown. */
export const approvalNotices = {
  /** `shown` is what would be done, as the person who decides has to see it. */
  asksApproval: (asked: Asked) => `**May I do this?**\n\n${asked.shown}\n\n${howToDecide(asked)}`,
  /** Stands above a question at an owner's home. */
  askedElsewhere: (names: readonly string[], place: string, accountId: string) =>
    `Asked by ${names.length === 0 ? "nobody in particular" : names.map(codeOf).join(", ")} in ${codeOf(place)} on ${codeOf(accountId)}:`,
  approve: "Approve",
  deny: "Deny",
  grants: { session: "For this conversation", always: "Always" },
} as const;

/** Whether somebody sees the question who can decide: where it stands, only at an owner's home, or nowhere yet. */
export type Reach = "here" | "group" | "elsewhere" | "nowhere";

interface Asked {
  readonly shown: string;
  readonly approver: Role;
  readonly id: string;
  readonly endsInMs: number;
  readonly offer: GrantOffer | undefined;
  readonly reach: Reach;
}

function howToDecide({ approver, id, endsInMs, offer, reach }: Asked): string {
  const [who, within] = [approver === "owner" ? "an owner" : "a member", inWords(endsInMs)];
  const here = `${capital(who)} can decide within ${within}: tap a button, or write \`/approve ${id}\` or \`/deny ${id}\`.${offered(id, offer)}`;
  switch (reach) {
    case "here":
      return here;
    case "group":
      return `${here} No owner is asked anywhere else: one who writes \`/sethome\` to me in a direct conversation is.`;
    case "elsewhere":
      return `Only ${who} can decide this, within ${within}. I've asked in a direct conversation with one.`;
    case "nowhere":
      return `Only ${who} can decide this, within ${within}, and I could ask nobody. An owner has to write to me in a direct conversation: \`/approve ${id}\` for this${approver === "owner" ? ", or `/sethome` for all that waits" : ""}.`;
    default:
      return reach satisfies never;
  }
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** As it is, whatever somebody calls themselves. */
export function codeOf(text: string): string {
  return `\`${text.replace(/[`\s]+/g, " ").trim()}\``;
}

/** `covers` is what the policy found, such as `web_fetch: https://example.com/*`. */
function offered(id: string, offer: GrantOffer | undefined): string {
  if (offer === undefined) return "";
  const commands = offer.scopes.map((scope) => `\`/approve ${id} ${scope}\``).join(" or ");
  return ` ${commands} also covers later calls of ${offer.covers}.`;
}

/** Rounded up, in the largest unit that fits: `40 seconds`, `12 minutes`, `5 hours`, `30 days`. */
export function inWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  const hours = Math.ceil(minutes / 60);
  if (minutes < 120) return counted(minutes, "minute");
  return hours < 48 ? counted(hours, "hour") : counted(Math.ceil(hours / 24), "day");
}

export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
