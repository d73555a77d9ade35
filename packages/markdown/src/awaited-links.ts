import { labelsIn, normalized } from "./link-labels.ts";

/**
 * A growing text in which links whose definition has not come yet are their labels alone: `[label][1]` would be seen as it is
 * written until its definition comes, mostly at the very end. Called for each snapshot: reads the text without parsing it.
 */
export function withoutAwaitedLinks(partial: string): string {
  const last = partial.lastIndexOf("\n") + 1;
  const text = partial.slice(0, last) + partial.slice(last).replace(openDefinition, "");
  if (!text.includes("][")) return text;
  const defined = labelsIn(text);
  // A picture may be the label of a link.
  return labelsOf(labelsOf(text, defined), defined);
}

/** A definition that may still grow. */
const openDefinition = /^[ \t>]{0,40}\[(?!\^)[^[\]\n]{1,300}\]:[ \t]*\S*(?:[ \t]+["'(].*)?$/;

/** Code and escapes, which are passed by, and links by name. An index behind a word, as in `a[i][j]`, is no link. */
const links =
  /(?<=^|\n)[ \t>]{0,40}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n[ \t>]{0,40}\1|$)|(?<!`)(`+)(?!`)[^`]{0,500}(?:\2|$)|\\[\s\S]|(?:!|(?<![\w\]!]))\[((?:[^[\]\\\n`]|\\.|`[^`\n]{0,100}`){1,300})\]\[([^[\]\n]{0,100})\]/g;

function labelsOf(text: string, defined: ReadonlySet<string>): string {
  return text.replace(links, (whole, _fence, _code, label: string | undefined, name: string | undefined) => {
    if (label === undefined || name === undefined || isNote(label) || name.startsWith("^")) return whole;
    return defined.has(normalized(name || label)) ? whole : label;
  });
}

/** What stands in brackets and is no label: notes in a row, such as `[1][2]` and `[^1][^2]`, and boxes. */
export function isNote(label: string): boolean {
  return /^(?:\^.*|\d+|[ x])$/i.test(label);
}
