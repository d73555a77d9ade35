export { createLoopbackAdapter } from "./adapter.ts";
export { type LoopbackConfig, loopbackConfigSchema } from "./config.ts";
