import { brandAs, type ConversationId, type MessageId, systemClock, type UserId } from "@talaria/protocol";
import { type AdapterHarness, describeAdapter } from "@talaria/testkit";
import { accountId, makeAdapter, serve, TestChannel } from "./testing/served-adapter.ts";

describeAdapter("web", makeHarness, {
  skip: [
    {
      test: "one send is one platform message, up to the declared length, with text full of markup characters",
      reason: "readers take the text from the history, of any length; `send` only announces it",
    },
    {
      test: "a file goes out whole, under its name",
      reason: "readers take the files from the history, too; `files.test.ts` reads one",
    },
    {
      test: "choices become buttons, and a press comes back with its id and label",
      reason: "readers take the buttons from the history, too; `messages.test.ts` presses them",
    },
  ],
});

async function makeHarness(): Promise<AdapterHarness> {
  const channel = new TestChannel();
  const adapter = makeAdapter(channel);
  const server = await serve(adapter);
  const client = startClient(`${server.url}/api/conversations/main`);
  return {
    adapter,
    person: brandAs<UserId>("operator"),
    threads: false,
    conversation: {
      accountId,
      platform: "web",
      conversationId: brandAs<ConversationId>("main"),
      kind: "direct",
    },
    deliver: async (text, { times = 1, media } = {}) => client.post(text, times, media),
    posted: () => [],
    acknowledged: () => client.acknowledged(),
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

  async function post(id: string, text: string, media: Uint8Array | undefined): Promise<void> {
    const init = { method: "POST", signal: stopping.signal };
    const uploaded = media && (await fetch(`${url}/files?name=a.bin`, { ...init, body: Buffer.from(media) }));
    const files = uploaded === undefined ? [] : [await uploaded.json()];
    const body = JSON.stringify({ text, id, files });
    for (let pauseMs = 0; !stopping.signal.aborted; pauseMs = 10) {
      await systemClock.sleep(pauseMs);
      const response = await fetch(`${url}/messages`, { ...init, body }).catch(() => undefined);
      if (response?.ok) return void acknowledged.add(id);
    }
  }

  return {
    post(text: string, times: number, media: Uint8Array | undefined): MessageId {
      written += 1;
      const id = `m-${written}`;
      for (let n = 0; n < times; n += 1) posting = posting.then(() => post(id, text, media));
      return brandAs<MessageId>(`main.${id}`);
    },
    acknowledged: () => acknowledged.size,
    async stop() {
      stopping.abort();
      await posting;
    },
  };
}
