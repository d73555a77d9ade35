import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelPort } from "@talaria/agent";
import { CacheSpans } from "../dialect/cache-span.ts";
import type { Spoken } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { eventsOf } from "../dialect/event-stream.ts";
import { heardFetch } from "../dialect/heard-fetch.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import { errorIn } from "../dialect/said-error.ts";
import { type AnthropicConfig, type ModelDeps, reveal, revealed, type SecretText } from "../model-config.ts";
import { AnthropicAssembler } from "./anthropic-assembler.ts";
import type { AnthropicEvent } from "./anthropic-event.ts";
import { defaultMaxTokens, toAnthropicRequest } from "./anthropic-request.ts";

const anthropicBaseUrl = "https://api.anthropic.com";

/** A model behind a server that speaks the Messages API: Anthropic, and others. */
export function createAnthropicModel(config: AnthropicConfig, deps: ModelDeps): ModelPort {
  const spans = new CacheSpans(deps.clock);
  const spoken: Spoken<AnthropicConfig, Anthropic, AnthropicEvent> = {
    connect: (apiKey) => connect(config, apiKey),
    dialectFor: (wanted) => ({
      open: async (client, { request, images, signal }) => {
        const body = toAnthropicRequest(request, wanted, images, spans.of(request.cacheKey, config.cacheSpan));
        return messageEventsOf(await client.messages.create(body, { signal }).asResponse());
      },
      assembler: () => new AnthropicAssembler(config.model, { keepsUnsigned: !isAnthropic(config) }),
    }),
    defaultMaxTokens,
  };
  return createDialectModel(spoken, config, deps);
}

/**
 * Anthropic refuses thoughts without a signature. Others sign none, and DeepSeek refuses answers with calls that lack them:
 * musistudio/claude-code-router#1382, lobehub/lobehub#16294.
 */
function isAnthropic({ baseUrl = anthropicBaseUrl }: AnthropicConfig): boolean {
  return /(^|\.)anthropic\.com$/.test(new URL(baseUrl).hostname);
}

/** What the server says, and the errors in it. */
export async function* messageEventsOf(response: Response): AsyncGenerator<AnthropicEvent, void> {
  for await (const { event, data } of eventsOf(response)) {
    if (data.trim() === "[DONE]") return;
    const value: unknown = JSON.parse(data);
    const error = event === "error" ? errorIn({ error: value }) : errorIn(value);
    if (error !== undefined) throw error;
    if (value !== null && typeof value === "object") yield value;
  }
}

/** With a key the package looks for no other credentials; without one it would, so it is given one that is not sent. */
async function connect(
  { baseUrl, headers, query }: AnthropicConfig,
  apiKey: SecretText | undefined,
): Promise<Anthropic> {
  const { Anthropic } = await import("@anthropic-ai/sdk");
  const isOpen = apiKey === undefined;
  return new Anthropic({
    baseURL: baseUrl ?? anthropicBaseUrl,
    apiKey: isOpen ? "none" : reveal(apiKey),
    webhookKey: null,
    maxRetries: 0,
    timeout: longestCallMs,
    logLevel: "off",
    fetch: heardFetch,
    defaultHeaders: { ...(isOpen && { Authorization: null }), ...revealed(headers) },
    ...(query && { defaultQuery: { ...query } }),
  });
}
