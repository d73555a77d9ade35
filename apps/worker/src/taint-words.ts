import type { AskedCall, Tool, TranscriptEntry } from "@talaria/agent";
import { shownText } from "@talaria/policy";
import type { TaintSource } from "@talaria/protocol";
import { codeOf } from "@talaria/words";

const mostNamed = 3;
const longestName = 80;

type Read = Pick<AskedCall, "history" | "journal">;

/**
 * Why somebody is asked before something goes out, for whoever decides. Markdown; names that others chose are code. `tellers` are the
 * tools that strangers describe: they are the reason where nothing was read. `keeps`: nothing goes out, but something would be kept.
 */
export function taintWords(
  sources: readonly TaintSource[],
  tellers: readonly Tool[],
  read: Read,
  keeps = false,
): string {
  const before = keeps ? "before I keep anything" : "before anything goes out";
  if (sources.length === 0) return toldWords(tellers, before);
  const named = [...new Set(sources.toReversed().flatMap((source) => namesOf(source, read)))];
  return `I've read what others may have written: ${listed(named)}. It could be meant to steer me, so somebody has to agree ${before}.`;
}

function toldWords(tellers: readonly Tool[], before: string): string {
  const servers = [...new Set(tellers.map(serverOf))];
  const [which, run] = servers.length === 1 ? ["the MCP server", "it"] : ["the MCP servers", "them"];
  return `My tools from ${which} ${listed(servers)} are described to me by whoever runs ${run}, and that could be meant to steer me. So somebody has to agree ${before}.`;
}

function serverOf({ name, describedBy = name }: Tool): string {
  const server = /^mcp_([^_]+)_/.exec(name)?.[1];
  return code(server ?? (URL.canParse(describedBy) ? new URL(describedBy).host : describedBy));
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return [...names.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** The newest first. */
function namesOf({ kind, name }: TaintSource, { history, journal }: Read): readonly string[] {
  const entries = [...history, ...journal];
  switch (kind) {
    case "attachment":
      return filesOf(name, entries);
    case "tool":
      return placesRead(name, entries);
    case "weaker":
      return [`words of ${personIn(name, entries)}`];
    case "overheard":
      return [`what ${personIn(name, entries)} said to others`];
    case "quote":
      return [`a quote of ${personIn(name, entries)}`];
    case "webhook":
      return ["what came with a webhook"];
    case "memory":
      return [name === "workspace" ? "what a folder of the workspace says to agents" : `a note (${code(name)})`];
    case "unknown":
      return ["something earlier in this conversation"];
    default:
      return kind satisfies never;
  }
}

/** Of an entry that was shortened nobody knows the names any more. */
function filesOf(userId: string, entries: readonly TranscriptEntry[]): readonly string[] {
  const from = personIn(userId, entries);
  const names = entries.toReversed().flatMap((entry) => {
    if (entry.kind !== "user") return [];
    const own = entry.sender.userId === userId ? entry.attachments : [];
    const quoted = entry.quote?.userId === userId ? (entry.quote.attachments ?? []) : [];
    return [...own, ...quoted].filter(({ voice }) => voice !== true).map((file) => file.name ?? `a ${file.kind}`);
  });
  return names.length === 0 ? [`a file from ${from}`] : names.map((name) => `${code(name)} from ${from}`);
}

/** The hosts of the addresses that a tool was called with, or the skills that were read, else the tool. */
function placesRead(tool: string, entries: readonly TranscriptEntry[]): readonly string[] {
  const given = entries
    .toReversed()
    .flatMap((entry) => (entry.kind === "assistant" ? entry.toolCalls : []))
    .filter((call) => call.name === tool)
    .map((call) => argumentsIn(call.arguments));
  const places =
    tool === "skill"
      ? given.flatMap(({ name }) => (typeof name === "string" ? [`the skill ${code(name)}`] : []))
      : given.flatMap(({ url }) => hostIn(url)).map((host) => `a page of ${code(host)}`);
  return places.length === 0 ? [`a result of ${code(tool)}`] : places;
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

function personIn(userId: string, entries: readonly TranscriptEntry[]): string {
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "user" && entry.kind !== "overheard") continue;
    if (entry.sender.userId === userId) return code(entry.sender.displayName);
    if (entry.quote?.userId === userId) return code(entry.quote.displayName);
  }
  return userId === "" ? "somebody" : code(userId);
}

function code(name: string): string {
  const { text } = shownText(name, longestName);
  return codeOf(text.trim() === "" ? "?" : text);
}
