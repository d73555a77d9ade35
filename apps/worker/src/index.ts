export { LoginAttempt, type LoginState } from "./door/login-attempt.ts";
export { isOfferedTo, type ToolOfServer, tellersOf, toolOfServer } from "./explained-call.ts";
export type { Asking } from "./offered-tools.ts";
export { serveMcp } from "./serve-mcp.ts";
export { createToolSources } from "./tool-sources.ts";
export { startWorker, type WorkerOptions } from "./worker.ts";
export { type TriedWorkplace, tryWorkplace } from "./workplace.ts";
