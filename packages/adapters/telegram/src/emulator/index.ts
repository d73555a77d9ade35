export type { ApiError } from "./api-error.ts";
export type { Call, CallListener, CallLog } from "./call-log.ts";
export type { ChatActivity, Draft } from "./chat-state.ts";
export type { FileKind } from "./file-store.ts";
export type { GroupChat, GroupOptions } from "./group-chat.ts";
export type { ButtonPress, PeopleChat, PersonFile, Said, SayOptions } from "./people-chat.ts";
export type { PrivateChat } from "./private-chat.ts";
export { realLimits, type TelegramLimits } from "./rate-limits.ts";
export type { SeenMessage } from "./seen-message.ts";
export {
  type NewPerson,
  startTelegramServer,
  TelegramServer,
  type TelegramServerOptions,
} from "./server.ts";
export { setupCase } from "./setup-case.ts";
export { startStage } from "./stage.ts";
export type { MessageTest } from "./wait-for-message.ts";
export type { BotAccount, BotOptions, CallbackAnswer } from "./world.ts";
