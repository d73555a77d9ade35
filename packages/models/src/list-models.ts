import { GatewayError } from "@talaria/protocol";
import { askServer } from "./known/ask-server.ts";
import { keysOf, type ModelConfig, type RemoteConfig, reveal, revealed } from "./model-config.ts";
import { modelsIn, type OfferedModel } from "./offered-models.ts";

const mostNames = 1_000;
const anthropicVersion = "2023-06-01";

type Remote = Exclude<ModelConfig, { readonly provider: "demo" }>;

/**
 * The models that the server offers to this key, at most 1,000, in its order; undefined where the API has no such list, as
 * Bedrock's. Throws `unauthorized` for a refused key, `unavailable` when there is no answer, or none that is a list.
 */
export async function listModels(
  config: Pick<Remote, "provider"> & Omit<RemoteConfig, "model">,
  signal: AbortSignal,
): Promise<readonly OfferedModel[] | undefined> {
  const place = placeOf(config);
  if (place === undefined) return undefined;
  for (const [name, value] of Object.entries(config.query ?? {})) place.url.searchParams.set(name, value);
  const headers = { ...place.headers, ...revealed(config.headers) };
  const { status, body } = await askServer(place.url, { headers }, signal);
  if (status === 401 || status === 403 || isAboutTheKey(status, config))
    throw new GatewayError("the server refused the API key", { code: "unauthorized" });
  if (status < 200 || status > 299) {
    const hint = status === 404 ? ": check the base URL" : "";
    throw new GatewayError(`the server did not list its models (status ${status})${hint}`, { code: "unavailable" });
  }
  const models = modelsIn(body);
  if (models === undefined)
    throw new GatewayError("the server's list of models cannot be read", { code: "unavailable" });
  return models;
}

/**
 * The time of the provider's server by its `Date` header, to a second; undefined where the API has no address that is known here, or the
 * header is missing. Sends no key. Throws where there is no answer.
 */
export async function readServerTime(
  config: Pick<Remote, "provider"> & RemoteConfig,
  signal: AbortSignal,
): Promise<Date | undefined> {
  const place = placeOf(config);
  if (place === undefined) return undefined;
  const response = await fetch(place.url, { method: "HEAD", signal, redirect: "manual" });
  await response.body?.cancel();
  const time = new Date(response.headers.get("date") ?? "");
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Google answers 400 to a key that it does not know; nothing else can be wrong with this request. */
function isAboutTheKey(status: number, { provider }: Pick<Remote, "provider">): boolean {
  return provider === "google" && status === 400;
}

function placeOf(config: Pick<Remote, "provider"> & Omit<RemoteConfig, "model">) {
  const [key] = keysOf(config).map(reveal);
  const bearer: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const at = (base: string, path: string) => new URL(`${(config.baseUrl ?? base).replace(/\/+$/, "")}${path}`);
  switch (config.provider) {
    case "openai-chat":
    case "openai-responses":
      return { url: at("https://api.openai.com/v1", "/models"), headers: bearer };
    case "mistral":
      return { url: at("https://api.mistral.ai/v1", "/models"), headers: bearer };
    case "anthropic": {
      const own: Record<string, string> = key === undefined ? {} : { "x-api-key": key };
      const headers = { ...own, "anthropic-version": anthropicVersion };
      return { url: at("https://api.anthropic.com", `/v1/models?limit=${mostNames}`), headers };
    }
    case "google": {
      const headers: Record<string, string> = key === undefined ? {} : { "x-goog-api-key": key };
      return { url: at("https://generativelanguage.googleapis.com/v1beta", `/models?pageSize=${mostNames}`), headers };
    }
    case "bedrock":
    case "chatgpt":
    case "vertex":
      return undefined;
    default:
      return config.provider satisfies never;
  }
}
