import type { Client, Tool as ListedTool } from "@modelcontextprotocol/client";

/** Of one server. More are not even looked at. */
const mostListed = 10_000;
const mostPages = 100;
const listLimitMs = 30_000;

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** How long the server says that this stays true. */
  readonly ttlMs?: number;
  /** The server has more than can be looked at. */
  readonly isCut: boolean;
}

/** Every page of the server's list. Throws what the connection throws. */
export async function listTools(client: Client, signal: AbortSignal): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], isCut: false };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(listLimitMs)]);
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  let ttlMs: number | undefined;
  for (let page = 0; page < mostPages && tools.length < mostListed; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, { signal: limit, timeout: listLimitMs });
    if (page === 0 && typeof answer.ttlMs === "number") ttlMs = answer.ttlMs;
    tools.push(...answer.tools);
    if (answer.nextCursor === undefined || answer.nextCursor === cursor) {
      return {
        tools: tools.slice(0, mostListed),
        isCut: tools.length > mostListed,
        ...(ttlMs === undefined ? {} : { ttlMs }),
      };
    }
    cursor = answer.nextCursor;
  }
  return { tools: tools.slice(0, mostListed), isCut: true, ...(ttlMs === undefined ? {} : { ttlMs }) };
}
