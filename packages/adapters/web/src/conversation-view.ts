import { type Dialect, plainText, renderMarkdown } from "@talaria/markdown";
import { visibleText } from "@talaria/protocol";
import type { WebConversation } from "./channel.ts";
import { writeKey } from "./place-key.ts";

export const longestTitle = 200;
const longestPreview = 200;

/** Words only: addresses and lines of tables would fill the line. */
const words: Dialect<string> = {
  ...plainText,
  link: (link) => link.words || link.url,
  image: ({ alt }) => alt,
  quote: (inner) => inner,
  rule: () => "",
  table: ({ rows }) => rows.map((row) => row.map((cell) => cell.words).join(" ")).join(" "),
};

/** A conversation as a list shows it: its title and preview are one line each, with nothing invisible. */
export function toView(chat: WebConversation): Readonly<Record<string, unknown>> {
  const { accountId, conversationId, platform, kind, title, previewFrom, lastAt, unread, isRunning, waiting } = chat;
  const own = platform === "web" ? { id: conversationId } : {};
  return {
    key: writeKey(chat),
    ...own,
    platform,
    accountId,
    kind,
    title: titleOf(chat),
    isNamed: title !== undefined,
    preview: plainLine(chat.preview, longestPreview),
    ...(previewFrom === undefined ? {} : { previewFrom }),
    lastAt,
    ...(platform === "web" ? { unread } : {}),
    isRunning,
    waiting,
  };
}

function titleOf({ title, knownAs, beginning, conversationId }: WebConversation): string {
  const automatic = beginning === undefined ? "" : plainLine(beginning, longestTitle);
  return title ?? ((knownAs === undefined ? automatic : oneLine(knownAs, longestTitle)) || conversationId);
}

/** What a reader sees of Markdown, on one line. */
function plainLine(markdown: string, most: number): string {
  return oneLine(renderMarkdown(markdown, words), most);
}

/** A text on one line without anything invisible, cut at the end. */
export function oneLine(text: string, most: number): string {
  const line = [...visibleText(text).replace(/\s+/gu, " ").trim()];
  return line.length <= most
    ? line.join("")
    : `${line
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}
