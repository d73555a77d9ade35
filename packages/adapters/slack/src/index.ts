export { createSlackAdapter } from "./adapter.ts";
export { type SlackConfig, slackConfigSchema } from "./config.ts";
