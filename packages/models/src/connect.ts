import type { OpenAI } from "openai";
import { heardFetch } from "./dialect/heard-fetch.ts";
import { reveal, revealed, type SecretText } from "./model-config.ts";

const openAiBaseUrl = "https://api.openai.com/v1";
/** OpenAI's own, and Azure's, which serves the same. */
const openAiHosts = /^api\.openai\.com$|\.openai\.azure\.com$/;

/** Whether a server knows the newest fields of OpenAI's APIs. */
export function isOpenAi(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || openAiHosts.test(new URL(baseUrl).hostname);
}

export interface Endpoint {
  /** Without it, OpenAI's own. */
  readonly baseUrl?: string | undefined;
  /** Local servers need none. */
  readonly apiKey?: SecretText | undefined;
  readonly headers?: Readonly<Record<string, SecretText>> | undefined;
  /** Added to the address of every call, such as Azure's `api-version`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
}

/** A client that retries nothing and reads no environment. Loads the openai package, which takes about 35 MB. */
export async function connect({ baseUrl, apiKey, headers, query, timeoutMs }: Endpoint): Promise<OpenAI> {
  const { OpenAI } = await import("openai");
  const isOpen = apiKey === undefined;
  return new OpenAI({
    baseURL: baseUrl ?? openAiBaseUrl,
    apiKey: isOpen ? "none" : reveal(apiKey),
    adminAPIKey: null,
    webhookSecret: null,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: "off",
    fetch: heardFetch,
    defaultHeaders: {
      ...(isOpen && { Authorization: null }),
      ...revealed(headers),
    },
    ...(query && { defaultQuery: { ...query } }),
  });
}
