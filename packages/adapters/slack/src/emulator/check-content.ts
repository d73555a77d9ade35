import { ApiError } from "./api-error.ts";
import { isTooHeavy } from "./message-size.ts";
import type { CallArgs } from "./method.ts";

type Block = Readonly<Record<string, unknown>>;

/** Longer texts are cut off, with a warning (docs.slack.dev/changelog/2018-04-truncating-really-long-messages). */
const longestText = 40_000;
/** Of all `markdown` blocks of a message together (docs.slack.dev/reference/block-kit/blocks/markdown-block). */
const longestMarkdown = 12_000;
const mostBlocks = 50;
const mostRows = 100;
const mostColumns = 20;

export interface Content {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** What people see. */
  readonly shown: string;
}

/** The content of a message as Slack would take it, or its refusal. */
export function checkContent(args: CallArgs, isEmptyAllowed = false): Content {
  const text = args.text("text");
  const markdown = args.text("markdown_text");
  const blocks = checkBlocks(args.json("blocks"));
  if (markdown !== "" && (text !== "" || blocks.length > 0)) throw new ApiError("markdown_text_conflict");
  if (markdown.length > longestMarkdown) throw new ApiError("msg_too_long");
  if (text === "" && markdown === "" && blocks.length === 0 && !isEmptyAllowed) throw new ApiError("no_text");
  const shown = blocks.length > 0 ? blocks.map(textOf).join("\n") : markdown || text.slice(0, longestText);
  return { text: text.slice(0, longestText) || markdown, blocks, shown: shown.trimEnd() };
}

export function checkBlocks(value: unknown): readonly Block[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ApiError("invalid_blocks_format");
  if (value.length > mostBlocks) refuse(`no more than ${mostBlocks} items allowed [json-pointer:/blocks]`);
  const blocks = value.map((block: unknown) => checkBlock(block));
  const markdown = blocks.reduce((sum, block) => sum + (block.type === "markdown" ? textOf(block).length : 0), 0);
  if (markdown > longestMarkdown) refuse(`must be no more than ${longestMarkdown} characters`);
  if (isTooHeavy(blocks)) throw new ApiError("msg_blocks_too_long");
  return blocks;
}

function checkBlock(value: unknown): Block {
  if (typeof value !== "object" || value === null) throw new ApiError("invalid_blocks_format");
  const block = value as Block;
  switch (block.type) {
    case "markdown":
      if (typeof block.text !== "string" || block.text === "") refuse("missing required field: text");
      checkTables(textOf(block));
      return block;
    case "section":
      if (textOf(block) === "" || textOf(block).length > 3_000) refuse("must be less than 3001 characters");
      return block;
    case "actions":
      checkButtons(block.elements);
      return block;
    case "context":
      if (textOf(block) === "") refuse("context elements must not be empty");
      return block;
    case "divider":
      return block;
    default:
      return refuse(`unsupported type: ${String(block.type)}`);
  }
}

/** Slack makes table blocks of the tables of a text, with their limits (docs.slack.dev/reference/block-kit/blocks/table-block). */
function checkTables(markdown: string): void {
  for (const [table] of markdown.matchAll(/(?:^\|.*\|[ \t]*\n?){2,}/gm)) {
    const rows = table.trim().split("\n");
    if (rows.length - 1 > mostRows) refuse(`no more than ${mostRows} items allowed [json-pointer:/blocks/0/rows]`);
    const widest = Math.max(...rows.map((row) => row.trim().split("|").length - 2));
    if (widest > mostColumns) refuse(`no more than ${mostColumns} items allowed [json-pointer:/blocks/0/rows/0]`);
  }
}

function checkButtons(elements: unknown): void {
  if (!Array.isArray(elements) || elements.length === 0 || elements.length > 25) refuse("between 1 and 25 elements");
  const ids = new Set<string>();
  for (const { type, action_id: id, text, value, options } of elements as readonly Record<string, unknown>[]) {
    if (type === "static_select") {
      checkOptions(options);
      continue;
    }
    const label = (text as { type?: unknown; text?: unknown } | undefined) ?? {};
    if (type !== "button") refuse(`unsupported type: ${String(type)}`);
    if (typeof id !== "string" || id === "" || id.length > 255 || ids.has(id)) refuse("action_id is not unique");
    if (label.type !== "plain_text" || typeof label.text !== "string" || label.text === "") refuse("missing text");
    if (String(label.text).length > 75) refuse("must be less than 76 characters");
    if (typeof value === "string" && value.length > 2_000) refuse("must be less than 2001 characters");
    ids.add(String(id));
  }
}

/** docs.slack.dev/reference/block-kit/composition-objects/option-object */
function checkOptions(options: unknown): void {
  if (!Array.isArray(options) || options.length === 0 || options.length > 100) refuse("between 1 and 100 options");
  for (const { text, value } of options as { text?: { text?: string }; value?: string }[]) {
    if (!text?.text || text.text.length > 75) refuse("must be less than 76 characters");
    if (!value || value.length > 150) refuse("must be less than 151 characters");
  }
}

function refuse(message: string): never {
  throw new ApiError("invalid_blocks", [`[ERROR] ${message}`]);
}

function textOf({ type, text, elements }: Block): string {
  if (type === "markdown" && typeof text === "string") return text;
  if (type === "context")
    return Array.isArray(elements) ? elements.map((one) => String(one?.text ?? "")).join(" ") : "";
  const nested = (text as { text?: unknown } | undefined)?.text;
  return type === "section" && typeof nested === "string" ? nested : "";
}
