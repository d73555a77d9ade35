import { styleText } from "node:util";
import { fieldWords } from "./field-words.ts";
import { isAbout, type LogSubject } from "./log-subject.ts";

export interface LogFilter {
  /** Those that are shown. */
  readonly levels: readonly string[];
  readonly account?: string;
  /** Ids of which each stands whole in some field: of a person, a conversation, an event, a turn. */
  readonly about: readonly string[];
  readonly subject?: LogSubject;
}

type Entry = Readonly<Record<string, unknown>>;

const notShown = new Set(["level", "time", "name", "msg", "pid"]);
const colours: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  debug: "gray",
  info: "green",
  warn: "yellow",
  error: "red",
  fatal: "red",
};

/** One line of the log for people: time (UTC), level, process, sentence, fields. What is no entry is shown as text. */
export function logLine(line: string, isColoured: boolean): string {
  const entry = entryOf(line);
  if (entry === undefined) return plain(line);
  const level = String(entry.level);
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const time = plain(String(entry.time)).slice(0, 19).replace("T", " ");
  const head = `${paint("gray", time)} ${paint(colours[level] ?? "white", plain(level).toUpperCase().padEnd(5))}`;
  const fields = Object.entries(entry).flatMap(([key, value]) =>
    notShown.has(key) ? [] : [`${plain(key)}=${valueText(value)}`],
  );
  const detail = fields.length === 0 ? "" : `  ${paint("gray", fields.join(" "))}`;
  return `${head} ${plain(String(entry.name ?? "")).padEnd(7)} ${plain(String(entry.msg ?? ""))}${detail}`;
}

/** Whether a filter lets a line through. What is no entry is shown only without an account, an id and a subject. */
export function lineAsks(line: string, { levels, account, about, subject }: LogFilter): boolean {
  // Most lines are passed by without being parsed.
  if (!about.every((id) => line.includes(id))) return false;
  const entry = entryOf(line);
  if (entry === undefined) return account === undefined && about.length === 0 && subject === undefined;
  if (!levels.includes(String(entry.level))) return false;
  if (account !== undefined && entry.accountId !== account) return false;
  if (subject !== undefined && !isAbout(entry, subject)) return false;
  return about.every((id) => Object.values(entry).some((value) => names(String(value), id)));
}

/** `77` is in `main:direct:77`, and not in `main:direct:777`. */
function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + id.length] ?? " "}`;
    if (!/[A-Za-z0-9_]/.test(around)) return true;
  }
  return false;
}

function entryOf(line: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" && entry !== null && "level" in entry ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}

function valueText(value: unknown): string {
  const words = plain(fieldWords(value));
  return /^[^\s"=]+$/.test(words) ? words : `"${words.replaceAll('"', "'")}"`;
}

/** Without what a terminal would obey. */
function plain(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (char) => `\\u${char.codePointAt(0)?.toString(16).padStart(4, "0")}`,
  );
}
