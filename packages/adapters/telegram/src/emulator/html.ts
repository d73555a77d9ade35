import type { MessageEntity } from "grammy/types";
import { badRequest } from "./api-error.ts";
import { type FormattedText, normaliseUrl, orderEntities } from "./entities.ts";

interface OpenTag {
  readonly name: string;
  readonly argument: string;
  readonly start: number;
}

const entityTypes: Record<string, string> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  span: "spoiler",
  "tg-spoiler": "spoiler",
  "tg-emoji": "custom_emoji",
  a: "text_link",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
};

const namedCharacters: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/**
 * Parses text in parse mode HTML as strictly as the Bot API: unknown, unclosed, wrongly nested or stray tags are refused
 * with `ApiError` 400 and the byte offset. Any `&name;` other than lt, gt, amp and quot stays as written.
 * Offsets of the entities are in UTF-16 units of the returned text.
 */
export function parseHtml(source: string): FormattedText {
  return new HtmlReader(source).read();
}

class HtmlReader {
  readonly #source: string;
  readonly #open: OpenTag[] = [];
  readonly #entities: MessageEntity[] = [];
  #position = 0;
  #text = "";

  constructor(source: string) {
    this.#source = source;
  }

  read(): FormattedText {
    while (this.#position < this.#source.length) {
      const next = this.#nextSpecial();
      this.#text += this.#source.slice(this.#position, next);
      this.#position = next;
      const character = this.#source[next];
      if (character === "&") this.#text += this.#readCharacterReference();
      else if (character === "<") this.#readTag();
    }
    const unclosed = this.#open.at(-1);
    if (unclosed) throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
    return { text: this.#text, entities: orderEntities(this.#entities) };
  }

  #nextSpecial(): number {
    for (let index = this.#position; index < this.#source.length; index++) {
      const code = this.#source.charCodeAt(index);
      if (code === 0x26 || code === 0x3c) return index;
    }
    return this.#source.length;
  }

