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

const mostPrograms = 16;
const mostHosts = 12;

export function workplace(workspace: PromptWorkspace | undefined, shared: boolean): string {
  if (workspace !== undefined) return `# Where you work\n\n${described(workspace)} ${traffic}`;
  const instead = shared
    ? "Here you talk, and look things up if you have tools for it. Work with files or commands belongs in a private conversation: whoever may have it done can write to you there."
    : "You have no workspace here: you can't run commands or keep files, so don't pretend to.";
  return `# Where you work\n\n${instead}`;
}

function described({ folder, programs, network, limits }: PromptWorkspace): string {
  const { memoryMb, quotaMb, background } = limits;
  const there = programs.slice(0, mostPrograms);
  return [
    `Your files and commands are in ${folder === undefined ? "a folder" : `${folder}, a folder`} that belongs to this conversation alone, starts empty and keeps what you put there.`,
    ...(there.length === 0 ? [] : [`Installed: ${there.join(", ")}.`]),
    reach(network),
    `A command gets ${memoryMb} MB of memory, all files together ${quotaMb} MB. Up to ${background} background processes run at a time, and they outlive your answer.`,
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
  "Files that people send lie there at the path in their <attachment> line once you use a tool that works there; what was not " +
  "opened yet, once you have opened it with read_attachment. Send files from there with send_file (paths).";
