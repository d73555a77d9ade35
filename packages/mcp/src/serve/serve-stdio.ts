import { callerCalls } from "./call-for.ts";
import type { Caller, CallSettings } from "./caller.ts";
import { callerServer } from "./caller-server.ts";

const mostMessageBytes = 1024 * 1024;
const mostSubscriptions = 4;

export interface StdioServing extends CallSettings {
  /** Whoever is at the other end, asked at each request. */
  readonly caller: () => Promise<Caller>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/**
 * Our tools for the program at the other end of the pipes, in the era that it speaks. `ended` resolves when it closes its end, or
 * sends a message that is too large. Nothing else may write to `stdout`.
 */
export async function serveStdio(
  deps: StdioServing,
): Promise<{ readonly ended: Promise<void>; stop(): Promise<void> }> {
  const [{ Server }, sdk] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const { caller, version, log } = deps;
  const calls = callerCalls(deps);
  const transport = new sdk.StdioServerTransport(deps.stdin, deps.stdout, { maxBufferSize: mostMessageBytes });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const close = transport.close.bind(transport);
  transport.close = () => close().finally(end);
  const handle = sdk.serveStdio(() => callerServer(Server, { caller, version, calls }), {
    transport,
    maxSubscriptions: mostSubscriptions,
    onerror: (error) => log.warn({ error }, "MCP message was rejected"),
  });
  return { ended, stop: () => handle.close() };
}