  /** Reads one `&...;` and moves behind it; an unknown one yields just the ampersand. */
  #readCharacterReference(): string {
    const rest = this.#source.slice(this.#position, this.#position + 12);
    const match = /^&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));?/i.exec(rest);
    const decoded = match && decodeCharacter(match[1], match[2], match[3]);
    this.#position += decoded === undefined || decoded === null ? 1 : (match?.[0].length ?? 1);
    return decoded ?? "&";
  }

  #readTag(): void {
    const start = this.#position;
    if (this.#source[start + 1] === "/") this.#readEndTag(start);
    else this.#readStartTag(start);
  }

  #readStartTag(start: number): void {
    this.#position += 1;
    const name = this.#takeWhile((character) => !isSpace(character) && character !== ">").toLowerCase();
    if (this.#atEnd()) throw cannotParse(`Unclosed start tag at byte offset ${this.#bytesAt(start)}`);
    if (!Object.hasOwn(entityTypes, name)) {
      throw cannotParse(`Unsupported start tag "${name}" at byte offset ${this.#bytesAt(start)}`);
    }
    const attributes = this.#readAttributes(name, start);
    const argument = argumentOf(name, attributes);
    if (name === "span" && argument !== "tg-spoiler") {
      throw cannotParse(`Tag "span" must have class "tg-spoiler" at byte offset ${this.#bytesAt(start)}`);
    }
    this.#open.push({ name, argument, start: this.#text.length });
  }

  /** Reads up to and including the closing `>`. */
  #readAttributes(tag: string, start: number): Map<string, string> {
    const attributes = new Map<string, string>();
    for (;;) {
      this.#takeWhile(isSpace);
      if (this.#atEnd()) throw cannotParse(`Unclosed start tag "${tag}" at byte offset ${this.#bytesAt(start)}`);
      if (this.#source[this.#position] === ">") {
        this.#position += 1;
        return attributes;
      }
      const name = this.#takeWhile((character) => !isSpace(character) && !`=>/"'`.includes(character)).toLowerCase();
      if (name === "") {
        throw cannotParse(`Empty attribute name in the tag "${tag}" at byte offset ${this.#bytesAt(start)}`);
      }
      this.#takeWhile(isSpace);
      if (this.#source[this.#position] !== "=") {
        attributes.set(name, "");
        continue;
      }
      this.#position += 1;
      this.#takeWhile(isSpace);
      attributes.set(name, this.#readAttributeValue(tag, start));
    }
  }

  #readAttributeValue(tag: string, start: number): string {
    const quote = this.#source[this.#position];
    if (quote !== '"' && quote !== "'") {
      const tokenStart = this.#position;
      const value = this.#takeWhile((character) => /[A-Za-z0-9.-]/.test(character));
      if (!this.#atEnd() && !isSpace(this.#source[this.#position] ?? "") && this.#source[this.#position] !== ">") {
        throw cannotParse(`Unexpected end of name token at byte offset ${this.#bytesAt(tokenStart)}`);
      }
      return value.toLowerCase();
    }
    this.#position += 1;
    let value = "";
    while (!this.#atEnd() && this.#source[this.#position] !== quote) {
      if (this.#source[this.#position] === "&") value += this.#readCharacterReference();
      else value += this.#source[this.#position++];
    }
    if (this.#atEnd()) throw cannotParse(`Unclosed start tag "${tag}" at byte offset ${this.#bytesAt(start)}`);
    this.#position += 1;
    return value;
  }

  #readEndTag(start: number): void {
    const open = this.#open.pop();
    if (open === undefined) throw cannotParse(`Unexpected end tag at byte offset ${this.#bytesAt(start)}`);
    this.#position += 2;
    const name = this.#takeWhile((character) => !isSpace(character) && character !== ">").toLowerCase();
    this.#takeWhile(isSpace);
    if (this.#source[this.#position] !== ">") {
      throw cannotParse(`Unclosed end tag at byte offset ${this.#bytesAt(start)}`);
    }
    if (name !== "" && name !== open.name) {
      const found = `expected "</${open.name}>", found "</${name}>"`;
      throw cannotParse(`Unmatched end tag at byte offset ${this.#bytesAt(start)}, ${found}`);
    }
    this.#position += 1;
    this.#close(open);
  }

  #close(open: OpenTag): void {
    const length = this.#text.length - open.start;
    if (length === 0) return;
    const entity = toEntity(open, length, this.#text);
    if (entity === undefined) return;
    const inner = this.#entities.at(-1);
    const wraps = inner?.offset === open.start && inner.length === length;
    if (open.name === "pre" && wraps && inner.type === "code") {
      this.#entities.pop();
      const language = (inner as { language?: string }).language;
      this.#entities.push({ ...entity, ...(language && { language }) } as MessageEntity);
      return;
    }
    this.#entities.push(entity);
  }

  #takeWhile(accepts: (character: string) => boolean): string {
    const start = this.#position;
    while (!this.#atEnd() && accepts(this.#source[this.#position] ?? "")) this.#position += 1;
    return this.#source.slice(start, this.#position);
  }

  #atEnd(): boolean {
    return this.#position >= this.#source.length;
  }

  #bytesAt(position: number): number {
    return Buffer.byteLength(this.#source.slice(0, position));
  }
}

function argumentOf(name: string, attributes: Map<string, string>): string {
  switch (name) {
    case "a":
      return attributes.get("href") ?? "";
    case "span":
      return attributes.get("class") ?? "";
    case "code":
      return /^language-(.+)/.exec(attributes.get("class") ?? "")?.[1] ?? "";
    case "tg-emoji":
      return attributes.get("emoji-id") ?? "";
    case "blockquote":
      return attributes.has("expandable") ? "expandable" : "";
    default:
      return "";
  }
}

function toEntity(open: OpenTag, length: number, text: string): MessageEntity | undefined {
  const place = { offset: open.start, length };
  switch (open.name) {
    case "a": {
      const url = normaliseUrl(open.argument || text.slice(open.start));
      return url === undefined ? undefined : { type: "text_link", url, ...place };
    }
    case "blockquote":
      return { type: open.argument === "expandable" ? "expandable_blockquote" : "blockquote", ...place };
    case "tg-emoji":
      return { type: "custom_emoji", custom_emoji_id: open.argument, ...place };
    case "code":
      return { type: "code", ...place, ...(open.argument && { language: open.argument }) } as MessageEntity;
    default:
      return { type: entityTypes[open.name], ...place } as MessageEntity;
  }
}

function decodeCharacter(hex?: string, decimal?: string, name?: string): string | undefined {
  if (name !== undefined) return namedCharacters[name];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r" || character === "\f";
}

function cannotParse(reason: string) {
  return badRequest(`can't parse entities: ${reason}`);
}
