import type { Tool } from "@talaria/agent";
import { processTool } from "./process.ts";
import { terminal } from "./terminal.ts";

/** The session's shell, and processes in the background. */
export const terminalTools: readonly Tool[] = [processTool, terminal];
