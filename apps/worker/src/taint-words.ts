import type { AskedCall, Tool, TranscriptEntry } from "@talaria/agent";
import { type ShownMarks, shownText } from "@talaria/policy";
import type { TaintSource } from "@talaria/protocol";
import { codeOf, type Words } from "@talaria/words";

const mostNamed = 3;
const longestName = 80;

type Reasons = Words["reasons"];
type Read = Pick<AskedCall, "history" | "journal">;
/** `code`: a name that others chose. */
type ReadWords = Reasons["read"] & { readonly code: (name: string) => string };

/**
 * Why somebody is asked before something goes out, for whoever decides. Markdown; names that others chose are code. `tellers` are the
 * tools that strangers describe: they are the reason where nothing was read. `keeps`: nothing goes out, but something would be kept.
 */
export function taintWords(
  sources: readonly TaintSource[],
  tellers: readonly Tool[],
  read: Read,
  { reasons, callPhrases: { marks } }: Pick<Words, "reasons" | "callPhrases">,
  keeps = false,
): string {
  const words = { ...reasons.read, code: (name: string) => code(name, marks) };
  const servers = tellers.map((tool) => words.code(serverOf(tool)));
  if (sources.length === 0) return reasons.wasTold(...shortened([...new Set(servers)]), keeps);
  const named = sources.toReversed().flatMap((source) => namesOf(source, read, words));
  return reasons.hasRead(...shortened([...new Set(named)]), keeps);
}

/** The first of them, and how many more there are. */
function shortened(names: readonly string[]): [names: readonly string[], more: number] {
  return [names.slice(0, mostNamed), Math.max(0, names.length - mostNamed)];
}

function serverOf({ name, describedBy = name }: Tool): string {
  const server = /^mcp_([^_]+)_/.exec(name)?.[1];
  return server ?? (URL.canParse(describedBy) ? new URL(describedBy).host : describedBy);
}

/** The newest first. */
function namesOf({ kind, name }: TaintSource, { history, journal }: Read, words: ReadWords): readonly string[] {
  const entries = [...history, ...journal];
  switch (kind) {
    case "attachment":
      return filesOf(name, entries, words);
    case "tool":
      return placesRead(name, entries, words);
    case "weaker":
      return [words.wordsOf(personIn(name, entries, words))];
    case "overheard":
      return [words.saidToOthers(personIn(name, entries, words))];
    case "quote":
      return [words.quoteOf(personIn(name, entries, words))];
    case "webhook":
      return [words.webhook];
    case "memory":
      return [name === "workspace" ? words.folder : words.note(words.code(name))];
    case "unknown":
      return [words.earlier];
    default:
      return kind satisfies never;
  }
}

/** Of an entry that was shortened nobody knows the names any more. */
function filesOf(userId: string, entries: readonly TranscriptEntry[], words: ReadWords): readonly string[] {
  const from = personIn(userId, entries, words);
  const names = entries.toReversed().flatMap((entry) => {
    if (entry.kind !== "user") return [];
    const own = entry.sender.userId === userId ? entry.attachments : [];
    const quoted = entry.quote?.userId === userId ? (entry.quote.attachments ?? []) : [];
    return [...own, ...quoted]
      .filter(({ voice }) => voice !== true)
      .map((file) => file.name ?? words.unnamed[file.kind]);
  });
  if (names.length === 0) return [words.fileFrom(undefined, from)];
  return names.map((name) => words.fileFrom(words.code(name), from));
}

/** The hosts of the addresses that a tool was called with, or the skills that were read, else the tool. */
function placesRead(tool: string, entries: readonly TranscriptEntry[], words: ReadWords): readonly string[] {
  const given = entries
    .toReversed()
    .flatMap((entry) => (entry.kind === "assistant" ? entry.toolCalls : []))
    .filter((call) => call.name === tool)
    .map((call) => argumentsIn(call.arguments));
  const places =
    tool === "skill"
      ? given.flatMap(({ name }) => (typeof name === "string" ? [words.skill(words.code(name))] : []))
      : given.flatMap(({ url }) => hostIn(url)).map((host) => words.pageOf(words.code(host)));
  return places.length === 0 ? [words.resultOf(words.code(tool))] : places;
}

function argumentsIn(given: string): { readonly url?: unknown; readonly name?: unknown } {
  try {
    return Object(JSON.parse(given));
  } catch {
    return {};
  }
}

function hostIn(url: unknown): readonly string[] {
  return typeof url === "string" && URL.canParse(url) ? [new URL(url).host] : [];
}

function personIn(userId: string, entries: readonly TranscriptEntry[], { somebody, code }: ReadWords): string {
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "user" && entry.kind !== "overheard") continue;
    if (entry.sender.userId === userId) return code(entry.sender.displayName);
    if (entry.quote?.userId === userId) return code(entry.quote.displayName);
  }
  return userId === "" ? somebody : code(userId);
}

function code(name: string, marks: ShownMarks): string {
  const { text } = shownText(name, marks, longestName);
  return codeOf(text.trim() === "" ? "?" : text);
}
