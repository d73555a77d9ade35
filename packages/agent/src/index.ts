export { askBriefly, type BriefAnswer } from "./ask-briefly.ts";
export type { AskedCall, Authorise, Verdict } from "./authorise.ts";
export { refuseFurther } from "./call-limits.ts";
export { CallTime } from "./call-time.ts";
export { callTool, needsWorkspace } from "./call-tool.ts";
export { type OpenedFor, openFor, type ReadyCall } from "./call-workspace.ts";
export { checkCall } from "./check-call.ts";
export type { CheckpointEntry, ClearedEntry } from "./context/context-entries.ts";
export type { Did } from "./context/did.ts";
export { estimateTokens } from "./context/estimate-tokens.ts";
export { visibleEntries } from "./context/visible-entries.ts";
export { type CountedUsage, countUsage } from "./counted-usage.ts";
export type { EntryAttachment, EntryQuote, OverheardEntry, UserEntry } from "./entries-of-people.ts";
export type { FactAccess, FactAnswer, FactChange } from "./facts.ts";
export type { FileTaint, MarkedCalls } from "./file-taint.ts";
export { claimedTypeOf, endingOf, safeFileName } from "./file-types.ts";
export type { BesideCall, NoteBeside } from "./go-on-beside.ts";
export { isShowable } from "./images.ts";
export { Inbox, inboxPathOf } from "./inbox.ts";
export {
  holdsInstructions,
  type InstructionFile,
  instructionFiles,
  instructionsBlock,
  instructionsIntroduction,
  mostInstructionBytes,
  suspicionWords,
} from "./instruction-text.ts";
export {
  type AssistantEntry,
  type Brought,
  type CallSettledEntry,
  type NoteEntry,
  readBrought,
  type ToolResultEntry,
  type ToolStartedEntry,
  type ToolWaitingEntry,
  type TranscriptEntry,
  transcriptEntrySchema,
} from "./journal.ts";
export type { KeptMedia, NamedMedia, Unopened } from "./kept-media.ts";
export { fileIdOf, filesOf, type KnownFile, type MediaAccess, readKept } from "./media.ts";
export type { KnownPlace, MessageAccess, PastFound, PastLine, PastQuery, PlaceQuery } from "./messages.ts";
export type {
  AskedModel,
  AssistantMessage,
  ModelDone,
  ModelEvent,
  ModelFailure,
  ModelFailureKind,
  ModelImage,
  ModelMessage,
  ModelPort,
  ModelPrice,
  ModelRequest,
  ModelStop,
  ModelUsage,
  ProviderState,
  ToolCall,
  ToolSpec,
  UserMessage,
} from "./model.ts";
export { mostArgumentChars, tooLongArguments } from "./model.ts";
export { accountName, senderName, senderRole } from "./names.ts";
export { notices, type TurnFailureCode } from "./notices.ts";
export { assemblePrompt, type PromptParts } from "./prompt/assemble-prompt.ts";
export type { BrokenWorkspace, PromptWorkspace } from "./prompt/workplace.ts";
export { type RenderOptions, renderEntries } from "./render.ts";
export type { OfferedChoices, ReplyParts } from "./reply-parts.ts";
export { type RetryDeps, withRetries } from "./retries.ts";
export { sameWorkspace } from "./same-workspace.ts";
export type { SkillAccess, SkillProposal } from "./skill-access.ts";
export { cutEnd } from "./text.ts";
export {
  type AskingContext,
  defineTool,
  type LaterNews,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolResult,
  toolSpecs,
  type WaitingAnswer,
} from "./tool.ts";
export { runTurn, type TurnDeps, type TurnInput } from "./turn.ts";
export type { TurnEvent, TurnOutcome } from "./turn-event.ts";
export { askersOf, cancelledCalls } from "./turn-journal.ts";
export { escapedText, oneLine, plainText } from "./untrusted-text.ts";
export { type HeadlineWords, type WorkWords, workWordsFor } from "./work-words.ts";
export type {
  BackgroundProcess,
  Command,
  CommandOptions,
  CommandResult,
  FileSlice,
  Networked,
  NetworkUse,
  OutputFile,
  RefusedHost,
  ShellResult,
  WaitedCommand,
  Workspace,
  WorkspaceFile,
} from "./workspace.ts";
