import type { SlackBlock } from "./wire-content.ts";

/** Longest text that is read out of blocks, in UTF-16 units, and the objects that are looked at for it. */
const longestText = 40_000;
const mostNodes = 2_000;
const deepest = 10;

/** What people cannot read but only press or fill in. */
const controls: ReadonlySet<unknown> = new Set(["actions", "context_actions", "input", "divider"]);
/** Where blocks and their parts keep words, in the order in which people see them (docs.slack.dev/reference/block-kit/blocks). */
const wordFields = [
  "title",
  "rich_text_title",
  "subtitle",
  "text",
  "body",
  "caption",
  "description",
  "alt_text",
] as const;
const partFields = ["fields", "elements", "child_blocks", "rows", "tasks"] as const;

type Node = Readonly<Record<string, unknown>>;

/** Counts down the objects that may still be looked at, so that no peer decides how long reading takes. */
interface Budget {
  nodes: number;
}

/**
 * The words of a message's blocks in Slack's own dialect (mrkdwn), so that they are read as a text is. Empty when there are
 * none. Bounded in length, number and depth.
 */
export function blockText(blocks: readonly SlackBlock[]): string {
  const budget = { nodes: mostNodes };
  const lines: string[] = [];
  let length = 0;
  for (const block of blocks) {
    if (budget.nodes <= 0 || length > longestText) break;
    const line = wordsOf(block, budget, 0).trim();
    length += line.length + 1;
    if (line !== "") lines.push(line);
  }
  return lines.join("\n").slice(0, longestText);
}

/** A plain text as mrkdwn writes it. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function wordsOf(value: unknown, budget: Budget, depth: number): string {
  budget.nodes -= 1;
  if (budget.nodes < 0 || depth > deepest) return "";
  if (Array.isArray(value)) return joined(value, " | ", budget, depth);
  if (!isNode(value) || controls.has(value.type)) return "";
  const { type, text } = value;
  if (type === "rich_text") return joined(value.elements, "\n", budget, depth);
  if (typeof type === "string" && type.startsWith("rich_text_")) return richText(value, budget, depth);
  if (type === "mrkdwn") return typeof text === "string" ? text : "";
  if (type === "header") return bold(wordsOf(text, budget, depth + 1));
  const said = wordFields.map((field) => words(value[field], type, budget, depth));
  const separator = type === "context" ? " " : "\n";
  const parts = partFields.map((field) => joined(value[field], separator, budget, depth));
  return [...said, ...parts].filter((line) => line !== "").join("\n");
}

/** A field that is a text, or an object with one. */
function words(value: unknown, type: unknown, budget: Budget, depth: number): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return wordsOf(value, budget, depth + 1);
  // Apps write plain texts without Slack's signs, but Slack sends them with `&`, `<` and `>` escaped already.
  return type === "markdown" ? escaped(value) : value;
}

function joined(values: unknown, separator: string, budget: Budget, depth: number): string {
  if (!Array.isArray(values)) return "";
  const pieces: string[] = [];
  for (const value of values) {
    if (budget.nodes <= 0) break;
    const piece = wordsOf(value, budget, depth + 1);
    if (piece !== "") pieces.push(piece);
  }
  return pieces.join(separator);
}

/** The parts of a `rich_text` block: sections, lists, quotes and preformatted text. */
function richText(node: Node, budget: Budget, depth: number): string {
  const { type, elements } = node;
  if (!Array.isArray(elements)) return "";
  if (type === "rich_text_list") return listText(node, elements, budget, depth);
  const line = inline(elements, budget, type === "rich_text_preformatted");
  if (type === "rich_text_quote") return line.replace(/^/gm, "&gt; ");
  return type === "rich_text_preformatted" ? `\`\`\`\n${line}\n\`\`\`` : line;
}

function listText({ style, indent }: Node, items: readonly unknown[], budget: Budget, depth: number): string {
  const margin = "  ".repeat(typeof indent === "number" ? Math.min(Math.max(0, Math.trunc(indent)), 8) : 0);
  const lines: string[] = [];
  for (const item of items) {
    if (budget.nodes <= 0) break;
    lines.push(`${margin}${style === "ordered" ? `${lines.length + 1}.` : "-"} ${wordsOf(item, budget, depth + 1)}`);
  }
  return lines.join("\n");
}

function inline(elements: readonly unknown[], budget: Budget, isCode: boolean): string {
  const pieces: string[] = [];
  for (const element of elements) {
    budget.nodes -= 1;
    if (budget.nodes < 0) break;
    if (isNode(element)) pieces.push(isCode ? reference(element) : styled(reference(element), element.style));
  }
  return pieces.join("");
}

/** One element of rich text as mrkdwn writes it. */
function reference({ type, text, ...node }: Node): string {
  const shown = typeof text === "string" ? escaped(text) : "";
  const named = (field: string) => (/^[\w-]{1,100}$/.test(String(node[field])) ? String(node[field]) : undefined);
  const { url, range, fallback, value } = node;
  switch (type) {
    case "text":
      return shown;
    case "link":
      return typeof url === "string"
        ? `<${url.replace(/[<>|\s]/g, encodeURIComponent)}${shown && `|${shown}`}>`
        : shown;
    case "user":
      return named("user_id") ? `<@${named("user_id")}>` : "";
    case "channel":
      return named("channel_id") ? `<#${named("channel_id")}>` : "";
    case "usergroup":
      return named("usergroup_id") ? `<!subteam^${named("usergroup_id")}>` : "";
    case "broadcast":
      return range === "here" || range === "channel" || range === "everyone" ? `<!${range}>` : "";
    case "emoji":
      return emoji(named("unicode")) ?? (named("name") ? `:${named("name")}:` : "");
    default:
      return [shown, fallback, value].find((one) => typeof one === "string" && one !== "")?.toString() ?? "";
  }
}

/** `1f468-200d-1f4bb` as the characters it stands for. */
function emoji(codes: string | undefined): string | undefined {
  if (codes === undefined || !/^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,15}$/i.test(codes)) return undefined;
  const points = codes.split("-").map((code) => Number.parseInt(code, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : undefined;
}

function styled(text: string, style: unknown): string {
  if (!isNode(style)) return text;
  if (style.code === true) return wrap("`", text);
  const struck = style.strike === true ? wrap("~", text) : text;
  return style.bold === true ? bold(struck) : struck;
}

function bold(text: string): string {
  return wrap("*", text);
}

/** Marks stand beside letters, not beside white space. */
function wrap(mark: string, text: string): string {
  const core = text.trim();
  return core === "" ? text : text.replace(core, () => `${mark}${core}${mark}`);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
