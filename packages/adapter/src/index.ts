export type { Acceptance, AcceptOptions } from "@talaria/protocol";
export type {
  Adapter,
  AdapterHost,
  ReplyTarget,
  ReplyView,
  WebhookRoute,
} from "./adapter.ts";
export type { AdapterDeps, AdapterStore, Audience, CommandInfo, MediaSource } from "./adapter-deps.ts";
export type { Capabilities, ConversationCapabilities, Pace } from "./capabilities.ts";
export type { ConnectionState } from "./connection-state.ts";
export {
  type CreateAdapter,
  defineOwnPlatform,
  definePlatform,
  type OwnPlatform,
  type PlatformModule,
} from "./platform-module.ts";
export type { PlatformWords } from "./platform-words.ts";
export type { SetupGuide, SetupQuestion } from "./setup-guide.ts";
