import type { MessageEntity } from "grammy/types";

const patterns: readonly { readonly type: string; readonly pattern: RegExp }[] = [
  { type: "url", pattern: /(?<![\w@.])https?:\/\/[^\s<>"]{3,2000}/gi },
  { type: "email", pattern: /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g },
  { type: "bot_command", pattern: /(?<![\w/<>@])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/@])/g },
  { type: "mention", pattern: /(?<![\w@/.])@[A-Za-z][A-Za-z0-9_]{2,31}(?![\w@])/g },
  { type: "hashtag", pattern: /(?<![\p{L}\w&/])#[\p{L}\w]*\p{L}[\p{L}\w]*/gu },
];

/**
 * Finds what Telegram itself marks in plain text: links, mail addresses, commands, mentions and hashtags.
 * Offsets are in UTF-16 units. Nothing is reported where `taken` says the place is code or a link already.
 */
export function detectEntities(text: string, taken: readonly MessageEntity[] = []): MessageEntity[] {
  if (!/[/@#]/.test(text)) return [];
  const found: MessageEntity[] = [];
  const blocked = taken.filter((entity) => ["code", "pre", "text_link", "text_mention"].includes(entity.type));
  for (const { type, pattern } of patterns) {
    for (const match of text.matchAll(pattern)) {
      const length = type === "url" ? match[0].replace(/[.,:;!?)\]'"]+$/, "").length : match[0].length;
      const entity = { type, offset: match.index, length } as MessageEntity;
      if (![...blocked, ...found].some((other) => overlaps(entity, other))) found.push(entity);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}

function overlaps(one: MessageEntity, other: MessageEntity): boolean {
  return one.offset < other.offset + other.length && other.offset < one.offset + one.length;
}
