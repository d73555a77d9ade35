import type { ToolContext, Workspace } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";

/** The session's workspace. Throws `unsupported` where there is none. */
export function workspaceOf({ workspace }: Pick<ToolContext, "workspace">): Workspace {
  if (workspace !== undefined) return workspace;
  throw new GatewayError("there is no workspace here: commands and files are switched off", { code: "unsupported" });
}
