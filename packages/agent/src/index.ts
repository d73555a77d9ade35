export { callTool } from "./call-tool.ts";
export { checkCall } from "./check-call.ts";
export { estimateTokens, trimHistory } from "./history.ts";
export {
  type AssistantEntry,
  type EntryAttachment,
  type NoteEntry,
  type OverheardEntry,
  type ToolResultEntry,
  type ToolStartedEntry,
  type TranscriptEntry,
  transcriptEntrySchema,
  type UserEntry,
} from "./journal.ts";
export type { KeptMedia, KnownFile, MediaAccess } from "./media.ts";
export type {
  AssistantMessage,
  ModelDone,
  ModelEvent,
  ModelFailure,
  ModelFailureKind,
  ModelImage,
  ModelMessage,
  ModelPort,
  ModelRequest,
  ModelStop,
  ModelUsage,
  ProviderState,
  ToolCall,
  ToolSpec,
  UserMessage,
} from "./model.ts";
export { notices, type TurnFailureCode } from "./notices.ts";
export { assemblePrompt, type PromptParts } from "./prompt.ts";
export { accountName, type RenderOptions, renderEntries, senderName, senderRole } from "./render.ts";
export type { OfferedChoices, ReplyParts } from "./reply-parts.ts";
export { type RetryDeps, withRetries } from "./retries.ts";
export { cutEnd } from "./text.ts";
export {
  defineTool,
  type Permission,
  permissions,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolSpecs,
} from "./tool.ts";
export { runTurn, type TurnDeps, type TurnInput } from "./turn.ts";
export type { TurnEvent, TurnOutcome } from "./turn-event.ts";
export { oneLine, plainText } from "./untrusted-text.ts";
export type {
  BackgroundProcess,
  Command,
  CommandOptions,
  CommandResult,
  FileSlice,
  Workspace,
  WorkspaceFile,
} from "./workspace.ts";
