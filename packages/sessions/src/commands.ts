import { brandAs, isAtLeast, type Role, type TurnId } from "@talaria/protocol";
import { notices } from "./notices.ts";

/** Every control command, with the line that menus show, and `/help`. They have a lane of their own and never wait for a turn. */
export const commands = {
  help: "list these commands",
  new: "start a new conversation; `/resume` goes back to this one",
  resume: "list what I remember here, or go on with one by number or title",
  branch: "go on in a copy of this conversation; as a reply, from that message",
  undo: "take back the last question with its answer; `/undo 3` the last three",
  title: "show or set the title of this conversation",
  stop: "stop what I'm doing and drop waiting messages; `/stop all` ends processes, too",
  processes: "list what runs in the background; `/processes stop 2` ends one",
  status: "show what I'm doing",
  settings: "list what counts here, and why",
  search: "find what was said",
  where: "show where your last message stands; as a reply, that one",
  context: "show how full my window is, and what fills it",
  compact: "compress what I remember before the next answer",
  cost: "show what my last answer to you cost; as a reply, that one",
  model: "show or choose the model that answers here; `/model default` ends that",
  effort: "show or choose how much I think; `/effort default` ends that",
  usage: "show your usage in the last 30 days, and what is left",
  whoami: "show how I identify you",
  retry: "answer the last message again",
  approve: "say yes to my question: its number, or `all` as a reply to a list; then `session` or `always` if offered",
  deny: "say no to it; you may add a reason",
  answer: "answer a question of mine: its number, then the choice's number or words",
  approvals: "list what waits for your approval, and what you have agreed to",
  sethome: "ask me here, as an owner, what only an owner may decide; `/sethome off` ends it",
  people: "list and decide who may talk to me",
  lift: "lift a limit for a day, as an owner, by its notice's number",
  revoke: "end what you have agreed to, by its number",
  trust: "`/trust files`: say, as an owner, that you know what my files here hold",
} as const satisfies Record<string, string>;

/** Whoever has less than this role has no use for it. The others are everybody's; what each may change is `authorityOver`'s. */
const leastRoles: Partial<Readonly<Record<CommandName, "member" | "owner">>> = {
  approve: "member",
  deny: "member",
  approvals: "member",
  revoke: "member",
  sethome: "owner",
  people: "owner",
  lift: "owner",
  trust: "owner",
};

/** Whether somebody of this role is shown a command, also as what a mistyped one was meant to be. */
export function isFor(name: CommandName, role: Role): boolean {
  return isAtLeast(role, leastRoles[name] ?? "unverified");
}

/**
 * Telegram's apps send it when somebody opens a bot (core.telegram.org/bots/features#commands), and people try it elsewhere. No list shows
 * it: whoever has it needs it no more.
 */
const greeting = "start";

export type CommandName = keyof typeof commands | typeof greeting;

function isCommand(name: string): name is CommandName {
  return name === greeting || Object.hasOwn(commands, name);
}

const ofMemories = [
  "undo",
  "branch",
  "resume",
  "title",
  "context",
  "compact",
] as const satisfies readonly CommandName[];

/** Those that show or change what a session remembers. */
export type MemoryCommand = (typeof ofMemories)[number];

export function isMemoryCommand(name: CommandName): name is MemoryCommand {
  return (ofMemories as readonly CommandName[]).includes(name);
}

export interface GivenCommand {
  readonly name: CommandName;
  /** The rest of the text. */
  readonly argument?: string;
  /** The number of the choice that was meant, where `argument` names a question alone. */
  readonly choice?: number;
  /** The button that was pressed for all the calls that its message lists: `argument` is the first of them. */
  readonly list?: string;
  /** `/retry` means the answer of this turn alone. */
  readonly turnId?: TurnId;
}

/**
 * The command a text begins with. Only an ASCII slash at the start counts, followed by a known name and a space or the end;
 * anything else is a message for the agent. Spaces may stand before it: Slack's clients send no text that begins with a slash.
 */
export function parseCommand(markdown: string): GivenCommand | undefined {
  const [begin, name] = /^ *\/([a-z]+)(?:\s|$)/i.exec(markdown) ?? [];
  const known = name?.toLowerCase();
  if (begin === undefined || known === undefined || !isCommand(known)) return undefined;
  const argument = markdown.slice(begin.length).trim();
  return { name: known, ...(argument === "" ? {} : { argument }) };
}

const choiceButton = /^answer-([0-9a-f]{8})-([1-9]\d?)$/;
const liftButton = /^lift-([0-9a-f]{12})(?:-here)?$/;
const listButton = /^(approve|deny)all-([0-9a-f]{8})-[0-9a-f]{12}$/;
const retryButton = /^retry-([\w-]{1,100})$/;
const personButton = /^(add|ignore|block)-([0-9a-f]{8})$/;
const groupButton = /^(add|ignore|leave)group-([0-9a-f]{8})-([0-9a-f]{8})$/;
const button = /^(approve|deny|session|always)-([0-9a-f]{8})$/;

/** The command that a button of ours stands for. */
export function pressedCommand(actionId: string): GivenCommand | undefined {
  if (actionId === "stop") return { name: "stop" };
  const [, turnId] = retryButton.exec(actionId) ?? [];
  if (turnId !== undefined) return { name: "retry", turnId: brandAs<TurnId>(turnId) };
  const [, question, number] = choiceButton.exec(actionId) ?? [];
  if (question !== undefined) return { name: "answer", argument: question, choice: Number(number) };
  const [, limit] = liftButton.exec(actionId) ?? [];
  if (limit !== undefined) return { name: "lift", argument: limit };
  const [, step, person] = personButton.exec(actionId) ?? [];
  if (person !== undefined) return { name: "people", argument: `${step} ${person}` };
  const [, about, begin = "", end = ""] = groupButton.exec(actionId) ?? [];
  if (about !== undefined) return { name: "people", argument: `${about} ${begin}${end}` };
  const [, decision, first] = listButton.exec(actionId) ?? [];
  if (first !== undefined) return { name: decision === "deny" ? "deny" : "approve", argument: first, list: actionId };
  const [, choice, id] = button.exec(actionId) ?? [];
  if (choice === undefined || id === undefined) return undefined;
  return choice === "approve" || choice === "deny"
    ? { name: choice, argument: id }
    : { name: "approve", argument: `${id} ${choice}` };
}

/** These do nothing in groups. */
const privateOnes: readonly CommandName[] = ["sethome", "people"];

/** Every command as menus of platforms show it. */
export const commandMenu = Object.entries(commands).map(([name, description]) => {
  const leastRole = leastRoles[name as CommandName];
  return {
    ...{ name, description },
    ...(leastRole === undefined ? {} : { leastRole }),
    ...(privateOnes.includes(name as CommandName) ? { isPrivate: true as const } : {}),
  };
});

export function helpText(agentName: string, role: Role): string {
  const lines = Object.entries(commands)
    .filter(([name]) => isFor(name as CommandName, role))
    .map(([name, does]) => `- \`/${name}\`: ${does}`);
  return notices.help(agentName, lines);
}
