export { beginChatGptLogin, type ChatGptLogin, endChatGptLogin } from "./chatgpt/chatgpt-login.ts";
export { chatGptProblem, listPlanModels } from "./chatgpt/chatgpt-status.ts";
export { createModel } from "./create-model.ts";
export { createFailover, type FailoverDeps, type NamedModel } from "./failover.ts";
export { largestWindowOf } from "./families.ts";
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
export { type ModelProof, proveModel } from "./prove-model.ts";
export { markingCommand, showingCommand } from "./self-test.ts";
export { createLocalRests, type SharedRests, withOwnRests } from "./shared-rests.ts";
export { createTranscriber, type Recording, type Transcribe, type TranscriptionConfig } from "./transcriber.ts";
