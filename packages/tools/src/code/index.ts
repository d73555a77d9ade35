import type { Tool } from "@talaria/agent";
import type { SecretHandle } from "../secrets/secret-handle.ts";
import { createExecuteCode } from "./execute-code.ts";

/** Scripts that call tools. `secrets`: those that they may use. */
export function createCodeTools(secrets: readonly SecretHandle[] = []): readonly Tool[] {
  return [createExecuteCode(secrets.filter(({ isForCommands }) => isForCommands))];
}
