import type { Tool } from "@talaria/agent";
import { executeCode } from "./execute-code.ts";

/** Scripts that call tools. */
export const codeTools: readonly Tool[] = [executeCode];
