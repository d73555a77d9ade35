import type { TalariaConfig } from "@talaria/config";
import { knownProviders } from "@talaria/models";
import { loadHome } from "../load-home.ts";
import { priceText, tokensText } from "../setup/model/facts-text.ts";
import { wordsAt } from "../shell/working-words.ts";

type Entry = TalariaConfig["models"][string];

/** `talaria model list`: what is configured. Shows no key. */
export async function listConfigured(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void> {
  const { config, home } = await loadHome(options, process.env);
  if (options.json === true) return console.log(JSON.stringify(modelRows(config), null, 2));
  for (const line of modelLines(config)) console.log(await wordsAt(process.stdout, line));
  console.log(`in ${home.configFile}`);
}

type Parts = Pick<TalariaConfig, "agent" | "models" | "limits">;

function modelRows({ agent, models }: Parts) {
  return Object.entries(models).map(([name, entry]) => ({
    name,
    isUsed: name === agent.model,
    provider: providerOf(entry),
    model: entry.model,
    ...(entry.baseUrl !== undefined && { baseUrl: entry.baseUrl }),
    ...(entry.provider !== "demo" && { contextTokens: entry.contextTokens }),
    ...(entry.price !== undefined && { price: entry.price }),
    fallbacks: entry.fallbacks,
  }));
}

/** A line for each model, in columns, and what its fields leave open. */
function modelLines(config: Parts): readonly string[] {
  const { currency } = config.limits.spending;
  const rows = modelRows(config).map(({ name, isUsed, provider, model, contextTokens, price, fallbacks }) => [
    isUsed ? "*" : " ",
    name,
    provider,
    contextTokens === undefined ? "" : model,
    contextTokens === undefined ? "" : tokensText(contextTokens),
    contextTokens === undefined ? "" : price === undefined ? "price unknown" : priceText(price, currency),
    fallbacks.length === 0 ? "" : `then ${fallbacks.join(", ")}`,
  ]);
  const widths = [0, 1, 2, 3, 4, 5, 6].map((n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const isUnpriced = rows.some((row) => row[5] === "price unknown");
  return [
    ...lines,
    ...(isUnpriced ? ["Without a price, cost is unknown in `talaria usage`, and counts for no limit of money."] : []),
  ];
}

/** As people call it; a server that nobody knows by its address. */
function providerOf({ provider, baseUrl }: Entry): string {
  if (provider === "demo") return "offline demo";
  if (provider === "chatgpt") return "ChatGPT plan";
  const host = baseUrl === undefined ? undefined : new URL(baseUrl).host;
  if (host === "127.0.0.1:11434" || host === "localhost:11434") return "Ollama";
  if (host === "127.0.0.1:1234" || host === "localhost:1234") return "LM Studio";
  const known = knownProviders.find((each) =>
    host === undefined
      ? each.dialect === provider && each.baseUrl === "own"
      : URL.parse(each.baseUrl ?? "")?.host === host,
  );
  return known?.title.replace(/ \(.*\)|,.*/, "") ?? host ?? provider;
}
