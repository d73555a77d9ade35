export { adapterDeps, type DepsFacts, hurriedClock, memoryStore } from "./adapter-deps.ts";
export { checkEvent } from "./check-event.ts";
export { codeOf } from "./code-of.ts";
export {
  type AdapterHarness,
  type ConformanceOptions,
  type ConformanceTest,
  conformanceTests,
  type DeliverOptions,
  type Deviation,
  describeAdapter,
  describeCapabilityTable,
  faultOf,
  LoopbackAdapter,
  type LoopbackDelivery,
  LoopbackPlatform,
  loopbackConversation,
  loopbackSelf,
  makeLoopbackHarness,
  messageOf,
  outbound,
  type PostedMessage,
  RecordingHost,
  type Refusals,
  runConformanceTest,
  type SendFailure,
  type Stage,
  sampleFile,
} from "./conformance/index.ts";
export type { DiscordCall, DiscordCalls } from "./discord/calls.ts";
export type { Gateway } from "./discord/gateway.ts";
export type { InteractionAnswer } from "./discord/interactions.ts";
export type { DiscordPlace, DiscordSayOptions } from "./discord/place.ts";
export { type DiscordLimits, usualLimits } from "./discord/rate-limits.ts";
export type { DiscordRoute } from "./discord/routes.ts";
export type { SeenDiscordMessage } from "./discord/seen-message.ts";
export { DiscordServer, type DiscordServerOptions, startDiscordServer } from "./discord/server.ts";
export type { DiscordUser } from "./discord/state.ts";
export type { ImapMailbox, StoredMail } from "./email/imap-mailbox.ts";
export type { ImapServer } from "./email/imap-server.ts";
export type { ImapFault } from "./email/imap-world.ts";
export { MailServer, type MailServerOptions, type SayByMail, startMailServer } from "./email/mail-server.ts";
export { type SeenMail, seenMail } from "./email/seen-mail.ts";
export type { SmtpFault } from "./email/smtp-sink.ts";
export { type MailFacts, writeMail } from "./email/write-mail.ts";
export { environmentProxy } from "./environment-proxy.ts";
export {
  attachmentFrom,
  conversationFrom,
  type EventFacts,
  editOf,
  type MessageCreated,
  messageFrom,
  sampleEvents,
  senderFrom,
} from "./events.ts";
export type { Fault, FaultPlan, NoAnswer } from "./faults.ts";
export { markdownSample } from "./markdown-sample.ts";
export type { MatrixFault } from "./matrix/faults.ts";
export type { MatrixRoom, MatrixSayOptions, SeenMatrixMessage } from "./matrix/room.ts";
export { type MatrixRoomOptions, MatrixServer, startMatrixServer } from "./matrix/server.ts";
export { messageTo } from "./message-to.ts";
export type { ModelServerOptions, Respond } from "./model/answer-desk.ts";
export { modelFault } from "./model/model-faults.ts";
export type { ModelRequest, WireMessage, WireTool } from "./model/model-request.ts";
export { textOf } from "./model/model-request.ts";
export { echo, inOrder, ModelServer, startModelServer } from "./model/model-server.ts";
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
export { type ProxyServer, startProxy } from "./proxy-server.ts";
export { type RedisServer, type RedisServerOptions, redisAvailable, startRedisServer } from "./redis-server.ts";
export { createSimulatedClock, type SimulatedClock, type SimulatedTimer } from "./simulated-clock.ts";
export type { SlackCall, SlackCalls } from "./slack/calls.ts";
export type { Delivery } from "./slack/deliveries.ts";
export { requestOf, slackSignature } from "./slack/http-push.ts";
export type { SeenSlackMessage, SlackPlace, SlackSayOptions } from "./slack/place.ts";
export { SlackServer, type SlackServerOptions, startSlackServer } from "./slack/server.ts";
export type { SlackUser } from "./slack/world.ts";
export { startAdapter } from "./start-adapter.ts";
export type { ApiError } from "./telegram/api-error.ts";
export type { Call, CallListener, CallLog } from "./telegram/call-log.ts";
export type { ChatActivity, Draft } from "./telegram/chat-state.ts";
export type { FileKind } from "./telegram/file-store.ts";
export type { GroupChat, GroupOptions } from "./telegram/group-chat.ts";
export type { ButtonPress, PeopleChat, PersonFile, Said, SayOptions } from "./telegram/people-chat.ts";
export type { PrivateChat } from "./telegram/private-chat.ts";
export { realLimits, type TelegramLimits } from "./telegram/rate-limits.ts";
export type { SeenMessage } from "./telegram/seen-message.ts";
export {
  type NewPerson,
  startTelegramServer,
  TelegramServer,
  type TelegramServerOptions,
} from "./telegram/server.ts";
export type { MessageTest } from "./telegram/wait-for-message.ts";
export type { BotAccount, BotOptions, CallbackAnswer } from "./telegram/world.ts";
export { startTrap, type TrapVisit } from "./trap-server.ts";
export type { WebhookRetry } from "./webhook-retry.ts";
export type { WhatsappAction, WhatsappFault } from "./whatsapp/faults.ts";
export type { WhatsappCall } from "./whatsapp/http.ts";
export { realWhatsappLimits, type WhatsappLimits } from "./whatsapp/pair-limit.ts";
export type { WhatsappFile, WhatsappPerson, WhatsappSayOptions } from "./whatsapp/person.ts";
export type { SeenWhatsappChoice, SeenWhatsappFile, SeenWhatsappMessage } from "./whatsapp/seen-message.ts";
export {
  type NewWhatsappPerson,
  startWhatsappServer,
  WhatsappServer,
  type WhatsappServerOptions,
} from "./whatsapp/server.ts";
