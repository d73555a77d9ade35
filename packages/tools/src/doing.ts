import type { Tool } from "@talaria/agent";
import { inWords } from "./in-words.ts";

type Words = (input: Readonly<Record<string, unknown>>) => string;

/** What people read while a call runs, by the tool's name. */
const words: Readonly<Record<string, Words>> = {
  terminal: ({ command }) => `running ${firstLine(command)}`,
  run_with_secrets: ({ command }) => `running ${firstLine(command)}`,
  process: ({ action, command }) =>
    action === "start" ? `starting ${firstLine(command)}` : "looking after a process in the background",
  execute_code: ({ language }) => `running ${language === "node" ? "JavaScript" : "Python"} code`,
  read_file: ({ path }) => `reading ${text(path)}`,
  write_file: ({ path }) => `writing ${text(path)}`,
  edit_file: ({ path }) => `changing ${text(path)}`,
  search_files: ({ pattern }) =>
    text(pattern) === "" ? "looking for files" : `searching files for "${text(pattern)}"`,
  web_search: ({ query }) => `searching the web for "${text(query)}"`,
  web_fetch: ({ url }) => `reading ${hostOf(url)}`,
  web_extract: ({ url }) => `reading ${hostOf(url)}`,
  browser_open: ({ url }) => `opening ${hostOf(url)}`,
  browser_read: ({ url }) => `reading ${hostOf(url)}`,
  browser_screenshot: ({ url }) => `looking at ${hostOf(url)}`,
  browser_click: ({ url }) => `clicking on ${hostOf(url)}`,
  browser_type: ({ url }) => `typing on ${hostOf(url)}`,
  generate_image: () => "drawing a picture",
  speak: () => "recording speech",
  transcribe: () => "listening to a recording",
  read_attachment: () => "reading a file",
  send_file: () => "getting files ready to send",
  send_message: () => "writing to another conversation",
  find_conversations: () => "looking for a conversation",
  search_conversations: () => "looking through past conversations",
  memory: ({ action }) => (action === "remove" ? "forgetting something" : "noting something down"),
  recall: () => "looking at what I remember",
  skill: ({ name }) => `reading the skill ${text(name)}`,
  todo: () => "updating the plan",
  ask: () => "asking",
};

/** The same of a call that goes on beside its turn, for whoever may end it. */
const besideWords: Readonly<Record<string, Words>> = {
  web_fetch: ({ url }) => `reading ${text(url)}`,
  web_extract: ({ url }) => `reading ${text(url)}`,
  browser_open: ({ url }) => `opening ${text(url)}`,
  browser_read: ({ url }) => `reading ${text(url)}`,
  browser_screenshot: ({ url }) => `looking at ${text(url)}`,
  browser_click: ({ url }) => `clicking on ${text(url)}`,
  browser_type: ({ url }) => `typing on ${text(url)}`,
};

const kept = new WeakMap<Tool, Tool>();

/** The tool with words for what a call of it does, while it runs and for whoever is asked whether it may; those that wait for strangers' servers go on beside their turn. The same tool gives the same one. */
export function withDoing(tool: Tool): Tool {
  const [doing, beside, asked] = [words[tool.name], besideWords[tool.name], inWords[tool.name]];
  if (doing === undefined && asked === undefined) return tool;
  const known = kept.get(tool) ?? {
    ...tool,
    ...(doing && { doing: (input: unknown) => doing(input as Record<string, unknown>) }),
    ...(asked && { inWords: (input: unknown) => asked(input as Record<string, unknown>) }),
    ...(beside && { beside: (input: unknown) => beside(input as Record<string, unknown>) }),
  };
  kept.set(tool, known);
  return known;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function firstLine(command: unknown): string {
  const [line = ""] = text(command).trim().split("\n", 1);
  return line === "" ? "a command" : line;
}

function hostOf(url: unknown): string {
  return URL.parse(text(url))?.host || "a page";
}
