/**
 * Writes `packages/models/src/known/known-models.json`, what `talaria setup model` knows of windows and prices:
 * `node scripts/known-models.ts <file or address> <release> <YYYY-MM-DD>`. The data is `prices/new_data/v2/data.json` of
 * https://github.com/pydantic/genai-prices (MIT); the day is the one whose prices count.
 */
import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";

/** Whose models are taken over. What OpenRouter's cost, it says itself. */
const services = ["anthropic", "openai", "google", "deepseek", "mistral", "groq"] as const;
const longestMs = 60_000;

const clauseSchema = z.object({ equals: z.string().optional(), starts_with: z.string().optional() });
const matchSchema = clauseSchema.extend({ or: z.array(z.unknown()).optional() });
const amountSchema = z.union([z.number(), z.object({ base: z.number() }).transform(({ base }) => base)]);
const pricesSchema = z.object({
  input_mtok: amountSchema.optional(),
  output_mtok: amountSchema.optional(),
  cache_read_mtok: amountSchema.optional(),
  cache_write_mtok: amountSchema.optional(),
});
const conditionalSchema = z.object({
  constraint: z.object({ start_date: z.string().optional(), start_time: z.string().optional() }).nullish(),
  prices: pricesSchema,
});
const modelSchema = z.object({
  id: z.string(),
  match: matchSchema,
  deprecated: z.boolean().optional(),
  context_window: z.number().int().positive().optional(),
  prices: z.union([pricesSchema, z.array(conditionalSchema)]),
});
const dataSchema = z.array(z.object({ id: z.string(), models: z.array(modelSchema) }));

type Prices = z.infer<typeof pricesSchema>;
type Model = z.infer<typeof modelSchema>;

const [place, release, date] = process.argv.slice(2);
if (place === undefined || release === undefined || !/^\d{4}-\d\d-\d\d$/.test(date ?? ""))
  throw new Error("usage: node scripts/known-models.ts <file or address> <release> <YYYY-MM-DD>");
const data = dataSchema.parse(JSON.parse(await textAt(place)));
const table = {
  source: `github.com/pydantic/genai-prices ${release}`,
  date,
  services: Object.fromEntries(services.map((id) => [id, rowsOf(id)])),
};
const file = new URL("../packages/models/src/known/known-models.json", import.meta.url);
await writeFile(file, `${written(table)}\n`);

async function textAt(where: string): Promise<string> {
  if (!/^https:/.test(where)) return await readFile(where, "utf8");
  const response = await fetch(where, { signal: AbortSignal.timeout(longestMs) });
  if (!response.ok) throw new Error(`${where} answers ${response.status}`);
  return await response.text();
}

/** `[names, window, input, output, cached, written]`; null where nobody says. A name that ends in `*` is the beginning of one. */
function rowsOf(id: string) {
  const models = data.find((each) => each.id === id)?.models;
  if (models === undefined) throw new Error(`the data has no ${id}`);
  return models.flatMap((model) => {
    const { input_mtok: input, output_mtok: output, cache_read_mtok, cache_write_mtok } = pricesOf(model);
    const names = namesOf(model.match);
    if (model.deprecated === true || names.length === 0 || !input || !output) return [];
    return [[names, model.context_window ?? null, input, output, cache_read_mtok ?? null, cache_write_mtok ?? null]];
  });
}

function namesOf(match: unknown): readonly string[] {
  const { equals, starts_with, or = [] } = matchSchema.parse(match);
  const own = [...(equals === undefined ? [] : [equals]), ...(starts_with === undefined ? [] : [`${starts_with}*`])];
  return [...new Set([...own, ...or.flatMap(namesOf)])];
}

/** Those of the day; where they change with the hour, the dearest, since limits of money must not count too little. */
function pricesOf({ prices }: Model): Prices {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(
    ({ constraint }) => constraint?.start_date === undefined || constraint.start_date <= (date ?? ""),
  );
  const newest = begun.findLastIndex(({ constraint }) => constraint?.start_time === undefined);
  const ofTheDay = begun.slice(Math.max(0, newest)).map((each) => each.prices);
  return ofTheDay.sort((a, b) => (b.input_mtok ?? 0) - (a.input_mtok ?? 0))[0] ?? {};
}

/** A line for each model: changes of prices are to be read in a diff. */
function written({ services: byId, ...head }: typeof table): string {
  const lines = Object.entries(byId).map(
    ([id, rows]) =>
      `    ${JSON.stringify(id)}: [\n${rows.map((row) => `      ${JSON.stringify(row)}`).join(",\n")}\n    ]`,
  );
  const top = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  return `{\n${top.join("\n")}\n  "services": {\n${lines.join(",\n")}\n  }\n}`;
}
