import type { Conversation, GrantOffer, GrantScope, Role } from "@talaria/protocol";
import { codeOf } from "../marks.ts";
import { capital, inWords, placeName } from "./spans.ts";

const scopeNames = { session: "For this conversation", always: "Always" } as const satisfies Record<GrantScope, string>;

/** What people read who are asked for an approval. Markdown. */
export const approvalNotices = {
  /** `text` is what would be done, as the person who decides has to see it. */
  asksApproval: (asked: Asked) => [asked.text, ...more([asked]), howToDecide(asked)].join("\n\n"),
  /** Above what an earlier release asks. */
  earlier: "**May I do this?**",
  /** The same of several calls: each has its place in the list. */
  asksApprovals: ({ calls, ...about }: AskedTogether) =>
    [
      `**May I do these ${calls.length} things?**`,
      ...calls.map(({ text }, index) => `**${index + 1}.** ${text}`),
      ...more(calls),
      howToDecideAll({ calls, ...about }),
    ].join("\n\n"),
  /** Stands above a question at an owner's home. */
  askedElsewhere: (names: readonly string[], place: Conversation) =>
    `Asked by ${names.length === 0 ? "nobody in particular" : names.map(codeOf).join(", ")} in ${placeName(place)}:`,
  approve: "Approve",
  deny: "Deny",
  grants: scopeNames,
  takeBack: "Take it back",
  takeBackNumber: (n: number) => `Take back ${n}`,
  approveNumber: (n: number) => `Approve ${n}`,
  denyNumber: (n: number) => `Deny ${n}`,
  grantNumber: (n: number, scope: GrantScope) => (scope === "session" ? `${n} for this conversation` : `${n} always`),
  approveAll: "Approve all",
  denyAll: "Deny all",
} as const;

/** Whether somebody sees the question who can decide: where it stands, only at an owner's home, or nowhere yet. */
export type Reach = "here" | "group" | "elsewhere" | "nowhere";

interface Deciding {
  readonly approver: Role;
  readonly endsInMs: number;
  readonly reach: Reach;
}

interface Listed {
  readonly text: string;
  /** So many characters of it are not shown. */
  readonly leftOut: number;
  readonly id: string;
  readonly offer?: GrantOffer | undefined;
}

type Asked = Deciding & Listed;

interface AskedTogether extends Deciding {
  readonly calls: readonly Listed[];
}

function more(calls: readonly Listed[]): readonly string[] {
  const commands = calls.flatMap(({ id, leftOut }) => (leftOut > 0 ? [`\`/approvals ${id}\``] : []));
  return commands.length === 0 ? [] : [`${commands.join(", ")}: what is cut above.`];
}

function howToDecide({ approver, id, endsInMs, offer, reach }: Asked): string {
  const [who, within] = [approver === "owner" ? "an owner" : "a member", inWords(endsInMs)];
  const here = `${capital(who)} can decide within ${within}: tap a button, or write \`/approve ${id}\` or \`/deny ${id}\`.`;
  const offers = offered(id, offer);
  const takesBack = `\`/deny ${id}\` takes it back.`;
  switch (reach) {
    case "here":
      return `${here}${offers}`;
    case "group":
      return `${here} ${noHome}${offers}`;
    case "elsewhere":
      return `Only ${who} can decide this, within ${within}. I've asked where owners want to be asked. ${takesBack}`;
    case "nowhere":
      return `Only ${who} can decide this, within ${within}, and I could ask nobody. An owner has to write to me in a direct conversation: \`/approve ${id}\` for this${approver === "owner" ? ", or `/sethome` for all that waits" : ""}. ${takesBack}`;
    default:
      return reach satisfies never;
  }
}

function howToDecideAll({ approver, endsInMs, reach, calls }: AskedTogether): string {
  const [who, within] = [approver === "owner" ? "an owner" : "a member", inWords(endsInMs)];
  const numbers = calls.map(({ id }, index) => `${index + 1} is ${codeOf(id)}`).join(", ");
  const offers = calls.map(({ id, offer }) => offered(id, offer)).join("");
  const here = `${capital(who)} can decide within ${within}: tap a button, or answer this message with \`approve 1\`, \`deny 1\`, \`approve all\` or \`deny all\`. \`/approve\` and \`/deny\` take a number: ${numbers}.`;
  const takesBack = "`/deny` and its number takes one back.";
  switch (reach) {
    case "here":
      return `${here}${offers}`;
    case "group":
      return `${here} ${noHome}${offers}`;
    case "elsewhere":
      return `Only ${who} can decide these, within ${within}. I've asked where owners want to be asked. \`/deny\` and its number takes one back: ${numbers}.`;
    case "nowhere":
      return `Only ${who} can decide these, within ${within}, and I could ask nobody. An owner has to write to me in a direct conversation: \`/approve\` and a number (${numbers})${approver === "owner" ? ", or `/sethome` for all that waits" : ""}. ${takesBack}`;
    default:
      return reach satisfies never;
  }
}

const noHome = "No owner is asked anywhere else: one who writes `/sethome` to me in a direct conversation is.";

/** `covers` is what the policy found, such as `web_fetch: https://example.com/*`. */
function offered(id: string, offer: GrantOffer | undefined): string {
  if (offer === undefined) return "";
  const scopes = offer.scopes.map((scope) => `${scopeNames[scope]} (\`/approve ${id} ${scope}\`) ${scopeWords[scope]}`);
  return `\n\nLater calls of ${offer.covers}: ${scopes.join("; ")}.`;
}

const scopeWords = {
  session: "covers them until the conversation begins anew",
  always: "covers them in every conversation of this account",
} as const satisfies Record<GrantScope, string>;
