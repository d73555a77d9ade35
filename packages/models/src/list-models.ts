import { GatewayError } from "@talaria/protocol";
import { keysOf, type ModelConfig, type RemoteConfig, reveal, revealed } from "./model-config.ts";

const mostBytes = 8 * 1_024 * 1_024;
const mostNames = 1_000;
const limitMs = 30_000;
const anthropicVersion = "2023-06-01";

type Remote = Exclude<ModelConfig, { readonly provider: "demo" }>;

/** What a server says about one of its models. Everything may be missing. */
interface Listed {
  readonly id?: unknown;
  /** Google's, behind `models/`. */
  readonly name?: unknown;
  readonly supportedGenerationMethods?: unknown;
  /** Mistral's. */
  readonly capabilities?: { readonly completion_chat?: unknown } | null;
}

/**
 * The names of the models that the server offers to this key, at most 1,000, in its order; undefined where the API has no
 * such list, as Bedrock's. Throws `unauthorized` for a refused key, `unavailable` when there is no answer.
 */
export async function listModels(
  config: Pick<Remote, "provider" | "model"> & RemoteConfig,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const place = placeOf(config);
  if (place === undefined) return undefined;
  for (const [name, value] of Object.entries(config.query ?? {})) place.url.searchParams.set(name, value);
  const headers = { ...place.headers, ...revealed(config.headers) };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const response = await fetch(place.url, { headers, signal: limited, redirect: "error" }).catch((error: unknown) => {
    throw new GatewayError("the server cannot be reached: check the base URL", { code: "unavailable", cause: error });
  });
  if (response.status === 401 || response.status === 403 || isAboutTheKey(response.status, config)) {
    await response.body?.cancel();
    throw new GatewayError("the server refused the API key", { code: "unauthorized" });
  }
  if (!response.ok) {
    await response.body?.cancel();
    const hint = response.status === 404 ? ": check the base URL" : "";
    throw new GatewayError(`the server did not list its models (status ${response.status})${hint}`, {
      code: "unavailable",
    });
  }
  return namesIn(await textOf(response));
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

function placeOf(config: Pick<Remote, "provider"> & RemoteConfig) {
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
      const headers = { ...bearer, "anthropic-version": anthropicVersion };
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

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes)
      throw new GatewayError("the server's list of models is above 8 MiB", { code: "unavailable" });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Models that cannot chat are left out where the server says so. */
function namesIn(text: string): readonly string[] {
  const body = parsed(text) as { readonly data?: unknown; readonly models?: unknown } | null;
  const list = [body?.data, body?.models].find((each) => Array.isArray(each)) as readonly (Listed | null)[] | undefined;
  if (list === undefined) throw new GatewayError("the server's list of models cannot be read", { code: "unavailable" });
  return list
    .filter((each) => each !== null && canChat(each))
    .map((each) => each?.id ?? each?.name)
    .filter((name) => typeof name === "string")
    .map((name) => name.replace(/^models\//, ""))
    .slice(0, mostNames);
}

function canChat({ supportedGenerationMethods: methods, capabilities }: Listed): boolean {
  if (Array.isArray(methods)) return methods.includes("generateContent");
  return capabilities?.completion_chat !== false;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
