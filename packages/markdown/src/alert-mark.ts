/** What stands at the beginning of a quote that GitHub shows as an alert. */
export interface AlertMark {
  /** As it is written, with the blanks and the line break behind it. */
  readonly mark: string;
  /** Its kind in words. */
  readonly title: string;
}

/** The mark that a text begins with (docs.github.com, "Basic writing and formatting syntax", Alerts); models put words behind it too. */
export function alertMarkOf(text: string): AlertMark | undefined {
  const [mark, kind] = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\](?![[(\w])[ \t]*\n?/i.exec(text) ?? [];
  if (mark === undefined || kind === undefined) return undefined;
  return { mark, title: `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}` };
}
