import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelPort } from "@talaria/agent";
import { CacheSpans } from "../dialect/cache-span.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { heardFetch } from "../dialect/heard-fetch.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import { type AnthropicConfig, type ModelDeps, reveal, revealed, type SecretText } from "../model-config.ts";
import { AnthropicAssembler } from "./anthropic-assembler.ts";
import type { AnthropicEvent } from "./anthropic-event.ts";
import { toAnthropicRequest } from "./anthropic-request.ts";

const anthropicBaseUrl = "https://api.anthropic.com";

/** A model behind a server that speaks the Messages API: Anthropic, and others. */
export function createAnthropicModel(config: AnthropicConfig, deps: ModelDeps): ModelPort {
  const spans = new CacheSpans(deps.clock);
  const dialect: Dialect<Anthropic, AnthropicEvent> = {
    connect: (apiKey) => connect(config, apiKey),
    open: (client, { request, images, signal }) =>
      client.messages.create(
        toAnthropicRequest(request, config, images, spans.of(request.cacheKey, config.cacheSpan)),
        { signal },
      ) as unknown as Promise<AsyncIterable<AnthropicEvent>>,
    assembler: () => new AnthropicAssembler(config.model),
  };
  return createDialectModel(dialect, config, deps);
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
