import { brandAs, type ConversationId, type MessageId, systemClock, type UserId } from "@talaria/protocol";
import { type AdapterHarness, describeAdapter } from "@talaria/testkit";
import { accountId, makeAdapter, serve, TestChannel } from "./testing/house.ts";

const noPlatform = "there is no platform that could fail: an answer is in the history before it is announced";

describeAdapter("web", makeHarness, {
  skip: [
    { test: "reconnecting reports its states in order", reason: "requests come in; there is no connection to lose" },
    {
      test: "what people say while the connection is down comes when it is back, once and in order",
      reason: "requests come in; there is no connection to lose",
    },
    {
      test: "a send whose outcome is unknown is repeated or found again without a second message",
      reason: noPlatform,
    },
    { test: "an edit keeps the message id", reason: "the web chat takes nothing back" },
    { test: "a message in a thread carries its thread, and answers go there", reason: "the web chat has no threads" },
    { test: "media opens and closes", reason: "the web chat carries no files" },
    {
      test: "one send is one platform message, up to the declared length, with text full of markup characters",
      reason: "readers take the text from the history, of any length; `send` only announces it",
    },
    { test: "a rate limit becomes rate_limited with the platform's delay", reason: noPlatform },
    { test: "a bad token becomes unauthorized", reason: noPlatform },
    { test: "a lost connection becomes unavailable with the effect unknown", reason: noPlatform },
    { test: "an abort signal stops a send", reason: `${noPlatform}; src/messages.test.ts tests an early abort` },
  ],
});

async function makeHarness(): Promise<AdapterHarness> {
  const channel = new TestChannel();
  const adapter = makeAdapter(channel);
  const server = await serve(adapter);
  const client = startClient(`${server.url}/api/conversations/main/messages`);
  return {
    adapter,
    person: brandAs<UserId>("operator"),
    conversation: {
      accountId,
      platform: "web",
      conversationId: brandAs<ConversationId>("main"),
      kind: "direct",
    },
    deliver: async (text, { times = 1 } = {}) => client.post(text, times),
    deliverOwn: async () => undefined,
    edit: async () => undefined,
    failNextSend: () => undefined,
    posted: () => [],
    acknowledged: () => client.acknowledged(),
    dropConnection: async () => undefined,
    async close() {
      await client.stop();
      await server.stop();
    },
  };
}

/** A page that posts one message after the other, and each until it is taken, under the same id. */
function startClient(url: string) {
  const stopping = new AbortController();
  const acknowledged = new Set<string>();
  let written = 0;
  let posting: Promise<void> = Promise.resolve();

  async function post(id: string, text: string): Promise<void> {
    const init = { method: "POST", body: JSON.stringify({ text, id }), signal: stopping.signal };
    for (let pauseMs = 0; !stopping.signal.aborted; pauseMs = 10) {
      await systemClock.sleep(pauseMs);
      const response = await fetch(url, init).catch(() => undefined);
      if (response?.ok) return void acknowledged.add(id);
    }
  }

  return {
    post(text: string, times: number): MessageId {
      written += 1;
      const id = `m-${written}`;
      for (let n = 0; n < times; n += 1) posting = posting.then(() => post(id, text));
      return brandAs<MessageId>(`main.${id}`);
    },
    acknowledged: () => acknowledged.size,
    async stop() {
      stopping.abort();
      await posting;
    },
  };
}
