export type { WebChannel, WebLine, WebPlace, WebQuestion, WebSignal } from "./channel.ts";
export { platform } from "./platform.ts";
