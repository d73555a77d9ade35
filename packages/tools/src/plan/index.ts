import type { Tool } from "@talaria/agent";
import { todo } from "./todo.ts";

/** The agent's own order of work. */
export const planTools: readonly Tool[] = [todo];
