import type { Tool } from "./tool.ts";

const weights = { name: 6, beginning: 2, description: 1 };
const mostDescriptionChars = 2_000;

/**
 * The tools that have a word of the query in name or description, the best first: rare words count more, and words of the name
 * more than those of the description. Equal ones stand by name.
 */
export function rankTools(query: string, tools: readonly Tool[]): readonly Tool[] {
  const asked = [...new Set(wordsOf(query))];
  const texts = tools.map((tool) => ({
    tool,
    name: new Set(wordsOf(tool.name)),
    description: new Set(wordsOf(tool.description.slice(0, mostDescriptionChars))),
  }));
  const rarity = new Map(
    asked.map((word) => [word, rarityOf(texts.filter((text) => weightOf(word, text) > 0).length, tools.length)]),
  );
  const scored = texts.map((text) => ({
    tool: text.tool,
    score:
      asked.reduce((sum, word) => sum + weightOf(word, text) * (rarity.get(word) ?? 0), 0) +
      (text.tool.name.toLowerCase() === query.trim().toLowerCase() ? 1_000 : 0),
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

interface Words {
  readonly name: ReadonlySet<string>;
  readonly description: ReadonlySet<string>;
}

function weightOf(word: string, { name, description }: Words): number {
  const begins = (other: string) =>
    word.length >= 3 && (other.startsWith(word) || (other.length >= 3 && word.startsWith(other)));
  if (name.has(word)) return weights.name;
  if ([...name].some(begins)) return weights.beginning;
  if (description.has(word)) return weights.description;
  return [...description].some(begins) ? weights.description / 2 : 0;
}

function rarityOf(having: number, all: number): number {
  return Math.log(1 + all / Math.max(1, having));
}

/** Lower case, `createIssue` and `create_issue` as two words. */
function wordsOf(text: string): readonly string[] {
  return (
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
