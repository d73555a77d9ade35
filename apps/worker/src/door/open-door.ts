import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { Clock } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { maxServedChars, serversConnected } from "../served-caller.ts";
import type { ToolSettings, ToolSources } from "../tool-sources.ts";
import { createDoor } from "./door.ts";
import { httpCallers } from "./http-callers.ts";
import { LoginDesk } from "./login-desk.ts";

/** How soon another worker takes the place of one that is gone. */
const takeAgainMs = 5_000;

/** Where connections of gateways come from. `undefined`: another process of this data folder has them. */
export type TakeDoor = (serve: (socket: Socket) => void) => Promise<{ close(): void } | undefined>;

/** Whether the configuration has anything that gateways ask workers for. */
export function needsDoor({ mcp: { serve, servers } }: ToolSettings["config"]): boolean {
  return serve.http || Object.values(servers).some(({ oauth }) => oauth !== undefined);
}

/** One worker of a data folder serves its gateways: this one, or once it is gone the next. */
export async function openDoor(
  options: ToolSettings & { readonly store: Pick<Store, "fileTaint" | "logins" | "media" | "mcpTokens"> },
  sources: ToolSources,
  take: TakeDoor,
): Promise<{ stop(): Promise<void> }> {
  const { config, clock, random, log, version, store } = options;
  const logins = new LoginDesk({
    ...{ clock, random, log, version, config: config.mcp, store: store.logins },
    loggedIn: (server) => sources.mcp?.tryAgain(server),
  });
  const tools = config.mcp.serve.http ? await servedTools(options, sources) : undefined;
  const door = createDoor({ ...(tools && { tools: tools.fetch }), logins, log });
  const stopping = new AbortController();
  const taking = takeWhenFree(take, door.serve, clock, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error({ error }, "gateways can't reach this worker");
    return undefined;
  });
  return {
    async stop() {
      stopping.abort();
      (await taking)?.close();
      door.stop();
      await Promise.all([tools?.stop(), logins.stop()]);
    },
  };
}

async function takeWhenFree(
  take: TakeDoor,
  serve: (socket: Socket) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ close(): void }> {
  for (;;) {
    const taken = await take(serve);
    if (taken !== undefined) return taken;
    await clock.sleep(takeAgainMs, signal);
  }
}

async function servedTools(
  options: ToolSettings & { readonly store: Pick<Store, "fileTaint" | "media" | "mcpTokens"> },
  sources: ToolSources,
) {
  const { config, clock, log, version } = options;
  const { serveTools } = await import("@talaria/mcp");
  const callerOf = httpCallers(options, sources);
  let isConnected: Promise<void> | undefined;
  return await serveTools({
    ...{ clock, log, version, maxToolOutputChars: maxServedChars },
    callsPerMinute: config.mcp.serve.callsPerMinute,
    newCallId: () => randomUUID(),
    // The gateway has looked at what the request named; it asks us by this name.
    hosts: ["gateway"],
    identify: async (token) => {
      sources.mcp?.start();
      isConnected ??= serversConnected(sources, options);
      await isConnected;
      return await callerOf(token);
    },
  });
}
