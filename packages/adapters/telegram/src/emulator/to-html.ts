import type { MessageEntity } from "grammy/types";

/**
 * Writes text and entities back as HTML in one fixed spelling, so that tests compare what people see and not how a bot spelled it.
 * Entities that Telegram finds on its own (links, mentions, commands) stay plain text.
 */
export function toHtml(text: string, entities: readonly MessageEntity[]): string {
  const openings = new Map<number, string[]>();
  const closings = new Map<number, string[]>();
  for (const entity of entities) {
    const tags = tagsOf(entity);
    if (tags === undefined) continue;
    const end = entity.offset + entity.length;
    openings.set(entity.offset, [...(openings.get(entity.offset) ?? []), tags[0]]);
    closings.set(end, [tags[1], ...(closings.get(end) ?? [])]);
  }
  if (openings.size === 0) return escapeHtml(text);
  const cuts = [...new Set([0, ...openings.keys(), ...closings.keys(), text.length])].sort((a, b) => a - b);
  return cuts
    .map((cut, index) => {
      const piece = escapeHtml(text.slice(cut, cuts[index + 1] ?? cut));
      return (closings.get(cut)?.join("") ?? "") + (openings.get(cut)?.join("") ?? "") + piece;
    })
    .join("");
}

const simpleTags: Record<string, string> = {
  bold: "b",
  italic: "i",
  underline: "u",
  strikethrough: "s",
  spoiler: "tg-spoiler",
  code: "code",
  blockquote: "blockquote",
};

function tagsOf(entity: MessageEntity): readonly [string, string] | undefined {
  switch (entity.type) {
    case "text_link":
      return [`<a href="${escapeHtml(entity.url).replaceAll('"', "&quot;")}">`, "</a>"];
    case "text_mention":
      return [`<a href="tg://user?id=${entity.user.id}">`, "</a>"];
    case "expandable_blockquote":
      return ["<blockquote expandable>", "</blockquote>"];
    case "pre":
      return entity.language
        ? [`<pre><code class="language-${escapeHtml(entity.language)}">`, "</code></pre>"]
        : ["<pre>", "</pre>"];
    default: {
      const tag = simpleTags[entity.type];
      return tag === undefined ? undefined : [`<${tag}>`, `</${tag}>`];
    }
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
