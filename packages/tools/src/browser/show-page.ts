import type { ToolResult } from "@talaria/agent";
import type { SessionBrowser } from "./session-browser.ts";
import type { Snapshot } from "./snapshot.ts";

/** What one result shows at most. */
export const partChars = 12_000;

/** The part of a page that the model reads, and with it the page as the one that was shown last. */
export function showPage(
  browser: SessionBrowser,
  snapshot: Snapshot,
  part: number,
  notes: readonly string[] = [],
): ToolResult {
  browser.shown = snapshot;
  const { url, title, frames } = snapshot;
  const parts = partsOf(snapshot.lines);
  const shown = Math.min(part, parts.length);
  const more = shown < parts.length ? `; browser_read with part ${shown + 1} goes on` : "";
  const head = [
    `page: ${url}`,
    ...(title === "" ? [] : [`title: ${title}`]),
    ...[...frames].map(([name, address]) => `embedded ${name}: ${address}`),
    ...[...notes, ...snapshot.notes].map((note) => `[${note}]`),
    ...(parts.length > 1 ? [`[part ${shown} of ${parts.length}${more}]`] : []),
  ];
  const body = parts[shown - 1] ?? "(nothing that can be read)";
  return { content: `${head.join("\n")}\n\n${body}`, untrusted: true, details: { url, parts: parts.length } };
}

function partsOf(lines: readonly string[]): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (const line of lines) {
    if (part !== "" && part.length + line.length > partChars) {
      parts.push(part);
      part = "";
    }
    part += part === "" ? line : `\n${line}`;
  }
  return part === "" ? parts : [...parts, part];
}
