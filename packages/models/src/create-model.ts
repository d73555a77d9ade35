import type { ModelPort } from "@talaria/agent";
import { createAiSdkModel } from "./ai-sdk/ai-sdk-model.ts";
import { createAnthropicModel } from "./anthropic/anthropic-model.ts";
import { createChatGptModel } from "./chatgpt/chatgpt-model.ts";
import { createDemoModel } from "./demo-model.ts";
import type { ModelConfig, ModelDeps } from "./model-config.ts";
import { createOpenAiChatModel } from "./openai-chat/openai-chat-model.ts";
import { createResponsesModel } from "./openai-responses/responses-model.ts";
import { createVertexModel } from "./vertex/vertex-model.ts";

/** The model that one entry of the configuration names. Cheap: what a dialect needs is loaded when it is first asked. */
export function createModel(config: ModelConfig, deps: ModelDeps): ModelPort {
  switch (config.provider) {
    case "openai-chat":
      return createOpenAiChatModel(config, deps);
    case "openai-responses":
      return createResponsesModel(config, deps);
    case "anthropic":
      return createAnthropicModel(config, deps);
    case "google":
    case "mistral":
    case "bedrock":
      return createAiSdkModel(config, deps);
    case "chatgpt":
      return createChatGptModel(config, deps);
    case "vertex":
      return createVertexModel(config, deps);
    case "demo":
      return createDemoModel(config, deps);
    default:
      return config satisfies never;
  }
}
