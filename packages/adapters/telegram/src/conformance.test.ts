import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Adapter } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type MessageId,
  systemClock,
  type UserId,
} from "@talaria/protocol";
import {
  type AdapterHarness,
  adapterDeps,
  describeAdapter,
  type Fault,
  faultOf,
  noticing,
  type PostedMessage,
  type Refusals,
} from "@talaria/testkit";
import type { User } from "grammy/types";
import { createTelegramAdapter } from "./adapter.ts";
import { telegramConfigSchema } from "./config.ts";
import { type SeenMessage, startTelegramServer } from "./emulator/index.ts";

const accountId = brandAs<AccountId>("telegram-main");

const deps = adapterDeps({ id: accountId });

type Server = Awaited<ReturnType<typeof startTelegramServer>>;

const refusals: Refusals<Fault> = {
  rateLimited: (retryAfterMs) => ({ kind: "answer", code: 429, retryAfter: retryAfterMs / 1_000, effect: "none" }),
  unauthorized: { kind: "answer", code: 401, description: "Unauthorized", effect: "none" },
};

describeAdapter("telegram by polling", async () => {
  const server = await startTelegramServer();
  return harnessOf(server, adapterOf(server), () => server.stop());
});

describeAdapter("telegram in a private chat", async () => {
  const server = await startTelegramServer({ bots: [{ token: "1:a", topicsInPrivateChats: true }] });
  return harnessOf(server, adapterOf(server), () => server.stop(), "direct");
});

describeAdapter("telegram by webhook", async () => {
  const server = await startTelegramServer();
  const gateway = await startGateway();
  const adapter = adapterOf(server, { mode: "webhook", webhookUrl: gateway.url });
  gateway.mount(adapter);
  const { dropConnection: _, ...harness } = harnessOf(server, adapter, async () => {
    await server.stop();
    await gateway.stop();
  });
  return harness;
});

function adapterOf(server: Server, config: object = {}): Adapter {
  const settings = telegramConfigSchema.parse({ token: server.token, apiRoot: server.apiRoot, ...config });
  return createTelegramAdapter(settings, deps);
}

function harnessOf(
  server: Server,
  adapter: Adapter,
  close: () => Promise<void>,
  kind: "direct" | "group" = "group",
): AdapterHarness {
  const person = server.user({ first_name: "Ada", last_name: "Lovelace", username: "ada" });
  const { chat, topic } = kind === "direct" ? privatePlace(server, person) : forumPlace(server, person);
  const delivered = new Set<number | undefined>();
  const conversation: Conversation = {
    accountId,
    platform: "telegram",
    conversationId: brandAs<ConversationId>(String(chat.id)),
    kind,
  };
  return {
    adapter,
    person: brandAs<UserId>(String(person.id)),
    threads: true,
    conversation,
    async deliver(text, { times = 1, thread = false, media } = {}) {
      if (times > 1) server.duplicateNext(times - 1);
      const place = thread ? { topic } : {};
      const said = media ? chat.sendDocument(person, { bytes: media }, text, place) : chat.say(person, text, place);
      delivered.add(said.updateId);
      return brandAs<MessageId>(String(said.messageId));
    },
    async deliverOwn(text) {
      const type = kind === "direct" ? "private" : "supergroup";
      server.raw({
        message: {
          message_id: 4_000,
          chat: { id: chat.id, type, title: "Engine" },
          from: server.botUser,
          date: 1_790_000_000,
          text,
        },
      });
    },
    async edit(messageId, text) {
      chat.edit(person, Number(messageId), text);
    },
    failNextSend(failure) {
      const { when, met } = noticing(() => true);
      server.fail("sendMessage", faultOf(failure, refusals), 1, when);
      return met;
    },
    posted: () => chat.botMessages().map(toPosted),
    acknowledged: () =>
      [...server.bots[0]!.updates.pending()].reduce(
        (count, { update_id }) => count - Number(delivered.has(update_id)),
        delivered.size,
      ),
    async dropConnection(meanwhile) {
      server.goOffline();
      await meanwhile?.();
      await systemClock.sleep(50);
      server.goOnline();
    },
    reactions: (messageId) => chat.message(Number(messageId))?.reactions.get(server.botUser.id) ?? [],
    typings: () => chat.activities().filter(({ action }) => action === "typing").length,
    async press(messageId, label) {
      chat.press(person, Number(messageId), label);
    },
    close,
  };
}

function forumPlace(server: Server, person: User) {
  const title = "Analytical Engine";
  const options = { title, members: [person], forum: true, topics: ["Side"], botIsAdministrator: true };
  const chat = server.group(options);
  return { chat, topic: chat.topic("Side") };
}

function privatePlace(server: Server, person: User) {
  const chat = server.privateChat(person);
  return { chat, topic: chat.openTopic("Side") };
}

function toPosted({ id, text, topic, media, buttons }: SeenMessage): PostedMessage {
  return {
    messageId: brandAs<MessageId>(String(id)),
    text,
    ...(topic === undefined ? {} : { threadId: String(topic) }),
    ...(media === undefined ? {} : { files: [{ name: media.name ?? "", bytes: media.bytes }] }),
    buttons: buttons.flat().map((button) => button.text),
  };
}

/** A gateway in small: hands requests to the adapter's route. */
async function startGateway() {
  let adapter: Adapter | undefined;
  const server = createServer(async (incoming, outgoing) => {
    const route = adapter?.routes?.().find(({ path, method }) => path === incoming.url && method === incoming.method);
    const headers = incoming.headers as Record<string, string>;
    const request = new Request("http://gateway.test/", { method: "POST", headers, body: await buffer(incoming) });
    const response = (await route?.handle(request, {})) ?? new Response(null, { status: 404 });
    outgoing.writeHead(response.status).end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mount(mounted: Adapter) {
      adapter = mounted;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
