import { randomUUID } from "node:crypto";
import { serveStdio } from "@talaria/mcp";
import type { Role } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { maxServedChars, servedCaller, serversConnected } from "./served-caller.ts";
import { createToolSources, type ToolSettings } from "./tool-sources.ts";

export interface McpServingOptions extends ToolSettings {
  readonly store: Pick<Store, "fileTaint" | "logins" | "media" | "skills">;
  readonly caller: { readonly name: string; readonly role: Role };
  /** By it the caller's files are found again. No other process has the same one now. */
  readonly workspace: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** Our tools over MCP for one caller, in this process. `ended` resolves when the caller has gone. */
export async function serveMcp(
  options: McpServingOptions,
): Promise<{ readonly ended: Promise<void>; stop(): Promise<void> }> {
  const { config, clock, log, version, stdin, stdout } = options;
  const sources = await createToolSources(options);
  sources.mcp?.start();
  const isConnected = serversConnected(sources, options);
  const callerNow = servedCaller(options, sources, options);
  const serving = await serveStdio({
    clock,
    log,
    version,
    maxToolOutputChars: maxServedChars,
    callsPerMinute: config.mcp.serve.callsPerMinute,
    newCallId: () => randomUUID(),
    stdin,
    stdout,
    caller: async () => {
      await isConnected;
      return await callerNow();
    },
  });
  return {
    ended: serving.ended,
    stop: async () => {
      await serving.stop();
      await sources.stop();
    },
  };
}
