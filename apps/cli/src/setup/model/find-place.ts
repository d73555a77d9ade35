import { addressesMeant, listModels, type ModelConfig, ownPlace } from "@talaria/models";
import { type GatewayError, isGatewayError } from "@talaria/protocol";
import { type Answers, Mistake, type Place } from "./answers.ts";
import { localAddress } from "./ask-provider.ts";

type RemoteModel = Exclude<ModelConfig, { readonly provider: "demo" }>;

const listMs = 60_000;

export interface FindOptions {
  readonly say: (line: string) => void;
  /** What a start would make of an entry with this address, without a model. Throws when it would not take it. */
  readonly configAt: (baseUrl: string | undefined) => Promise<RemoteModel>;
  /** Whether servers may be asked. Without it, the address counts as it was typed. */
  readonly isAsked: boolean;
}

/**
 * Asks for the address where it isn't known, tries it with and without `/v1`, and keeps the one that lists models. A server that lists
 * nothing may have models all the same. Throws a `Mistake` about the address or the key.
 */
export async function findPlace(answers: Answers, { say, configAt, isAsked: mayAsk }: FindOptions): Promise<Place> {
  const addresses = await askAddress(answers);
  if (!mayAsk) return { baseUrl: answers.known("baseUrl") || addresses[0], others: [], offer: undefined };
  const found = await tryEach(addresses, configAt);
  if ("offer" in found) {
    if (found.baseUrl !== addresses[0]) say(`It answers at ${found.baseUrl}.`);
    return { ...found, others: [] };
  }
  if (found.isRefused) {
    const hasKey = Boolean(answers.known("apiKey"));
    throw new Mistake(hasKey ? "the server refused the API key" : "the server wants an API key", "apiKey");
  }
  const { message, details } = found.failure as GatewayError;
  if (details.unreachable === true)
    throw new Mistake(`${message}${hintFor(answers)}`, isTyped(answers) ? "baseUrl" : undefined);
  say(`${message}. Type the name of the model all the same.`);
  const [baseUrl, ...others] = addresses;
  return { baseUrl, others: others.filter((other) => other !== undefined), offer: undefined };
}

type Found =
  | Pick<Place, "baseUrl" | "offer">
  | { readonly isRefused: boolean; readonly failure: GatewayError | undefined };

/** The first address that lists models, or what is wrong with the first one. */
async function tryEach(addresses: readonly (string | undefined)[], configAt: FindOptions["configAt"]): Promise<Found> {
  let isRefused = false;
  let failure: GatewayError | undefined;
  for (const baseUrl of addresses) {
    const config = await configAt(baseUrl);
    try {
      return { baseUrl, offer: await listModels(config, AbortSignal.timeout(listMs)) };
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      if (error.code === "unauthorized") isRefused = true;
      else failure ??= error;
    }
  }
  return { isRefused, failure };
}

/** Asks where it isn't known. In the order in which they are tried; undefined is the dialect's own place. Throws a `Mistake`. */
export async function askAddress(answers: Answers): Promise<readonly (string | undefined)[]> {
  const { provider } = answers;
  const typed = answers.known("baseUrl");
  const local = provider === undefined ? undefined : localAddress(provider);
  if (!typed && local !== undefined && answers.former("baseUrl") === undefined) {
    answers.note("baseUrl", `${local}/v1`);
    return [`${local}/v1`];
  }
  if (!typed && provider?.baseUrl !== undefined) return [provider.baseUrl === ownPlace ? undefined : provider.baseUrl];
  const answer = await answers.answer({ key: "baseUrl", text: "Its address (base URL)" });
  const meant = addressesMeant(answer ?? "");
  if (meant.length === 0) throw new Mistake(`"${answer}" is no address: expected http://host:port/v1`, "baseUrl");
  return meant;
}

function isTyped({ provider }: Answers): boolean {
  return provider?.baseUrl === undefined;
}

function hintFor({ provider }: Answers): string {
  if (provider?.local === "ollama") return ": start it with `ollama serve`, or type another address";
  return provider?.local === "lmstudio" ? ": start its server (Developer, or `lms server start`)" : "";
}
