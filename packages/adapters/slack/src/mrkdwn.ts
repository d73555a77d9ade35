/** How ids are shown: names, where they are known. */
export interface Names {
  readonly user: (id: string) => string | undefined;
  readonly channel?: (id: string) => string | undefined;
}

const broadcasts = /^!(here|channel|everyone)\b/;

/**
 * Writes Slack's own dialect as Markdown: bold, struck, links and the escaped signs; mentions become names. Code stays
 * as it is. Never longer than twice the text plus the names.
 */
export function toMarkdown(mrkdwn: string, names: Names): string {
  return mrkdwn
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, n) => (n % 2 === 1 ? code(part) : prose(part, names)))
    .join("");
}

/** The ids of the people a text mentions, each once. */
export function mentionsIn(mrkdwn: string): readonly string[] {
  return [...new Set([...mrkdwn.matchAll(/<@([A-Z0-9]{2,40})(?:\|[^>]*)?>/g)].map(([, id]) => id ?? ""))];
}

/** The channels that a text mentions without their names, each once. */
export function unnamedChannelsIn(mrkdwn: string): readonly string[] {
  return [...new Set([...mrkdwn.matchAll(/<#([A-Z0-9]{2,40})\|?>/g)].map(([, id]) => id ?? ""))];
}

/** Links inside code are still written as links: only their text counts. */
function code(text: string): string {
  const plain = text.replace(/<((?:https?|mailto|tel):[^|>\s]+)(?:\|([^>]*))?>/g, (_, url, label) => label ?? url);
  return unescaped(plain);
}

function prose(text: string, names: Names): string {
  const pieces = text.split(/(<[^<>\n]+>)/);
  return pieces.map((piece, n) => (n % 2 === 1 ? reference(piece.slice(1, -1), names) : emphasis(piece))).join("");
}

function reference(inner: string, names: Names): string {
  const [target = "", label] = splitOnce(inner);
  if (/^@[A-Z0-9]+$/.test(target)) return `@${names.user(target.slice(1)) ?? unescaped(label ?? target.slice(1))}`;
  if (/^#[A-Z0-9]+$/.test(target)) {
    const id = target.slice(1);
    return `#${unescaped(label || (names.channel?.(id) ?? id))}`;
  }
  if (broadcasts.test(target)) return `@${broadcasts.exec(target)?.[1]}`;
  if (target.startsWith("!subteam^")) return unescaped(label ?? "@group");
  if (target.startsWith("!")) return unescaped(label ?? "");
  const url = unescaped(target);
  if (!/^(https?|mailto|tel):/i.test(url)) return unescaped(`<${inner}>`);
  const shown = label === undefined ? "" : unescaped(label);
  return shown === "" || shown === url ? url : `[${shown.replaceAll(/[[\]]/g, "\\$&")}](${url})`;
}

/** Signs count only at the edges of words, as in Slack. */
function emphasis(text: string): string {
  const bold = text.replace(/(^|[\s([{"'>_~])\*(?=\S)([^*\n]*[^*\s])\*(?=$|[\s)\]}"'.,;:!?_~])/gm, "$1**$2**");
  const struck = bold.replace(/(^|[\s([{"'>_*])~(?=\S)([^~\n]*[^~\s])~(?=$|[\s)\]}"'.,;:!?_*])/gm, "$1~~$2~~");
  return unescaped(struck.replace(/^&gt;/gm, ">"));
}

function splitOnce(inner: string): readonly [string, string?] {
  const at = inner.indexOf("|");
  return at < 0 ? [inner] : [inner.slice(0, at), inner.slice(at + 1)];
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
