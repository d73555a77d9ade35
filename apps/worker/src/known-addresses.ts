import type { TranscriptEntry } from "@talaria/agent";

const mostAddresses = 2_000;
const longestAddress = 4_096;

/** Others may give back what the model hands them. */
const webTools: ReadonlySet<string> = new Set(["web_extract", "web_fetch", "web_search", "browser_open"]);
/** They show what the model has typed into a page: only the address of the page itself counts, which the browser has asked for. */
const pageTools: ReadonlySet<string> = new Set(["browser_read", "browser_click", "browser_type"]);

/** What each entry names, found once. */
const found = new WeakMap<TranscriptEntry, readonly string[]>();

/**
 * Whether this very address stands in what people wrote or what the web gave. Asking for it then tells its server nothing that the
 * model has put in. What the model may have written itself does not count: its answers, also where somebody quotes them, the buttons
 * that people press, files, output of commands.
 */
export function isKnownAddress(address: string, entries: readonly TranscriptEntry[]): boolean {
  const wanted = normal(address);
  if (wanted === undefined) return false;
  // A page that is opened again may show what was typed into it before, which a checkpoint no longer tells.
  const hasTyped = entries.some((entry) => entry.kind === "checkpoint" || isTyping(entry));
  const isNamed = entries.flatMap(wordsIn).some((entry) => {
    if (isOfPage(entry, hasTyped)) return pageOf(entry) === wanted;
    return isFromOutside(entry) && addressesIn(entry).includes(wanted);
  });
  return isNamed || quotesOfPeople(entries.flatMap(wordsIn)).some((text) => addressesOf(text).includes(wanted));
}

function isTyping(entry: TranscriptEntry): boolean {
  return entry.kind === "tool.result" && entry.name === "browser_type";
}

/** A checkpoint holds what people have said before it. */
function wordsIn(entry: TranscriptEntry): readonly TranscriptEntry[] {
  return entry.kind === "checkpoint" ? entry.said.filter((one) => one.kind !== "replied") : [entry];
}

/** Those of somebody who has spoken here, which the agent never does: whoever answers its message quotes the model's own words. */
function quotesOfPeople(entries: readonly TranscriptEntry[]): readonly string[] {
  const people = new Set(
    entries.flatMap((entry) => (entry.kind === "user" || entry.kind === "overheard" ? [entry.sender.userId] : [])),
  );
  return entries.flatMap((entry) =>
    entry.kind === "user" && entry.quote !== undefined && people.has(entry.quote.userId) ? [entry.quote.markdown] : [],
  );
}

function isOfPage(entry: TranscriptEntry, hasTyped: boolean): boolean {
  if (entry.kind !== "tool.result" || entry.isError) return false;
  return pageTools.has(entry.name) || (hasTyped && entry.name === "browser_open");
}

/** What the browser's tools say in their first line, before anything of the page. */
function pageOf(entry: TranscriptEntry): string | undefined {
  const address = /^page: (\S{1,4096})$/m.exec(textOf(entry))?.[1];
  return address === undefined ? undefined : normal(address);
}

function isFromOutside(entry: TranscriptEntry): boolean {
  if (entry.kind === "overheard") return true;
  if (entry.kind === "user") return entry.pressed !== true;
  return entry.kind === "tool.result" && !entry.isError && webTools.has(entry.name);
}

function addressesIn(entry: TranscriptEntry): readonly string[] {
  const known = found.get(entry);
  if (known !== undefined) return known;
  const list = addressesOf(textOf(entry));
  found.set(entry, list);
  return list;
}

/** A link whose text is an address, `[address](address)`, names two. */
function addressesOf(written: string): readonly string[] {
  const addresses = new Set<string>();
  for (const [text] of written.matchAll(/https?:\/\/(?:(?!\]\()[^\s<>"'`|\\^{}]){1,4096}/gi)) {
    for (const form of [text, text.replace(/[)\].,;:!?*_]+$/, "")]) addresses.add(normal(form) ?? "");
    if (addresses.size > mostAddresses) break;
  }
  addresses.delete("");
  return [...addresses];
}

function textOf(entry: TranscriptEntry): string {
  if (entry.kind === "user" || entry.kind === "overheard") return entry.markdown;
  return entry.kind === "tool.result" ? entry.content : "";
}

/** As it is asked for: what follows `#` never leaves the machine. */
function normal(text: string): string | undefined {
  if (text.length > longestAddress || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
