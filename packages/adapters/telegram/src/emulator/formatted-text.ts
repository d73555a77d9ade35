import type { MessageEntity } from "grammy/types";
import { badRequest } from "./api-error.ts";
import { detectEntities } from "./detect-entities.ts";
import { type FormattedText, orderEntities } from "./entities.ts";
import { parseHtml } from "./html.ts";
import type { Parameters } from "./parameters.ts";

/** UTF-16 units after entities are parsed. */
export const maxTextLength = 4_096;
export const maxCaptionLength = 1_024;

const explicitEntityTypes = new Set([
  "mention",
  "hashtag",
  "cashtag",
  "bot_command",
  "url",
  "email",
  "phone_number",
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "blockquote",
  "expandable_blockquote",
  "code",
  "pre",
  "text_link",
  "text_mention",
  "custom_emoji",
]);

/** Zero-width and blank characters that do not make a text visible. */
const invisible = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

/**
 * The text of a call as people will see it: parsed by `parse_mode` or with the given entities, control characters replaced,
 * trimmed, with links, mentions and commands marked. It may be empty; the caller decides whether that is allowed.
 */
export function readFormattedText(
  parameters: Parameters,
  names: { readonly text: string; readonly entities: string },
): FormattedText {
  const source = cleanText(parameters.text(names.text));
  const mode = parameters.text("parse_mode").toLowerCase();
  const parsed = mode === "" ? explicit(source, parameters.list(names.entities)) : parse(source, mode);
  const trimmed = trim(parsed);
  const detected = detectEntities(trimmed.text, trimmed.entities);
  return { text: trimmed.text, entities: orderEntities([...trimmed.entities, ...detected]) };
}

/** True when people would see nothing. */
export function isInvisible(text: string): boolean {
  return invisible.test(text);
}

function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters Telegram replaces
  return text.replaceAll("\r", "").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, " ");
}

function parse(source: string, mode: string): FormattedText {
  if (mode === "html") return parseHtml(source);
  if (mode === "markdownv2" || mode === "markdown") {
    throw badRequest(`can't parse entities: parse mode ${mode} is not part of this emulator`);
  }
  throw badRequest("unsupported parse_mode");
}

function explicit(text: string, entities: unknown[] | undefined): FormattedText {
  return { text, entities: orderEntities((entities ?? []).map((entity) => checkEntity(entity, text.length))) };
}

function checkEntity(value: unknown, textLength: number): MessageEntity {
  const entity = value as MessageEntity;
  if (typeof entity !== "object" || entity === null || !explicitEntityTypes.has(entity.type)) {
    throw badRequest("can't parse MessageEntity: Unsupported type specified");
  }
  const { offset, length } = entity;
  if (!Number.isInteger(offset) || !Number.isInteger(length) || offset < 0 || length <= 0) {
    throw badRequest(`can't parse entities: Receive an entity with incorrect offset ${offset} or length ${length}`);
  }
  if (offset + length > textLength) {
    throw badRequest(`entity beginning at UTF-16 offset ${offset} ends after the end of the text`);
  }
  return entity;
}

/** Removes blank space at both ends; at the front only as far as no entity covers it. */
function trim({ text, entities }: FormattedText): FormattedText {
  const end = text.trimEnd().length;
  const blank = text.length - text.trimStart().length;
  const start = Math.min(blank, end, entities[0]?.offset ?? blank);
  if (start === 0 && end === text.length) return { text, entities };
  const moved = entities.flatMap((entity) => {
    const length = Math.min(entity.offset + entity.length, end) - entity.offset;
    return length > 0 ? [{ ...entity, offset: entity.offset - start, length }] : [];
  });
  return { text: text.slice(start, end), entities: moved };
}
