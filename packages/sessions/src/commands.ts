import { brandAs, isAtLeast, type Role, type TurnId } from "@talaria/protocol";
import { english, furtherLanguages, type Words } from "@talaria/words";

/** Every control command, with the line that menus show, and `/help`. They have a lane of their own and never wait for a turn. */
export const commands = english.commandLines;

/** As people write them, in the order of menus. */
export const commandNames = Object.keys(commands) as readonly ListedCommand[];

type ListedCommand = keyof typeof commands;

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
  /** Words that answer a question, as one of its buttons would: it decides only what still waits. */
  readonly isAnswer?: true;
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

/** Every command as menus of platforms show it, in every language there is. */
export function commandMenu() {
  const languages = [...furtherLanguages()];
  return commandNames.map((name) => {
    const leastRole = leastRoles[name];
    return {
      ...{ name, description: commands[name] },
      ...(languages.length === 0
        ? {}
        : { descriptions: Object.fromEntries(languages.map(([tag, { commandLines }]) => [tag, commandLines[name]])) }),
      ...(leastRole === undefined ? {} : { leastRole }),
      ...(privateOnes.includes(name) ? { isPrivate: true as const } : {}),
    };
  });
}

/** What one message of Discord holds. */
const mostHelpChars = 2_000;

/** `skills`: names that may be written like commands; they are left out where the text would get too long for one message. */
export function helpText(
  agentName: string,
  role: Role,
  { commandLines, notices }: Words = english,
  skills: readonly string[] = [],
): string {
  const lines = commandNames.filter((name) => isFor(name, role)).map((name) => `- \`/${name}\`: ${commandLines[name]}`);
  const short = notices.help(agentName, lines);
  const whole = skills.length === 0 ? short : notices.help(agentName, [...lines, notices.skillsOf(skills)]);
  return whole.length <= mostHelpChars ? whole : short;
}
