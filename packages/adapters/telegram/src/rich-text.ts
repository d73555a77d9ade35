/** A rich message has at most 32,768 characters and 500 blocks; what exceeds that did not come from Telegram. */
const maxLength = 32_768;
const maxNodes = 20_000;
const maxDepth = 40;

/** What people read in a rich message, without its formatting; blocks are separated by empty lines. */
export function richText(message: unknown): string {
  const budget = { nodes: maxNodes };
  return blocksOf((message as { blocks?: unknown } | null)?.blocks, budget, 0).slice(0, maxLength);
}

interface Budget {
  nodes: number;
}

function blocksOf(blocks: unknown, budget: Budget, depth: number, separator = "\n\n"): string {
  if (!Array.isArray(blocks)) return "";
  const texts = blocks.map((block) => blockOf(block, budget, depth + 1));
  return texts.filter((text) => text !== "").join(separator);
}

function blockOf(block: unknown, budget: Budget, depth: number): string {
  if (typeof block !== "object" || block === null || isSpent(budget, depth)) return "";
  const { text, summary, expression, blocks, items, cells } = block as Readonly<Record<string, unknown>>;
  const rows = Array.isArray(cells) ? cells.map((row) => rowOf(row, budget, depth)) : [];
  const listed = Array.isArray(items) ? items.map((item) => itemOf(item, budget, depth)) : [];
  const shown = [textOf(summary, budget, depth), textOf(text, budget, depth), textOf(expression, budget, depth)];
  const inner = [...shown, blocksOf(blocks, budget, depth), rows.join("\n"), listed.join("\n")];
  return inner.filter((one) => one !== "").join("\n");
}

function rowOf(row: unknown, budget: Budget, depth: number): string {
  if (!Array.isArray(row)) return "";
  return row.map((cell) => textOf((cell as { text?: unknown } | null)?.text, budget, depth + 1)).join(" | ");
}

function itemOf(item: unknown, budget: Budget, depth: number): string {
  if (typeof item !== "object" || item === null) return "";
  const { label, blocks } = item as { readonly label?: unknown; readonly blocks?: unknown };
  return `${typeof label === "string" ? label : "•"} ${blocksOf(blocks, budget, depth, "\n")}`;
}

function textOf(text: unknown, budget: Budget, depth: number): string {
  if (typeof text === "string") return text;
  if (typeof text !== "object" || text === null || isSpent(budget, depth)) return "";
  if (Array.isArray(text)) return text.map((part) => textOf(part, budget, depth + 1)).join("");
  const { text: inner, expression, alternative_text } = text as Readonly<Record<string, unknown>>;
  return textOf(inner ?? expression ?? alternative_text, budget, depth + 1);
}

function isSpent(budget: Budget, depth: number): boolean {
  budget.nodes -= 1;
  return budget.nodes < 0 || depth > maxDepth;
}
