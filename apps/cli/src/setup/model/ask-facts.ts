import {
  type KnownPrice,
  type KnownProvider,
  knownModel,
  knownSince,
  lmStudioWindow,
  type ModelFacts,
  ollamaWindow,
} from "@talaria/models";
import { type Answers, Mistake } from "./answers.ts";
import { priceText, tokensText } from "./facts-text.ts";

const lookMs = 30_000;
/** Larger windows are not filled unasked: each step of a conversation pays for all that it holds. */
const mostUsedTokens = 200_000;
const fallbackTokens = 128_000;

export interface FactsSetting {
  readonly say: (line: string) => void;
  readonly name: string;
  readonly currency: string;
  /** What was given with the command is not asked. */
  readonly given: ReadonlyMap<string, string>;
}

/** The window and the price of the model: from its server, from our table, or else from whoever sets it up. */
export async function askFacts(answers: Answers, model: string, setting: FactsSetting): Promise<ModelFacts> {
  const { provider, place } = answers;
  const { given } = setting;
  const listed: ModelFacts = place?.offer?.find(({ name }) => name === model) ?? {};
  const known = provider?.prices === undefined ? {} : knownModel(provider.prices, model);
  const window = listed.contextTokens ?? known.contextTokens;
  const contextTokens = given.has("contextTokens") ? undefined : await windowOf(answers, model, window, setting);
  const isPriced = given.has("price.input") && given.has("price.output");
  const price = isPriced ? undefined : await priceOf(answers, listed.price, known.price, setting);
  return { ...(contextTokens !== undefined && { contextTokens }), ...(price !== undefined && { price }) };
}

async function windowOf(
  answers: Answers,
  model: string,
  found: number | undefined,
  setting: FactsSetting,
): Promise<number> {
  const { say, name } = setting;
  const { provider, place, interview } = answers;
  const loaded = place?.baseUrl === undefined ? undefined : await loadedWindow(provider, place.baseUrl, model);
  const window = loaded ?? found;
  if (window !== undefined && window <= mostUsedTokens) {
    say(`Its window: ${tokensText(window)}.`);
    return window;
  }
  if (window !== undefined) {
    say(
      `Its window: ${tokensText(window)}. Talaria fills ${tokensText(mostUsedTokens)} of it, since each step of a long conversation costs as much as it holds: models.${name}.contextTokens.`,
    );
    return mostUsedTokens;
  }
  if (!interview.isInteractive) {
    say(
      `Nobody says how large its window is: ${tokensText(fallbackTokens)} are assumed. models.${name}.contextTokens sets it.`,
    );
    return fallbackTokens;
  }
  const text = "How many tokens does its window hold? Nobody says";
  const typed = await interview.answer({ key: "contextTokens", text, preset: String(fallbackTokens) });
  const tokens = Number((typed ?? "").replace(/[,_. ]/g, ""));
  if (!Number.isInteger(tokens) || tokens < 1_000)
    throw new Mistake(`"${typed}" is no number of tokens: expected 1,000 or more`, "facts");
  return tokens;
}

/** What a program of this machine has loaded the model with, which is less than what it was made for. */
async function loadedWindow(provider: KnownProvider | undefined, baseUrl: string, model: string) {
  const windowOf = { ollama: ollamaWindow, lmstudio: lmStudioWindow };
  if (provider?.local === undefined) return undefined;
  const { origin } = new URL(baseUrl);
  return await windowOf[provider.local](origin, model, AbortSignal.timeout(lookMs)).catch(() => undefined);
}

async function priceOf(
  { provider, interview }: Answers,
  listed: KnownPrice | undefined,
  known: KnownPrice | undefined,
  { say, name, currency }: FactsSetting,
): Promise<KnownPrice | undefined> {
  if (provider?.local !== undefined) return { input: 0, output: 0 };
  const price = listed ?? known;
  if (price !== undefined && currency === "USD") {
    const source = listed === undefined ? `of ${knownSince.date}, from Talaria's table` : "as the server says";
    say(`Price of a million tokens: ${priceText(price, currency)} (${source}). models.${name}.price changes it.`);
    return price;
  }
  const unknown = `Without a price its cost is unknown in \`talaria usage\`, and counts for no limit of money: models.${name}.price sets it.`;
  if (!interview.isInteractive) {
    say(unknown);
    return undefined;
  }
  const text = `Price of a million tokens that it reads, in ${currency} (Enter: unknown)`;
  const input = amount(await interview.answer({ key: "price.input", text, preset: "" }));
  if (input === undefined) {
    say(unknown);
    return undefined;
  }
  const output = amount(
    await interview.answer({ key: "price.output", text: `And of a million that it writes, in ${currency}` }),
  );
  return { input, output: output ?? input };
}

function amount(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const value = Number(typed.replace(/^\D*?(?=[\d.])/, "").replace(",", "."));
  if (!Number.isFinite(value) || value < 0 || value > 100_000)
    throw new Mistake(`"${typed}" is no price: expected a number such as 2.50`, "facts");
  return value;
}
