export type { Acceptance, AcceptOptions } from "./acceptance.ts";
export type { AccountPolicy, BusyMode } from "./account-policy.ts";
export { type AskedQuestion, askedQuestion, askedQuestionSchema, askTool, choiceLineSchema } from "./asked-question.ts";
export { type Backoff, backoffMs } from "./backoff.ts";
export { bringsFiles, broughtFiles, firstQuoted } from "./brings-files.ts";
export { type CallQuestion, callQuestion, longestWords } from "./call-question.ts";
export {
  type AskedWords,
  askedWordsSchema,
  type CallPart,
  type CallWords,
  type HeadlinePiece,
  type NamedValue,
  type ReasonedWords,
  type ToolWords,
} from "./call-words.ts";
export { callOfChoice, decidesCalls } from "./choice-ids.ts";
export { type Clock, systemClock } from "./clock.ts";
export {
  attachmentSchema,
  choiceSchema,
  conversationSchema,
  grantOfferSchema,
  inboundEventSchema,
  outboundAttachmentSchema,
  quoteSchema,
  senderSchema,
  sessionEventSchema,
  settledCallSchema,
  streamFrameSchema,
  valueSpanSchema,
} from "./codec.ts";
export {
  addressOfCommandHost,
  commandHostFault,
  coversHost,
  mostCommandHosts,
  opensHost,
} from "./command-host.ts";
export type { Conversation } from "./conversation.ts";
export {
  type Derived,
  derivedSchema,
  joinAskers,
  joinDerived,
  mostTaintSources,
  type TaintSource,
} from "./derived.ts";
export { editDistance } from "./edit-distance.ts";
export {
  type Effect,
  type ErrorCode,
  errorTable,
  GatewayError,
  type GatewayErrorOptions,
  isGatewayError,
} from "./errors.ts";
export {
  type ArchivedFact,
  type ArchiveReason,
  archivedFactSchema,
  type Fact,
  type FactScope,
  type FactSubject,
  type FactTrust,
  factSchema,
  factScopes,
  factTrusts,
  mostArchivedFacts,
  mostCharsOfFacts,
  mostFactChars,
} from "./fact.ts";
export { factFaultIn, mixedAlphabets, mostScannedChars, privateFaultIn } from "./fact-fault.ts";
export { doubtfulSigns, type FactFault, keyFilesSign, type Sign, steeringSigns } from "./fact-signs.ts";
export {
  type AccountId,
  type Brand,
  brandAs,
  type ConversationId,
  type DeliveryKey,
  type EventId,
  type Instant,
  instantOf,
  type MediaRef,
  type MessageId,
  type ProcessId,
  type ThreadId,
  type TurnId,
  type UserId,
} from "./ids.ts";
export type {
  Attachment,
  CallSettledEvent,
  InboundEvent,
  InboundMessage,
  Quote,
  ReceivedMessage,
  SessionEvent,
  ValueSpan,
} from "./inbound.ts";
export { preferredIn, spoken } from "./language.ts";
export { LineReader } from "./line-reader.ts";
export { type Log, silentLog } from "./log.ts";
export { isHomeOf, mandateOf, rolesIn, toolsetsOfRoutes } from "./mandate.ts";
export { type MessageCapabilities, messageCapabilitiesSchema } from "./message-capabilities.ts";
export { outOfConnections } from "./out-of-connections.ts";
export type { Choice, MessageRef, OutboundAttachment, OutboundMessage, Receipt, SentMessage } from "./outbound.ts";
export { type Permission, permissions, type Target } from "./permission.ts";
export { plainName } from "./plain-name.ts";
export { type IdForms, type Platform, platformOf, platformSchema } from "./platform.ts";
export { isAtLeast, type Role, roleSchema, roles, weakestOf } from "./role.ts";
export { type SearchAsker, searchAskerOf } from "./search-asker.ts";
export { holdsSecret, knownSecrets } from "./secret-shapes.ts";
export type { Assurance, Mandate, Sender } from "./sender.ts";
export { changingKindOf, type SessionKey, type SessionScope, sessionKeyOf, turnIdOf } from "./session-key.ts";
export {
  type Asker,
  type GrantOffer,
  type GrantScope,
  grantScopes,
  type SettledCall,
  type Settlement,
  settlements,
  type WaitsFor,
  waits,
} from "./settled-call.ts";
export { spellingsOf } from "./spellings.ts";
export type { StreamFrame } from "./stream.ts";
export { type Suspicion, suspicionIn, suspicions } from "./suspicion.ts";
export { untilAborted } from "./until-aborted.ts";
export { visibleText } from "./visible-text.ts";
export { withWholeForm } from "./whole-form.ts";
