import type { TelegramEntity } from "./update.ts";

/**
 * Writes Telegram's formatting as markdown. `entities` count in UTF-16 units of `text`; those that lie outside or that
 * cross another one are ignored. Nothing is escaped: what people type as markdown stays markdown.
 */
export function toMarkdown(text: string, entities: readonly TelegramEntity[] = []): string {
  const known = entities.filter((entity) => entity.offset + entity.length <= text.length && isFormat(entity));
  if (known.length === 0) return text;
  known.sort((a, b) => a.offset - b.offset || b.length - a.length);
  return render(text, 0, text.length, known);
}

const formats: ReadonlySet<string> = new Set([
  "bold",
  "italic",
  "strikethrough",
  "code",
  "pre",
  "text_link",
  "blockquote",
  "expandable_blockquote",
]);

function isFormat(entity: TelegramEntity): boolean {
  return formats.has(entity.type);
}

/** Writes `text` from `start` to `end`. `entities` end by `end` and are sorted: outer ones first. */
function render(text: string, start: number, end: number, entities: readonly TelegramEntity[]): string {
  let markdown = "";
  let position = start;
  for (let next = 0; next < entities.length; next += 1) {
    const entity = entities[next] as TelegramEntity;
    const entityEnd = entity.offset + entity.length;
    if (entity.offset < position) continue;
    const inner = entities.slice(next + 1).filter((other) => other.offset + other.length <= entityEnd);
    markdown += text.slice(position, entity.offset);
    markdown = decorate(entity, text, inner, markdown);
    position = entityEnd;
    if (isBlock(entity) && position < text.length && !markdown.endsWith("\n"))
      markdown += text[position] === "\n" ? "" : "\n";
  }
  return markdown + text.slice(position, end);
}

function isBlock({ type }: TelegramEntity): boolean {
  return type === "pre" || type === "blockquote" || type === "expandable_blockquote";
}

/** Appends one formatted piece to `before`. Blocks begin on a line of their own. */
function decorate(entity: TelegramEntity, text: string, inner: readonly TelegramEntity[], before: string): string {
  const entityEnd = entity.offset + entity.length;
  const raw = text.slice(entity.offset, entityEnd);
  const lineStart = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  const rendered = () => render(text, entity.offset, entityEnd, inner);
  switch (entity.type) {
    case "bold":
      return before + wrap(rendered(), "**");
    case "italic":
      return before + wrap(rendered(), "*");
    case "strikethrough":
      return before + wrap(rendered(), "~~");
    case "code":
      return before + codeSpan(raw);
    case "pre":
      return lineStart + codeBlock(raw, entity.language ?? "");
    case "text_link":
      return before + link(rendered(), entity.url ?? "");
    default:
      return `${lineStart}> ${rendered().replaceAll("\n", "\n> ")}\n`;
  }
}

/** Marks stand beside letters, not beside white space, and do not reach over an empty line. */
function wrap(text: string, mark: string): string {
  return text
    .split(/(\n\s*\n)/)
    .map((part) => {
      const [, before = "", core = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(part) ?? [];
      return core === "" ? part : `${before}${mark}${core}${mark}${after}`;
    })
    .join("");
}

function codeSpan(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const padding = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return fence + padding + text + padding + fence;
}

function codeBlock(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const name = /^[\w+#.-]{1,40}$/.test(language) ? language : "";
  return `${fence}${name}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Length of the longest run of backticks. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function link(text: string, url: string): string {
  if (url === "") return text;
  return `[${text}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}
