import type { AccountPolicy, BusyMode, Role } from "@talaria/protocol";
import { codeOf } from "../marks.ts";
import type { LeftLimit } from "./limits.ts";
import { type Power, powers } from "./powers.ts";
import { capital, inWords } from "./spans.ts";

const may = {
  owner: "may decide everything",
  member: "may use what I have; an owner approves some of it",
  guest: "may ask me things",
  unverified: "may ask; commands that change something do nothing",
} as const satisfies Record<Role, string>;

const activations = {
  mention: "I answer whoever names me or replies to me",
  reply: "I answer replies to me",
  keyword: "I answer my name, replies and keywords",
  always: "I answer every message",
} as const satisfies Record<AccountPolicy["groups"]["activation"], string>;

const busy = {
  queue: "messages that come while I work wait",
  steer: "I take in messages that come while I work",
  interrupt: "a message that comes while I work interrupts it",
} as const satisfies Record<BusyMode, string>;

/** What people read about what counts in a conversation. Markdown; `by` is the key or the command that made it so. */
export const settingsNotices = {
  role: (role: Role, by: string) => `- You: ${role}, and ${may[role]} (${by}, \`policy.rules\`)`,
  signedIn: "signed in",
  signed: "signed",
  unchecked: "nobody has checked the address",
  value: (what: "model" | "effort", value: string, by: string) => `- ${capital(what)}: ${codeOf(value)} (${by})`,
  ownEffort: (by: string) => `- Effort: the model's own (no ${by})`,
  tools: (on: readonly { readonly what: Power; readonly by: string }[], more: number, isGroup: boolean) => {
    const named = on.map(({ what, by }) => `${powers[what]} (${by})`);
    const here = isGroup ? "; in groups only what changes nothing, and what `policy.rules` allow" : "";
    return `- Switched on: ${on.length === 0 ? "nothing" : named.join(", ")}${more === 0 ? "" : `, and ${more} more`}${here}`;
  },
  noTools: (role: "guest" | "unverified") =>
    role === "guest"
      ? "- Tools: none for guests, but what `policy.rules` allow them"
      : "- Tools: none, since nobody has checked who you are",
  brokenTool: (what: Power, by: string, reason: string) => `- Doesn't work now: ${powers[what]} (${by}): ${reason}`,
  activation: (mode: AccountPolicy["groups"]["activation"], by: string) => `- Here ${activations[mode]} (${by})`,
  busy: (mode: BusyMode, by: string) => `- Here, ${busy[mode]} (${by})`,
  limit: ({ whose, what, endsInMs, liftedForMs }: LeftLimit, by: string) => {
    const renewed = endsInMs === undefined ? "" : `, renewed in ${inWords(endsInMs)}`;
    const lifted = liftedForMs === undefined ? "" : `, lifted for ${inWords(liftedForMs)} by \`/lift\``;
    return `- Left for ${whose}: ${what}${renewed}${lifted} (${by})`;
  },
  moreLimits: (count: number) => `- And ${count} more ${count === 1 ? "limit" : "limits"}: \`/usage\``,
  noLimits: (by: string) => `- No limit is set for you (${by})`,
} as const;
