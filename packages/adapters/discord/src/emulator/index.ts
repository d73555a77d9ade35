export type { DiscordCall, DiscordCalls } from "./calls.ts";
export type { Gateway } from "./gateway.ts";
export type { InteractionAnswer } from "./interactions.ts";
export type { DiscordPlace, DiscordSayOptions } from "./place.ts";
export { type DiscordLimits, usualLimits } from "./rate-limits.ts";
export type { DiscordRoute } from "./routes.ts";
export type { SeenDiscordMessage } from "./seen-message.ts";
export { DiscordServer, type DiscordServerOptions, startDiscordServer } from "./server.ts";
export type { DiscordUser } from "./state.ts";
