import { randomUUID } from "node:crypto";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { AiSdkAssembler } from "../ai-sdk/ai-sdk-assembler.ts";
import { afterStart } from "../ai-sdk/ai-sdk-model.ts";
import { toCallOptions } from "../ai-sdk/ai-sdk-request.ts";
import { streamsOnly } from "../ai-sdk/fetch-stream.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { heardFetch } from "../dialect/heard-fetch.ts";
import { ownName, withoutOwnName } from "../logins/own-name.ts";
import { watchRefusals } from "../logins/refusal-watch.ts";
import type { TokenModel } from "../logins/token-model.ts";
import { type AiSdkConfig, type ModelDeps, revealed, type VertexConfig } from "../model-config.ts";
import { publisherUrl, service } from "./vertex-config.ts";

/** Gemini on Vertex AI speaks as Gemini does, at another address, and with a token instead of a key. */
export function createGeminiOnVertex(config: VertexConfig, token: string, deps: ModelDeps): TokenModel {
  const { vertex: _, ...remote } = config;
  const spoken: AiSdkConfig = { ...remote, provider: "google", apiKey: token, model: ownName(service, config.model) };
  const warn = (warnings: readonly unknown[]) =>
    deps.log.debug({ model: config.model, warnings }, "a model takes less");
  const { watched, isRefused } = watchRefusals<AiSdkConfig, LanguageModelV4, LanguageModelV4StreamPart>({
    connect: () => connect(config, token),
    dialectFor: (wanted) => ({
      open: async (model, { request, images, signal }) => {
        const { stream } = await model.doStream({ ...toCallOptions(request, wanted, images), abortSignal: signal });
        return afterStart(stream, warn);
      },
      assembler: () => withoutOwnName(new AiSdkAssembler(spoken), service),
    }),
  });
  return { model: createDialectModel(watched, spoken, deps), isRefused };
}

/** As @ai-sdk/google-vertex does it, without the library for credentials, which reads the environment. */
async function connect(config: VertexConfig, token: string): Promise<LanguageModelV4> {
  const { GoogleLanguageModel } = await import("@ai-sdk/google/internal");
  return new GoogleLanguageModel(config.model, {
    provider: "google.vertex.chat",
    baseURL: publisherUrl(config, "v1beta1", "google"),
    headers: { ...revealed(config.headers), authorization: `Bearer ${token}` },
    generateId: randomUUID,
    fetch: streamsOnly(heardFetch),
  });
}
