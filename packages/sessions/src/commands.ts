import { brandAs, type TurnId } from "@talaria/protocol";
import { notices } from "./notices.ts";

/** Every control command, with the line that `/help` shows. They have a lane of their own and never wait for a turn. */
export const commands = {
  help: "list these commands",
  new: "start a new conversation; `/resume` goes back to this one",
  resume: "list what I remember here, or go on with one by its number or title",
  branch: "go on in a copy of this conversation; as a reply, from that message",
  undo: "take back the last question with its answer; `/undo 3` the last three",
  title: "show or set the title of this conversation",
  stop: "stop what I'm doing and drop waiting messages; `/stop all` ends processes, too",
  processes: "list what runs in the background; `/processes stop 2` ends one",
  status: "show what I'm doing",
  settings: "list what counts here, and why",
  where: "show where your last message stands; as a reply, that one",
  context: "show how full my window is, and what fills it",
  compact: "compress what I remember before the next answer",
  cost: "show what my last answer to you cost; as a reply, that one",
  model: "show or choose the model that answers here; `/model default` ends that",
  effort: "show or choose how much I think; `/effort default` ends that",
  usage: "show what you have used in 30 days, and what is left",
  whoami: "show how I identify you",
  retry: "answer the last message again",
  approve:
    "let me do what I asked for: its number, or `all` as a reply to a list; then `session` or `always` if offered",
  deny: "don't let me do what I asked for; you may add a reason",
  answer: "answer a question of mine: its number, then the choice's number or words",
  approvals: "list what waits for your approval, and what you have agreed to",
  sethome: "ask me here, as an owner, what only an owner may decide; `/sethome off` ends it",
  lift: "lift a limit for a day, as an owner, by its notice's number",
  revoke: "end what you have agreed to, by its number",
  trust: "`/trust files`: say, as an owner, that you know what my files here hold",
} as const satisfies Record<string, string>;

export type CommandName = keyof typeof commands;

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
  if (begin === undefined || known === undefined || !Object.hasOwn(commands, known)) return undefined;
  const argument = markdown.slice(begin.length).trim();
  return { name: known as CommandName, ...(argument === "" ? {} : { argument }) };
}

const choiceButton = /^answer-([0-9a-f]{8})-([1-9]\d?)$/;
const liftButton = /^lift-([0-9a-f]{12})$/;
const listButton = /^(approve|deny)all-([0-9a-f]{8})-[0-9a-f]{12}$/;
const retryButton = /^retry-([\w-]{1,100})$/;
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
  const [, decision, first] = listButton.exec(actionId) ?? [];
  if (first !== undefined) return { name: decision === "deny" ? "deny" : "approve", argument: first, list: actionId };
  const [, choice, id] = button.exec(actionId) ?? [];
  if (choice === undefined || id === undefined) return undefined;
  return choice === "approve" || choice === "deny"
    ? { name: choice, argument: id }
    : { name: "approve", argument: `${id} ${choice}` };
}

export function helpText(agentName: string): string {
  const lines = Object.entries(commands).map(([name, does]) => `- \`/${name}\`: ${does}`);
  return notices.help(agentName, lines);
}
