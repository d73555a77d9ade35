import { oneLine, untrustedBlock } from "../untrusted-text.ts";

/** Where this conversation's files and commands are, as far as that stays the same. */
export interface PromptWorkspace {
  /** As commands see it. Absent: it is another one in each conversation. */
  readonly folder?: string;
  /** What was found there, with versions: `Python 3.11.2`. None: nobody has looked. */
  readonly programs: readonly string[];
  /** Hosts that ask nobody, of those that a command may name. `none` and `open`: never any, and all without naming them. */
  readonly network: "none" | "open" | readonly string[];
  readonly limits: {
    /** Of one command. */
    readonly memoryMb: number;
    /** Of all files together. */
    readonly quotaMb: number;
    /** Background processes at a time. */
    readonly background: number;
  };
}

const mostTrouble = 600;
const mostPrograms = 16;
const mostHosts = 12;

/** Files and commands that whoever asks may use, and that don't work on this machine. */
export interface BrokenWorkspace {
  /** Why, and what the operator does about it. Only for an owner: it names paths and accounts of the machine. */
  readonly trouble?: string;
}

export function workplace(
  workspace: PromptWorkspace | undefined,
  shared: boolean,
  broken: BrokenWorkspace | undefined,
): string {
  return `# Where you work\n\n${workspace === undefined ? without(shared, broken) : `${described(workspace)} ${traffic}`}`;
}

function without(shared: boolean, broken: BrokenWorkspace | undefined): string {
  if (shared)
    return "Here you talk, and look things up if you have tools for it. Work with files or commands belongs in a private conversation: whoever may have it done can write to you there.";
  const none = "You have no workspace here: you can't run commands or keep files, so don't pretend to.";
  if (broken === undefined) return none;
  const { trouble } = broken;
  const who = trouble === undefined ? "an owner can mend it" : "this has to be mended on the server:";
  const found = trouble === undefined ? "." : `\n\n${untrustedBlock(oneLine(trouble, mostTrouble))}`;
  return `${none} If you have tools for it all the same, it was mended. They don't work on this machine: when somebody asks for what needs them, say so, and that ${who}${found}`;
}

function described({ folder, programs, network, limits }: PromptWorkspace): string {
  const { memoryMb, quotaMb, background } = limits;
  const there = programs.slice(0, mostPrograms);
  return [
    `Your files and commands are in ${folder === undefined ? "a folder" : `${folder}, a folder`} that belongs to this conversation alone and keeps what you put there.`,
    ...(there.length === 0 ? [] : [`Installed: ${there.join(", ")}.`]),
    reach(network),
    `A command gets ${memoryMb} MB of memory, all files together ${quotaMb} MB. Up to ${background} background processes outlive your answer.`,
  ].join(" ");
}

function reach(network: PromptWorkspace["network"]): string {
  if (network === "open") return "Commands have network access.";
  if (network === "none") return noNetwork;
  const named = "Commands reach only hosts that they name in network; people are asked.";
  if (network.length === 0) return named;
  const more = network.length > mostHosts ? ` and ${network.length - mostHosts} more` : "";
  return `${named} These need no question: ${network.slice(0, mostHosts).join(", ")}${more}.`;
}

const noNetwork = "Commands have no network: what you need from outside has to come through web tools.";

/** How files come and go. */
const traffic =
  'Files that people send lie there at the path in their <attachment> line once a tool works there, and those with opened="false" once ' +
  "read_attachment has opened them.";
