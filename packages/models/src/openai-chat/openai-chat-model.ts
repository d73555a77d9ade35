import type { ModelPort } from "@talaria/agent";
import type { OpenAI } from "openai";
import { connect } from "../connect.ts";
import { type CacheSpan, CacheSpans } from "../dialect/cache-span.ts";
import type { Asked, Spoken } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { eventsOf } from "../dialect/event-stream.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import { errorIn } from "../dialect/said-error.ts";
import type { ModelDeps, OpenAiChatConfig } from "../model-config.ts";
import { ChatAssembler } from "./chat-assembler.ts";
import { type ChatChunk, streamDone } from "./chat-chunk.ts";
import { type ChatHabits, habitsOf, learnsFrom } from "./chat-habits.ts";
import { toChatRequest } from "./chat-request.ts";

/** How many things may be learnt from the refusals of one request. */
const mostLessons = 2;

/** A model behind any server that speaks Chat Completions. */
export function createOpenAiChatModel(config: OpenAiChatConfig, deps: ModelDeps): ModelPort {
  const habits = habitsOf(config);
  const spans = new CacheSpans(deps.clock);
  const spoken: Spoken<OpenAiChatConfig, OpenAI, ChatChunk> = {
    connect: (apiKey) => connect({ ...config, apiKey, timeoutMs: longestCallMs }),
    dialectFor: (wanted, request) => ({
      open: async (client, asked) => {
        const span = spans.of(asked.request.cacheKey, config.cacheSpan);
        return chunksOf(await open(client, asked, wanted, { habits, span }));
      },
      assembler: () => new ChatAssembler({ model: config.model, tools: request.tools, habits }),
    }),
  };
  return createDialectModel(spoken, config, deps);
}

/** A refusal that teaches how this server wants its requests is followed by another one. */
async function open(
  client: OpenAI,
  asked: Asked,
  config: OpenAiChatConfig,
  ways: { readonly habits: ChatHabits; readonly span: CacheSpan },
): Promise<Response> {
  const { request, images, signal } = asked;
  for (let lessons = 0; ; lessons += 1)
    try {
      const body = toChatRequest(request, config, images, ways);
      return await client.chat.completions.create(body, { signal }).asResponse();
    } catch (error) {
      if (lessons === mostLessons || !learnsFrom(error, ways.habits)) throw error;
    }
}

async function* chunksOf(response: Response): AsyncGenerator<ChatChunk, void> {
  for await (const { event, data } of eventsOf(response)) {
    if (data.trim() === "[DONE]") {
      yield streamDone;
      return;
    }
    const chunk: unknown = JSON.parse(data);
    const error = errorIn(event === "error" ? { error: chunk } : chunk);
    if (error !== undefined) throw error;
    if (chunk !== null && typeof chunk === "object") yield chunk;
  }
}
