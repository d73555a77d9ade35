import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { MediaAccess, ToolContext } from "@talaria/agent";
import { brandAs, type MediaRef, silentLog, systemClock } from "@talaria/protocol";
import { createMcp, type Mcp, type McpConfig, type McpDeps, plainSpawn, type ServerStatus } from "./index.ts";

/** What a real worker passes, except that nobody logs in. */
export function mcpDeps(more: Partial<McpDeps> = {}): McpDeps {
  const variables = { PATH: `${process.execPath.replace(/\/[^/]*$/, "")}:/usr/bin:/bin` };
  return {
    clock: systemClock,
    log: silentLog,
    random: () => 0,
    version: "0.1.0",
    spawn: plainSpawn(systemClock, variables),
    fetch,
    ...more,
  };
}

/** Connects, and stops when the test is over. */
export function startMcp(
  test: { after(stop: () => Promise<void>): void },
  servers: McpConfig["servers"],
  more: Partial<McpDeps> = {},
): Mcp {
  const mcp = createMcp({ servers }, mcpDeps(more));
  test.after(() => mcp.stop());
  mcp.start();
  return mcp;
}

/** Waits until every server is in this state. */
export async function reached(mcp: Mcp, state: ServerStatus["state"], names?: readonly string[]): Promise<void> {
  for (const until = AbortSignal.timeout(60_000); ; ) {
    const wanted = mcp.status().filter(({ name }) => names === undefined || names.includes(name));
    if (wanted.every((status) => status.state === state)) return;
    if (until.aborted) throw new Error(`servers did not become ${state}: ${JSON.stringify(wanted)}`);
    await systemClock.sleep(10);
  }
}

export interface Called {
  readonly shown: string[];
  readonly kept: Uint8Array[];
}

/** A context of a tool, as far as tools of MCP servers use it. */
export function toolContext(more: Partial<ToolContext> = {}): ToolContext & Called {
  const called: Called = { shown: [], kept: [] };
  const media: MediaAccess = {
    read: async () => new Uint8Array(),
    async put(content, mimeType) {
      const bytes = content instanceof Uint8Array ? content : Buffer.concat(await Readable.from(content).toArray());
      called.kept.push(bytes);
      const ref = brandAs<MediaRef>(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
      return { ref, mimeType, byteLength: bytes.length };
    },
  };
  return {
    sessionKey: brandAs("a/1"),
    turnId: brandAs("t1"),
    conversation: { accountId: brandAs("a"), platform: "telegram", conversationId: brandAs("1"), kind: "direct" },
    requesters: [],
    participants: [],
    roles: new Map(),
    files: [],
    media,
    callId: "c1",
    idempotencyKey: "k1",
    signal: AbortSignal.timeout(60_000),
    now: () => systemClock.now(),
    progress: (text) => void called.shown.push(text),
    ...called,
    ...more,
  };
}

/** Calls a tool by its name as the model knows it, with its input checked as the agent checks it. */
export async function callTool(mcp: Mcp, name: string, input: object, context: ToolContext = toolContext()) {
  const tool = mcp.tools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name} among ${mcp.tools().map((each) => each.name)}`);
  return await tool.execute(tool.input.parse(input), context);
}
