export { createWebAdapter } from "./adapter.ts";
export type { WebChannel, WebLine, WebSignal } from "./channel.ts";
export { type WebConfig, webConfigSchema } from "./config.ts";
