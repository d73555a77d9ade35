export { type Batch, foldEdits, nextBatch } from "./batch.ts";
export { type CommandName, commands } from "./commands.ts";
export { createDelayedWakes, type DelayedWakes } from "./delayed-wakes.ts";
export { endFormerKind } from "./former-kind.ts";
export { createGate, type Gate } from "./gate.ts";
export type { GateDeps, Outcome } from "./gate-deps.ts";
export { callNotices } from "./notices.ts";
export { readRole } from "./role.ts";
export { type Asker, isStillAllowed, type StillAllowedDeps } from "./still-allowed.ts";
