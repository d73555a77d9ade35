import type { MessageEntity } from "grammy/types";

/** Text with its formatting; offsets and lengths are in UTF-16 units. */
export interface FormattedText {
  readonly text: string;
  readonly entities: MessageEntity[];
}

/** The address as Telegram stores it, or undefined when it makes no link of it: a host needs a dot. */
export function normaliseUrl(address: string): string | undefined {
  const trimmed = address.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  if (url.protocol === "tg:" || url.protocol === "ton:") return withScheme;
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (!url.hostname.includes(".")) return undefined;
  return url.pathname === "/" && url.search === "" && url.hash === "" ? url.href : withScheme;
}

/** Orders by offset, the longer first, and removes what Telegram does not keep: anything inside code and pre. */
export function orderEntities(entities: readonly MessageEntity[]): MessageEntity[] {
  const ordered = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  let codeEnd = -1;
  const kept: MessageEntity[] = [];
  for (const entity of ordered) {
    if (entity.offset < codeEnd) continue;
    if (entity.type === "code") kept.push({ type: "code", offset: entity.offset, length: entity.length });
    else kept.push(entity);
    if (entity.type === "code" || entity.type === "pre") codeEnd = entity.offset + entity.length;
  }
  return kept;
}
