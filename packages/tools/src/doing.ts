import type { HeadlineWords, Tool, WorkWords } from "@talaria/agent";
import { inWords } from "./in-words.ts";

type Line = (input: Readonly<Record<string, unknown>>, words: WorkWords) => string;

/** What people read while a call runs, by the tool's name. */
const lines: Readonly<Record<string, Line>> = {
  terminal: ({ command }, words) => words.running(firstLine(command)),
  run_with_secrets: ({ command }, words) => words.running(firstLine(command)),
  process: ({ action, command }, words) =>
    action === "start" ? words.starting(firstLine(command)) : words.lookingAfterProcess,
  execute_code: ({ language }, words) => words.runningCode(language === "node" ? "JavaScript" : "Python"),
  read_file: ({ path }, words) => words.reading(text(path)),
  write_file: ({ path }, words) => words.writing(text(path)),
  edit_file: ({ path }, words) => words.changing(text(path)),
  search_files: ({ pattern }, words) =>
    text(pattern) === "" ? words.findingFiles : words.searchingFiles(text(pattern)),
  web_search: ({ query }, words) => words.searchingWeb(text(query)),
  web_fetch: ({ url }, words) => words.reading(hostOf(url)),
  web_extract: ({ url }, words) => words.reading(hostOf(url)),
  browser_open: ({ url }, words) => words.opening(hostOf(url)),
  browser_read: ({ url }, words) => words.reading(hostOf(url)),
  browser_screenshot: ({ url }, words) => words.lookingAt(hostOf(url)),
  browser_click: ({ url }, words) => words.clicking(hostOf(url)),
  browser_type: ({ url }, words) => words.typing(hostOf(url)),
  generate_image: (_, words) => words.drawing,
  speak: (_, words) => words.speaking,
  transcribe: (_, words) => words.listening,
  read_attachment: (_, words) => words.readingFile,
  send_file: (_, words) => words.gettingFiles,
  send_message: (_, words) => words.writingElsewhere,
  find_conversations: (_, words) => words.findingConversation,
  search_conversations: (_, words) => words.searchingConversations,
  memory: ({ action }, words) => (action === "remove" ? words.forgetting : words.noting),
  recall: (_, words) => words.recalling,
  skill: ({ name }, words) => words.readingSkill(text(name)),
  write_skill: ({ name }, words) => words.writingSkill(text(name)),
  todo: (_, words) => words.planning,
  ask: (_, words) => words.asking,
};

/** The same of a call that goes on beside its turn, for whoever may end it. */
const besideLines: Readonly<Record<string, Line>> = {
  web_fetch: ({ url }, words) => words.reading(text(url)),
  web_extract: ({ url }, words) => words.reading(text(url)),
  browser_open: ({ url }, words) => words.opening(text(url)),
  browser_read: ({ url }, words) => words.reading(text(url)),
  browser_screenshot: ({ url }, words) => words.lookingAt(text(url)),
  browser_click: ({ url }, words) => words.clicking(text(url)),
  browser_type: ({ url }, words) => words.typing(text(url)),
};

const kept = new WeakMap<Tool, Tool>();

/** The tool with words for what a call of it does, while it runs and for whoever is asked whether it may; those that wait for strangers' servers go on beside their turn. The same tool gives the same one. */
export function withDoing(tool: Tool): Tool {
  const [doing, beside, asked] = [lines[tool.name], besideLines[tool.name], inWords[tool.name]];
  if (doing === undefined && asked === undefined) return tool;
  const known = kept.get(tool) ?? {
    ...tool,
    ...(doing && { doing: (input: unknown, words: WorkWords) => doing(input as Record<string, unknown>, words) }),
    ...(asked && { inWords: (input: unknown, words: HeadlineWords) => asked(input as Record<string, unknown>, words) }),
    ...(beside && { beside: (input: unknown, words: WorkWords) => beside(input as Record<string, unknown>, words) }),
  };
  kept.set(tool, known);
  return known;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function firstLine(command: unknown): string {
  const [line = ""] = text(command).trim().split("\n", 1);
  return line;
}

function hostOf(url: unknown): string {
  return URL.parse(text(url))?.host ?? "";
}
