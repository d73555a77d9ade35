export { beginChatGptLogin, type ChatGptLogin, endChatGptLogin } from "./chatgpt/chatgpt-login.ts";
export { chatGptProblem, listPlanModels } from "./chatgpt/chatgpt-status.ts";
export { createModel } from "./create-model.ts";
export { createFailover, type FailoverDeps, type NamedModel } from "./failover.ts";
export { largestWindowOf } from "./families.ts";
export {
  type KnownPrice,
  knownModel,
  knownSince,
  type ModelFacts,
} from "./known/known-models.ts";
export { lmStudioAddress, lmStudioWindow } from "./known/lm-studio.ts";
export {
  listOllama,
  ollamaAddress,
  ollamaWindow,
  showOllama,
  widenedName,
  widenOllama,
} from "./known/ollama.ts";
export { type KnownProvider, knownProviders, ownPlace, providerNamed } from "./known/providers.ts";
export { addressesMeant } from "./known/server-address.ts";
export { listModels, readServerTime } from "./list-models.ts";
export { createImageMaker, createSpeaker, type MediaMakerConfig } from "./media-maker.ts";
export type {
  AiSdkConfig,
  AnthropicConfig,
  ChatCompat,
  ChatGptConfig,
  DemoConfig,
  Effort,
  ModelConfig,
  ModelDeps,
  OpenAiChatConfig,
  OpenAiResponsesConfig,
  SecretText,
} from "./model-config.ts";
export type { OfferedModel } from "./offered-models.ts";
export { type ModelProof, proveModel, UnprovenModel } from "./prove-model.ts";
export { markingCommand, showingCommand } from "./self-test.ts";
export { createLocalRests, type SharedRests, withOwnRests } from "./shared-rests.ts";
export { createTranscriber, type Recording, type Transcribe, type TranscriptionConfig } from "./transcriber.ts";
