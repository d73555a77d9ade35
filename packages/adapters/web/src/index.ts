export type { WebChannel, WebLine, WebSignal } from "./channel.ts";
export { platform } from "./platform.ts";
