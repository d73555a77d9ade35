import type { ModelPort } from "@talaria/agent";
import type { OpenAI } from "openai";
import { connect } from "../connect.ts";
import { CacheSpans } from "../dialect/cache-span.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import type { ModelDeps, OpenAiChatConfig } from "../model-config.ts";
import { ChatAssembler } from "./chat-assembler.ts";
import type { ChatChunk } from "./chat-chunk.ts";
import { toChatRequest } from "./chat-request.ts";

/** A model behind any server that speaks Chat Completions. */
export function createOpenAiChatModel(config: OpenAiChatConfig, deps: ModelDeps): ModelPort {
  const spans = new CacheSpans(deps.clock);
  const dialect: Dialect<OpenAI, ChatChunk> = {
    connect: (apiKey) => connect({ ...config, apiKey, timeoutMs: longestCallMs }),
    open: async (client, { request, images, signal }) => {
      const body = toChatRequest(request, config, images, spans.of(request.cacheKey, config.cacheSpan));
      const stream = await client.chat.completions.create(body, { signal });
      return stream as unknown as AsyncIterable<ChatChunk>;
    },
    assembler: () => new ChatAssembler(config.model),
  };
  return createDialectModel(dialect, config, deps);
}
