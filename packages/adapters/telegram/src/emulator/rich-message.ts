import type { InputRichBlock } from "grammy/types";
import { badRequest } from "./api-error.ts";
import { isInvisible } from "./formatted-text.ts";

/** Limits as the Bot API documents them. */
const maxCharacters = 32_768;
const maxBlocks = 500;
const maxNesting = 16;
const maxColumns = 20;

const inlineTypes = new Set([
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "code",
  "url",
  "marked",
  "subscript",
  "superscript",
]);

export interface RichContent {
  readonly blocks: readonly InputRichBlock[];
  /** What people read, blocks on lines of their own. */
  readonly text: string;
}

/** Checks the blocks of a rich message. Those without files are known here; markdown and html are not part of this emulator. */
export function readRichMessage(value: Readonly<Record<string, unknown>>): RichContent {
  const given = ["blocks", "html", "markdown"].filter((name) => value[name] !== undefined);
  if (given.length !== 1) throw badRequest("exactly one of the fields html, markdown, or blocks must be used");
  if (!Array.isArray(value.blocks)) throw badRequest(`rich ${given[0]} is not part of this emulator`);
  const reader = new BlockReader();
  const text = reader.blocks(value.blocks, 1);
  if (isInvisible(text)) throw badRequest("rich message must be non-empty");
  if ([...text].length > maxCharacters) throw badRequest("RICH_MESSAGE_TOO_LONG");
  return { blocks: value.blocks as InputRichBlock[], text };
}

class BlockReader {
  #count = 0;

  blocks(blocks: unknown, depth: number): string {
    if (!Array.isArray(blocks) || blocks.length === 0) throw badRequest("RICH_MESSAGE_BLOCKS_EMPTY");
    if (depth > maxNesting) throw badRequest("RICH_MESSAGE_NESTING_TOO_DEEP");
    return blocks.map((block) => this.#block(block, depth)).join("\n");
  }

  #block(value: unknown, depth: number): string {
    this.#add(1);
    const { type, text, size, blocks, items, cells, expression } = (value ?? {}) as Readonly<Record<string, unknown>>;
    switch (type) {
      case "paragraph":
      case "pre":
        return visible(inline(text, depth));
      case "heading":
        if (!Number.isInteger(size) || Number(size) < 1 || Number(size) > 6) throw badRequest("HEADING_SIZE_INVALID");
        return visible(inline(text, depth));
      case "mathematical_expression":
        return formula(expression);
      case "divider":
        return "";
      case "blockquote":
        return this.blocks(blocks, depth + 1);
      case "list":
        if (!Array.isArray(items) || items.length === 0) throw badRequest("RICH_MESSAGE_LIST_EMPTY");
        return items.map((item) => this.#item(item, depth)).join("\n");
      case "table":
        return this.#table(cells, depth);
      default:
        throw badRequest(`can't parse rich message block: type ${String(type)} is not supported`);
    }
  }

  #item(item: unknown, depth: number): string {
    this.#add(1);
    const { blocks, value, is_checked, has_checkbox } = (item ?? {}) as Readonly<Record<string, unknown>>;
    if (is_checked === true && has_checkbox !== true) throw badRequest("LIST_ITEM_CHECKBOX_MISSING");
    return `${typeof value === "number" ? `${value}.` : "•"} ${this.blocks(blocks, depth + 1)}`;
  }

  #table(cells: unknown, depth: number): string {
    if (!Array.isArray(cells) || cells.length === 0 || !cells.every(Array.isArray)) throw badRequest("TABLE_EMPTY");
    this.#add(cells.length);
    return (cells as unknown[][])
      .map((row) => {
        if (row.length > maxColumns) throw badRequest("TABLE_TOO_WIDE");
        return row.map((cell) => this.#cell(cell, depth)).join(" | ");
      })
      .join("\n");
  }

  #cell(cell: unknown, depth: number): string {
    const { text, align, valign } = (cell ?? {}) as Readonly<Record<string, unknown>>;
    if (!["left", "center", "right"].includes(String(align))) throw badRequest("TABLE_CELL_ALIGN_INVALID");
    if (!["top", "middle", "bottom"].includes(String(valign))) throw badRequest("TABLE_CELL_VALIGN_INVALID");
    return text === undefined ? "" : inline(text, depth);
  }

  #add(count: number): void {
    this.#count += count;
    if (this.#count > maxBlocks) throw badRequest("RICH_MESSAGE_TOO_MANY_BLOCKS");
  }
}

function visible(text: string): string {
  if (text === "") throw badRequest("rich message block text must be non-empty");
  return text;
}

/** LaTeX (core.telegram.org/bots/api, RichTextMathematicalExpression and InputRichBlockMathematicalExpression). */
function formula(expression: unknown): string {
  if (typeof expression !== "string" || expression.trim() === "") throw badRequest("RICH_TEXT_EXPRESSION_INVALID");
  return expression;
}

function inline(value: unknown, depth: number): string {
  if (depth > maxNesting) throw badRequest("RICH_MESSAGE_NESTING_TOO_DEEP");
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((part) => inline(part, depth)).join("");
  const { type, text, url, expression } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (type === "mathematical_expression") return formula(expression);
  if (!inlineTypes.has(String(type))) throw badRequest(`can't parse rich text: type ${String(type)} is not supported`);
  if (type === "url" && !URL.canParse(String(url))) throw badRequest("RICH_TEXT_URL_INVALID");
  return inline(text, depth + 1);
}
