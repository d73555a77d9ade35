export type { SlackCall, SlackCalls } from "./calls.ts";
export type { Delivery } from "./deliveries.ts";
export { requestOf, slackSignature } from "./http-push.ts";
export type { SeenSlackMessage, SlackPlace, SlackSayOptions } from "./place.ts";
export { SlackServer, type SlackServerOptions, startSlackServer } from "./server.ts";
export { setupCase } from "./setup-case.ts";
export { startStage } from "./stage.ts";
export type { SlackUser } from "./world.ts";
