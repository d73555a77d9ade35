import { after, afterEach, before, beforeEach } from "node:test";
import { makeAdapter, serve, TestChannel, TestHost } from "./served-adapter.ts";

/** The adapter behind a server, for the tests of one suite; each begins with an empty channel and a host that has recorded nothing. */
export function useServedAdapter() {
  const channel = new TestChannel();
  const adapter = makeAdapter(channel);
  const served = { channel, adapter, host: new TestHost(), url: "" };
  let server: Awaited<ReturnType<typeof serve>>;

  before(async () => {
    server = await serve(adapter);
    served.url = server.url;
  });
  beforeEach(async () => {
    served.host = new TestHost();
    channel.empty();
    await adapter.start(served.host);
  });
  afterEach(() => adapter.stop());
  after(() => server.stop());
  return served;
}
