import type { Adapter } from "@talaria/adapter";
import { RecordingHost } from "./conformance/recording-host.ts";

/** Plugs an adapter into a recording host, which waits this long for what it expects. Adapter and server end with the scope. */
export async function startAdapter(adapter: Adapter, server: { stop(): Promise<void> }, patienceMs = 120_000) {
  const host = new RecordingHost(patienceMs);
  await adapter.start(host);
  const close = async () => {
    await adapter.stop();
    await server.stop();
  };
  return { adapter, host, close, [Symbol.asyncDispose]: close };
}
