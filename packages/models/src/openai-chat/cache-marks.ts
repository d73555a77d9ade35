import type { OpenAI } from "openai";
import type { CacheSpan } from "../dialect/cache-span.ts";
import { bareName, serviceOf } from "../families.ts";
import type { OpenAiChatConfig } from "../model-config.ts";

type Body = OpenAI.ChatCompletionCreateParamsStreaming;
type Message = OpenAI.ChatCompletionMessageParam;

/**
 * Marks what a server is to cache, where it caches up to marks alone: the tools, the system prompt, the end of the request
 * before this one, and the end of this one. Four are the most that Anthropic takes. A mark is looked for over 20 blocks, so an
 * answer with many calls would lose the request before without a mark of its own. OpenRouter takes marks in the parts of a
 * content, of tool results too, and hangs on one beside them (NousResearch/hermes-agent#57845): all texts are parts here, so
 * that a message is the same whether it is marked or not.
 */
export function withCacheMarks(body: Body, config: Pick<OpenAiChatConfig, "model" | "baseUrl">, span: CacheSpan): Body {
  const { marks } = serviceOf(config.baseUrl);
  const name = bareName(config.model);
  if (!marks?.models.test(name)) return body;
  const mark = { type: "ephemeral", ...(span === "1h" && marks.forAnHour?.test(name) && { ttl: "1h" }) };
  const messages = body.messages.map(inParts);
  const places = new Set([0, endOfRequest(messages, lastAnswer(messages)), endOfRequest(messages, messages.length)]);
  return {
    ...body,
    messages: messages.map((message, index) => (places.has(index) ? marked(message, mark) : message)),
    ...(body.tools && {
      tools: body.tools.map((tool, index, all) => (index === all.length - 1 ? { ...tool, cache_control: mark } : tool)),
    }),
  };
}

function inParts(message: Message): Message {
  if (message.role === "assistant" || typeof message.content !== "string" || message.content === "") return message;
  return { ...message, content: [{ type: "text", text: message.content }] } as Message;
}

function lastAnswer(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === "assistant");
}

/** The last message before `end` that can carry a mark: one that we wrote. */
function endOfRequest(messages: readonly Message[], end: number): number {
  return messages
    .slice(0, Math.max(0, end))
    .findLastIndex(({ content, role }) => role !== "assistant" && Array.isArray(content));
}

function marked(message: Message, mark: object): Message {
  if (!Array.isArray(message.content)) return message;
  const last = message.content.findLastIndex(({ type }) => type === "text");
  const content = message.content.map((part, index) => (index === last ? { ...part, cache_control: mark } : part));
  return { ...message, content } as Message;
}
