import type { ModelPort } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { createDemoModel } from "./demo-model.ts";
import type { ModelConfig, ModelDeps } from "./model-config.ts";
import { createOpenAiChatModel } from "./openai-chat/openai-chat-model.ts";

/**
 * The model that one entry of the configuration names. Cheap: what a dialect needs is loaded when it is first asked.
 * Throws `unsupported` for a provider that is not built in.
 */
export function createModel(config: ModelConfig, deps: ModelDeps): ModelPort {
  switch (config.provider) {
    case "openai-chat":
      return createOpenAiChatModel(config, deps);
    case "demo":
      return createDemoModel(config, deps);
    case "openai-responses":
    case "anthropic":
    case "google":
    case "mistral":
    case "bedrock":
      throw new GatewayError(`models of provider "${config.provider}" are not supported yet`, { code: "unsupported" });
    default:
      return config satisfies never;
  }
}
