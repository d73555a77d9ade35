export { createModel } from "./create-model.ts";
export { createFailover, type FailoverDeps, type NamedModel } from "./failover.ts";
export { createImageMaker, createSpeaker, type MediaMakerConfig } from "./media-maker.ts";
export type {
  ChatCompat,
  DemoConfig,
  ModelConfig,
  ModelDeps,
  OpenAiChatConfig,
  SecretText,
  UnsupportedConfig,
} from "./model-config.ts";
export { createTranscriber, type Recording, type Transcribe, type TranscriptionConfig } from "./transcriber.ts";
