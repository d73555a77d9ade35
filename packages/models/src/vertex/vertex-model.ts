import type { ModelPort } from "@talaria/agent";
import { createTokenModel } from "../logins/token-model.ts";
import type { ModelDeps, VertexConfig } from "../model-config.ts";
import { createAnthropicOnVertex } from "./anthropic-on-vertex.ts";
import { createGeminiOnVertex } from "./gemini-on-vertex.ts";
import { createGoogleTokens } from "./google-tokens.ts";

/** A model on Vertex AI: Gemini, or Claude by its name. */
export function createVertexModel(config: VertexConfig, deps: ModelDeps): ModelPort {
  const modelWith = config.model.startsWith("claude") ? createAnthropicOnVertex : createGeminiOnVertex;
  return createTokenModel(createGoogleTokens(config.vertex, deps.clock), (token) => modelWith(config, token, deps));
}
