import table from "./known-models.json" with { type: "json" };

/** Whose windows and prices the table holds. */
export type KnownService = keyof typeof table.services;

/** For a million tokens, in US dollars. Without the prices of the cache, those of other input count. */
export interface KnownPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** What is known of a model before it is asked. Everything may be missing. */
export interface ModelFacts {
  /** All that it reads and writes in one answer. */
  readonly contextTokens?: number;
  readonly price?: KnownPrice;
}

/** The day whose prices these are, and where they are from: `scripts/known-models.ts`. */
export const knownSince = { date: table.date, source: table.source };

type Row = readonly [
  names: readonly string[],
  window: number | null,
  input: number,
  output: number,
  cached: number | null,
  written: number | null,
];

/** Behind a name: `-20251101`, `-2026-03-05` and `@20251101` are versions of the same model. */
const dated = /[-@](\d{8}|\d{4}-\d\d-\d\d)$/;

/** What the table says of a model of this service. Nothing for a model that it does not name. */
export function knownModel(service: KnownService, model: string): ModelFacts {
  const rows = table.services[service] as unknown as readonly Row[];
  const name = model.toLowerCase();
  const row = find(rows, name) ?? find(rows, name.replace(dated, ""));
  if (row === undefined) return {};
  const [, window, input, output, cached, written] = row;
  return {
    ...(window !== null && { contextTokens: window }),
    price: {
      input,
      output,
      ...(cached !== null && { cachedInput: cached }),
      ...(written !== null && { cacheWrite: written }),
    },
  };
}

/** The name itself counts before the longest beginning of it. */
function find(rows: readonly Row[], name: string): Row | undefined {
  const whole = rows.find(([names]) => names.includes(name));
  if (whole !== undefined) return whole;
  let best: { readonly row: Row; readonly length: number } | undefined;
  for (const row of rows)
    for (const each of row[0])
      if (each.endsWith("*") && name.startsWith(each.slice(0, -1)) && each.length > (best?.length ?? 0))
        best = { row, length: each.length };
  return best?.row;
}
