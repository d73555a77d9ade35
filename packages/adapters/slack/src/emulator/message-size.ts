type Block = Readonly<Record<string, unknown>>;

/**
 * What Slack weighs of the blocks of a message. "12,000 text characters with a buffer for block containers" is all that Slack says of it
 * (github.com/slackapi/bolt-js/issues/2509, 2867); people measured the rest: 13,297 characters of `markdown` blocks were the most,
 * a divider cost some 125 of them, a heading some 100, and `&`, `<` and `>` counted as they are escaped.
 */
const heaviest = 13_200;
const weightOf = { heading: 100, divider: 125 } as const;
/** Of a message, after Slack has made blocks of its own of a `markdown` block (docs.slack.dev/reference/block-kit/blocks/markdown-block). */
const mostBlocks = 50;

/** Whether Slack would say `msg_blocks_too_long`. */
export function isTooHeavy(blocks: readonly Block[]): boolean {
  const made = blocks.flatMap(({ type, text }) =>
    type === "markdown" ? translated(String(text)) : ["other" as const],
  );
  if (made.length > mostBlocks) return true;
  const containers = made.reduce(
    (sum, kind) => sum + (kind === "heading" || kind === "divider" ? weightOf[kind] : 0),
    0,
  );
  return containers + textIn(blocks) > heaviest;
}

type Kind = "heading" | "divider" | "code" | "table" | "words" | "other";

/** One block for each heading, rule, table and block of code, and one for what stands between them. */
function translated(markdown: string): readonly Kind[] {
  const kinds: Kind[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    const kind = kindOf(line, mark);
    if (kind !== undefined && (kind === "heading" || kind === "divider" || kind === "code" || kind !== kinds.at(-1)))
      kinds.push(kind);
    if (kind === "code") fence = mark;
  }
  return kinds;
}

function kindOf(line: string, fence: string | undefined): Kind | undefined {
  if (line.trim() === "") return undefined;
  if (fence !== undefined) return "code";
  if (/^ {0,3}#{1,6}(?:\s|$)/.test(line)) return "heading";
  if (/^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/.test(line)) return "divider";
  return /^\|/.test(line) ? "table" : "words";
}

/** Everything named `text`, however deep. Slack escapes what stands in `markdown` blocks. */
function textIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + textIn(one), 0);
  if (typeof value !== "object" || value === null) return 0;
  const { type } = value as Block;
  return Object.entries(value).reduce((sum, [name, one]) => {
    if (name !== "text" || typeof one !== "string") return sum + textIn(one);
    return sum + (type === "markdown" ? escapedLength(one) : one.length);
  }, 0);
}

function escapedLength(text: string): number {
  return text.replaceAll("&", "&amp;").replaceAll(/[<>]/g, "&lt;").length;
}
