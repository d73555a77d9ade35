export { adapterDeps, type DepsFacts, hurriedClock, memoryStore } from "./adapter-deps.ts";
export { awaitMessage } from "./await-message.ts";
export { checkEvent } from "./check-event.ts";
export { codeOf } from "./code-of.ts";
export {
  type AdapterHarness,
  type ConformanceOptions,
  type ConformanceTest,
  type DeliverOptions,
  type Deviation,
  describeAdapter,
  describeCapabilityTable,
  faultOf,
  inConversation,
  LoopbackAdapter,
  type LoopbackDelivery,
  LoopbackPlatform,
  messageOf,
  type PostedMessage,
  RecordingHost,
  type Refusals,
  type SendFailure,
  type Stage,
  sampleFile,
} from "./conformance/index.ts";
export {
  type DialectServer,
  type DialectServerOptions,
  type ServedDialect,
  startDialectServer,
} from "./dialect/dialect-server.ts";
export { type OllamaServer, type OllamaServerOptions, startOllamaServer } from "./dialect/ollama-server.ts";
export type { DialectRequest, Quirks } from "./dialect/voice.ts";
export {
  type AnswerStep,
  interleavedCalls,
  type Trouble,
  type WireAnswer,
  type WireUsage,
  wireCalls,
  words,
} from "./dialect/wire-answer.ts";
export { environmentProxy } from "./environment-proxy.ts";
export {
  attachmentFrom,
  conversationFrom,
  type EventFacts,
  editOf,
  type MessageCreated,
  messageFrom,
  sampleEvents,
} from "./events.ts";
export { type Fault, FaultPlan, type NoAnswer } from "./faults.ts";
export { hiddenTexts, shownTexts } from "./hidden-texts.ts";
export { LoopbackServer } from "./loopback-server.ts";
export { markdownSample } from "./markdown-sample.ts";
export { messageTo } from "./message-to.ts";
export type { ModelServerOptions, Respond } from "./model/answer-desk.ts";
export { modelFault } from "./model/model-faults.ts";
export type { ModelRequest, WireMessage, WireTool } from "./model/model-request.ts";
export { textOf } from "./model/model-request.ts";
export { echo, ModelServer, startModelServer } from "./model/model-server.ts";
export {
  callTool,
  callTools,
  type FinishReason,
  finish,
  hold,
  type ModelErrorBody,
  type ModelScript,
  type ModelStep,
  type ModelUsage,
  say,
  type ToolCallDelta,
  think,
  usage,
} from "./model/script.ts";
export { toolCallQuirk } from "./model/tool-call-quirks.ts";
export { parseMultipart, type UploadedFile } from "./multipart.ts";
export {
  noticing,
  type Person,
  type Place,
  type PlatformStage,
  type SaidWith,
  type SeenAnswer,
} from "./platform-stage.ts";
export { type ProxyServer, startProxy } from "./proxy-server.ts";
export { type RedisServer, type RedisServerOptions, redisAvailable, startRedisServer } from "./redis-server.ts";
export { type SecretHost, startSecretHost, trustedLocalhost } from "./secret-host.ts";
export type { SetupCase } from "./setup-case.ts";
export { type ChatGptSignIn, startChatGptSignIn } from "./sign-in/chatgpt-sign-in.ts";
export { createSimulatedClock, type SimulatedClock, type SimulatedTimer } from "./simulated-clock.ts";
export { startAdapter } from "./start-adapter.ts";
export { startTrap, type TrapVisit } from "./trap-server.ts";
export { repeatUntilTaken, type WebhookRetry } from "./webhook-retry.ts";
