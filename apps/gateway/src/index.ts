export { accountPolicies } from "./account-policy.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { startTrial, type Trial } from "./trial.ts";
