import { notices } from "./notices.ts";

/** Every control command, with the line that `/help` shows. They have a lane of their own and never wait for a turn. */
export const commands = {
  help: "list these commands",
  new: "forget this conversation and start a new one",
  stop: "stop what I'm doing and drop waiting messages",
  status: "show what I'm doing",
  whoami: "show how I identify you",
  retry: "answer the last message again",
} as const satisfies Record<string, string>;

export type CommandName = keyof typeof commands;

/**
 * The command a text begins with. Only an ASCII slash at the very start counts, followed by a known name and a space
 * or the end; anything else is a message for the agent.
 */
export function parseCommand(markdown: string): CommandName | undefined {
  const name = /^\/([a-z]+)(?:\s|$)/i.exec(markdown)?.[1]?.toLowerCase();
  return name !== undefined && Object.hasOwn(commands, name) ? (name as CommandName) : undefined;
}

export function helpText(agentName: string): string {
  const lines = Object.entries(commands).map(([name, does]) => `- \`/${name}\`: ${does}`);
  return notices.help(agentName, lines);
}
