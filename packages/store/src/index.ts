export { loadOrCreateKey } from "./accounts/key-file.ts";
export { refuseUnknownCopy, restoreDatabase } from "./backup/copy-in.ts";
export { copyDatabase, type DatabaseCopy } from "./backup/copy-out.ts";
export { tokenDigest } from "./callers/mcp-tokens.ts";
export { isOutOfConnections } from "./database/database-error.ts";
export { asPlanned, isPlanned, plannedLine } from "./operations/as-planned.ts";
export { allClockTimes, clockTimes } from "./operations/clock-times.ts";
export { type ProblemFacts, problemsOf, soundKeysOf } from "./operations/problems.ts";
export type { AccountRow, AccountStore, AdapterStateStore, HeldTexts } from "./ports/accounts.ts";
export type { BackgroundRow, BackgroundStore, BegunInBackground } from "./ports/background.ts";
export type {
  Ask,
  CallStore,
  Decision,
  GivenGrant,
  Home,
  OpenCall,
  ProcessEnd,
  QuestionToReview,
  StoredGrant,
  UnaskedPause,
} from "./ports/calls.ts";
export type { Chat, ChatHistory, ChatLine, ChatPage, ChatQuery, ChatStore, RunningReply } from "./ports/chats.ts";
export type { Chosen } from "./ports/chosen.ts";
export type { FactReach, FactStore, FactsChange, KeptFact } from "./ports/facts.ts";
export type { GroupDecision } from "./ports/group-decision.ts";
export type { DecidedGroup, GroupQuestion, GroupStore, MetGroup } from "./ports/groups.ts";
export type {
  BusyMode,
  Deferral,
  DirectSettlement,
  EventState,
  EventStatus,
  InboxEntry,
  InboxStore,
  Joining,
  Paste,
  Recorded,
  SessionEffect,
  Settled,
  Unanswered,
} from "./ports/inbox.ts";
export type { ModelLoginStore } from "./ports/logins.ts";
export type { McpToken, McpTokenStore } from "./ports/mcp-tokens.ts";
export type {
  AttachmentKey,
  AttachmentToFetch,
  Fetched,
  FetchedAttachment,
  MediaLimits,
  MediaStore,
  StoredMedia,
} from "./ports/media.ts";
export type { ContextParts, Memory, MemoryStore, MemoryTurn, StoredContext, UnusedTerms } from "./ports/memories.ts";
export type { MemoryEffect } from "./ports/memory-effect.ts";
export type {
  Backlog,
  NamedSession,
  OperationsStore,
  PlaceSearch,
  ProcessRow,
  ProcessStore,
  Pruned,
  SessionSummary,
  Spent,
  Trace,
  TraceStep,
  Undelivered,
  WaitingFrom,
  WaitingQuestion,
} from "./ports/operations.ts";
export type {
  AbandonedPreview,
  AccountLease,
  AskedOutcome,
  Hurried,
  LastFailure,
  NoticeTopic,
  OutboxOutcome,
  OutboxPart,
  OutboxRow,
  OutboxStore,
  OutboxText,
  OutboxUpdate,
  Preview,
  ShownQuestion,
} from "./ports/outbox.ts";
export type { HearingLimits, Overheard } from "./ports/overheard.ts";
export type { PassCost, PassLease, PassReading, PassStore, PassWrite } from "./ports/passes.ts";
export type {
  AccessRequest,
  PairingRequest,
  PairingRow,
  PairingStore,
  SeenPerson,
} from "./ports/people.ts";
export type { PlannedAbsence, Problem } from "./ports/problem.ts";
export type {
  AccountTrouble,
  CrashingProcess,
  FailingModel,
  ProblemPhrases,
  SecretFile,
  ShutPlaceTrouble,
} from "./ports/problem-phrases.ts";
export type { FailedMeanwhile, ProblemNews, ProblemStore, Sound, ToldProblem } from "./ports/problems.ts";
export type { Became, RecentEvent, RecentQuery, Reply } from "./ports/recent.ts";
export type { EndedSession, PersonAtWork, RightsStore } from "./ports/rights.ts";
export type {
  SaidLine,
  SearchFound,
  SearchHit,
  SearchQuery,
  SearchStore,
} from "./ports/search.ts";
export type { ConversationRef, ShutPlace, ShutPlaces } from "./ports/shut-places.ts";
export type {
  AcceptedSkill,
  LearnedFile,
  LearnedSkill,
  NewSkill,
  SkillNews,
  SkillStanding,
  SkillStore,
  SkillTending,
  SkillUse,
  TendedSkills,
  WrittenSkill,
} from "./ports/skills.ts";
export type { Reached, ReachedBy, Refusal, RefusalNotice, Spender, SpenderCharge, TakingUp } from "./ports/spending.ts";
export type { AddedPerson, PersonDecision, Standing, Welcomes } from "./ports/standing.ts";
export type { ThreadHead } from "./ports/thread-head.ts";
export type { EndedCall, Said, UndeliveredText } from "./ports/told.ts";
export type {
  Asked,
  AskedOf,
  Cancellation,
  Claim,
  ClaimLimits,
  OpenTurn,
  PartialReply,
  PendingEvent,
  SessionLease,
  SteeringCosts,
  StoredEntry,
  Stranded,
  TurnEnd,
  TurnStart,
  TurnStore,
} from "./ports/turns.ts";
export {
  type Usage,
  type UsageGroup,
  type UsageLately,
  type UsageOfDay,
  type UsageQuery,
  usageGroups,
} from "./ports/usage.ts";
export type { Whereabouts, WhereaboutsQuery } from "./ports/whereabouts.ts";
export type { FileTaintStore, FoundCopy, MarkedFiles, WorkspaceCopyStore } from "./ports/workspaces.ts";
export type { LeaseTerms } from "./processes/held-lease.ts";
export { keepLease, type LeaseKeeper } from "./processes/lease-keeper.ts";
export { type ModelTrouble, modelTroublesOf } from "./processes/model-troubles.ts";
export { type Lacking, lackingOf, workplacesOf } from "./processes/workplaces.ts";
export { migrate } from "./schema/migrate.ts";
export { asRole, createRoles, type DatabaseRoles, grantToRoles } from "./schema/roles.ts";
export type { SqlSource } from "./schema/sql-source.ts";
export { createStore, type Store, type StoreOptions } from "./store.ts";
