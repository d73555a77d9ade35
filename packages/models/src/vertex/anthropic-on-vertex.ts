import type { Anthropic } from "@anthropic-ai/sdk";
import { AnthropicAssembler } from "../anthropic/anthropic-assembler.ts";
import type { AnthropicEvent } from "../anthropic/anthropic-event.ts";
import { messageEventsOf } from "../anthropic/anthropic-model.ts";
import { defaultMaxTokens, toAnthropicRequest } from "../anthropic/anthropic-request.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { heardFetch } from "../dialect/heard-fetch.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import { ownName, withoutOwnName } from "../logins/own-name.ts";
import { watchRefusals } from "../logins/refusal-watch.ts";
import type { TokenModel } from "../logins/token-model.ts";
import { type AnthropicConfig, type ModelDeps, revealed, type VertexConfig } from "../model-config.ts";
import { publisherUrl, service } from "./vertex-config.ts";

type WireRequest = Anthropic.MessageCreateParamsStreaming;

/** https://docs.claude.com/en/api/claude-on-vertex-ai: the model stands in the address, the version in the body. */
const vertexVersion = "vertex-2023-10-16";
const cached: Anthropic.CacheControlEphemeral = { type: "ephemeral" };

/** Claude on Vertex AI speaks the Messages API, at an address of its own. */
export function createAnthropicOnVertex(config: VertexConfig, token: string, deps: ModelDeps): TokenModel {
  const { vertex: _, ...remote } = config;
  const model = ownName(service, config.model);
  const spoken: AnthropicConfig = { ...remote, provider: "anthropic", apiKey: token, model };
  const path = `/${encodeURIComponent(config.model).replaceAll("%40", "@")}:streamRawPredict`;
  const { watched, isRefused } = watchRefusals<AnthropicConfig, Anthropic, AnthropicEvent>({
    connect: () => connect(config, token),
    dialectFor: (wanted) => ({
      open: async (client, { request, images, signal }) => {
        const body = onVertex(toAnthropicRequest(request, wanted, images));
        return messageEventsOf(await client.post(path, { body, stream: true, signal }).asResponse());
      },
      assembler: () => withoutOwnName(new AnthropicAssembler(model), service),
    }),
    defaultMaxTokens,
  });
  return { model: createDialectModel(watched, spoken, deps), isRefused };
}

async function connect(config: VertexConfig, token: string): Promise<Anthropic> {
  const { Anthropic } = await import("@anthropic-ai/sdk");
  return new Anthropic({
    baseURL: `${publisherUrl(config, "v1", "anthropic")}/models`,
    apiKey: null,
    authToken: token,
    webhookKey: null,
    maxRetries: 0,
    timeout: longestCallMs,
    logLevel: "off",
    defaultHeaders: revealed(config.headers),
    fetch: heardFetch,
  });
}

/** Only Anthropic's own API finds the end of the conversation for its cache by itself: here the last block is marked. */
function onVertex({ model: _, cache_control: mark, messages, ...body }: WireRequest): object {
  const marked = mark
    ? messages.map((message, at) => (at === messages.length - 1 ? withMark(message) : message))
    : messages;
  return { ...body, messages: marked, anthropic_version: vertexVersion };
}

/** A thought takes no mark. */
function withMark(message: Anthropic.MessageParam): Anthropic.MessageParam {
  const { content } = message;
  if (typeof content === "string") return message;
  const last = content.at(-1);
  if (last === undefined || last.type === "thinking" || last.type === "redacted_thinking") return message;
  return {
    ...message,
    content: [...content.slice(0, -1), { ...last, cache_control: cached }],
  } as Anthropic.MessageParam;
}
