export type {
  Acceptance,
  AcceptOptions,
  Adapter,
  AdapterHost,
  ReplyTarget,
  ReplyView,
  WebhookRoute,
} from "./adapter.ts";
export type { AdapterDeps, AdapterStore, CommandInfo, MediaSource } from "./adapter-deps.ts";
export type { Capabilities, ConversationCapabilities, Pace } from "./capabilities.ts";
export type { ConnectionState } from "./connection-state.ts";
