export { type AdmissionContext, admit, type Decision } from "./admit.ts";
export { type Batch, foldEdits, nextBatch } from "./batch.ts";
export { type CommandName, commands, parseCommand } from "./commands.ts";
export { createDelayedWakes, type DelayedWakes } from "./delayed-wakes.ts";
export { createGate, type Gate, type GateDeps, type Outcome } from "./gate.ts";
export { principalOf } from "./policy.ts";
export { type Asker, isStillAllowed, type StillAllowedDeps } from "./still-allowed.ts";
