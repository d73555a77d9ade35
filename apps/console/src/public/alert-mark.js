// Written by scripts/generate-console-markdown.ts.
/** What stands at the beginning of a quote that GitHub shows as an alert. */

/** The mark that a text begins with (docs.github.com, "Basic writing and formatting syntax", Alerts); models put words behind it too. */
export function alertMarkOf(text) {
  const [mark, kind] = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\](?![[(\w])[ \t]*\n?/i.exec(text) ?? [];
  if (mark === undefined || kind === undefined) return undefined;
  return { mark, title: `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}` };
}
