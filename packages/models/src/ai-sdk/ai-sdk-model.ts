import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelPort } from "@talaria/agent";
import type { Spoken } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { heardFetch } from "../dialect/heard-fetch.ts";
import { WireError } from "../dialect/model-failure.ts";
import { type AiSdkConfig, type ModelDeps, reveal, revealed, type SecretText } from "../model-config.ts";
import { AiSdkAssembler } from "./ai-sdk-assembler.ts";
import { toCallOptions } from "./ai-sdk-request.ts";
import { streamsOnly } from "./fetch-stream.ts";
import { connectSigned } from "./signed-bedrock.ts";

const baseUrls = {
  google: "https://generativelanguage.googleapis.com/v1beta",
  mistral: "https://api.mistral.ai/v1",
  bedrock: "https://bedrock-runtime.us-east-1.amazonaws.com",
};

/** A model behind Google's, Mistral's or Amazon Bedrock's own API, spoken by the packages of the AI SDK. */
export function createAiSdkModel(config: AiSdkConfig, deps: ModelDeps): ModelPort {
  const warn = (warnings: readonly unknown[]) =>
    deps.log.debug({ model: config.model, warnings }, "a model takes less");
  const spoken: Spoken<AiSdkConfig, LanguageModelV4, LanguageModelV4StreamPart> = {
    connect: (apiKey) => connect(config, apiKey),
    dialectFor: (wanted) => ({
      open: async (model, { request, images, signal }) => {
        const { stream } = await model.doStream({ ...toCallOptions(request, wanted, images), abortSignal: signal });
        return afterStart(stream, warn);
      },
      assembler: () => new AiSdkAssembler(config),
    }),
  };
  return createDialectModel(spoken, config, deps);
}

/** The packages themselves say that a stream has begun, and who answers; the provider has not said anything by then. */
export async function* afterStart(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  warn: (warnings: readonly unknown[]) => void,
) {
  const early: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) {
    if (part.type === "stream-start") {
      if (part.warnings.length > 0) warn(part.warnings);
    } else if (part.type === "response-metadata") early.push(part);
    else yield* [...early.splice(0), part];
  }
}

/** Always with a key and an address, since without them the packages would look for them in the environment. */
async function connect(config: AiSdkConfig, apiKey: SecretText | undefined): Promise<LanguageModelV4> {
  const { provider, baseUrl, headers, model } = config;
  if (config.aws !== undefined) return await connectSigned(config, config.aws);
  if (apiKey === undefined || reveal(apiKey).trim() === "")
    throw new WireError(`a model of provider "${provider}" needs an apiKey`, { type: "invalid_request" });
  const settings = {
    baseURL: baseUrl ?? baseUrls[provider],
    apiKey: reveal(apiKey),
    headers: revealed(headers),
    fetch: streamsOnly(heardFetch),
  };
  switch (provider) {
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(settings)(model);
    case "mistral":
      return (await import("@ai-sdk/mistral")).createMistral(settings)(model);
    case "bedrock":
      return (await import("@ai-sdk/amazon-bedrock")).createAmazonBedrock(settings)(model);
    default:
      return provider satisfies never;
  }
}
