import { isAtLeast, type Role } from "@talaria/protocol";
import { type Power, powers } from "./powers.ts";
import { inOne } from "./spans.ts";

export interface WelcomeDeps {
  readonly agentName: string;
  readonly switchedOn?: readonly { readonly what: Power }[];
}

/** What `/start` answers: who the agent is, what whoever begins may do here, and where the commands are. Markdown. */
export function welcomeText(role: Role, { agentName, switchedOn = [] }: WelcomeDeps): string {
  const tools = isAtLeast(role, "member") ? [...new Set(switchedOn.map(({ what }) => powers[what]))] : [];
  const can = tools.length === 0 ? "" : ` I can use ${inOne(tools)}.`;
  return `Hi! I'm ${agentName}. Write to me, and I'll answer.${can}\n\n${more[role]}`;
}

const more = {
  owner:
    "You're an owner: you decide what others may not. `/sethome` has me ask you here, `/people` shows who may talk to me, and `/help` lists all commands.",
  member: "For some of what you ask, I need an owner's approval first. `/help` lists what you can do.",
  guest: "`/help` lists what you can do.",
  unverified:
    "I can't tell who wrote this, so commands that change something do nothing. `/help` lists what you can do.",
} as const satisfies Record<Role, string>;
