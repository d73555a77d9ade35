export type { Acceptance, AcceptOptions } from "@talaria/protocol";
export type {
  Adapter,
  AdapterHost,
  ReplyTarget,
  ReplyView,
  WebhookRoute,
} from "./adapter.ts";
export type { AdapterDeps, AdapterStore, CommandInfo, MediaSource } from "./adapter-deps.ts";
export type { Capabilities, Pace } from "./capabilities.ts";
export type { ConnectionState } from "./connection-state.ts";
