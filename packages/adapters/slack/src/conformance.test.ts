import type { Adapter } from "@talaria/adapter";
import { brandAs, type MessageId, type UserId } from "@talaria/protocol";
import { type AdapterHarness, describeAdapter, type Fault, faultOf, noticing, type Refusals } from "@talaria/testkit";
import { serveRoutes } from "./testing/route-server.ts";
import { conversation, makeWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;

const refusals: Refusals<Fault> = {
  rateLimited: (retryAfterMs) => ({ kind: "answer", code: 429, retryAfter: retryAfterMs / 1_000, effect: "none" }),
  unauthorized: { kind: "answer", code: 200, description: "invalid_auth", effect: "none" },
};

describeAdapter("slack over a socket", async () => {
  const world = await makeWorld();
  return harnessOf(world, world.make());
});

describeAdapter("slack over HTTP", async () => {
  const world = await makeWorld({ mode: "http" });
  const adapter = world.make();
  const web = await serveRoutes(adapter);
  world.server.pushTo(web.url);
  return harnessOf(world, adapter, { close: () => web.close() });
});

describeAdapter("slack in an assistant thread", async () => {
  const world = await makeWorld();
  const root = world.direct.say(world.ada, "New chat", { subtype: "assistant_app_thread" });
  return harnessOf(world, world.make(), { thread: root });
});

describeAdapter("slack with an agent_view, in a channel", async () => {
  const world = await makeWorld({ agentView: true, settings: { agentView: true } });
  return harnessOf(world, world.make());
});

interface Where {
  readonly close?: () => Promise<void>;
  /** Everything is said in this thread of the direct conversation. */
  readonly thread?: string;
}

function harnessOf(world: World, adapter: Adapter, { close, thread: home }: Where = {}): AdapterHarness {
  const { server, ada, direct } = world;
  const channel = home === undefined ? world.channel : direct;
  const side = home ?? channel.say(server.user("bob"), "an old message", { subtype: "channel_topic" });
  const delivered: string[] = [];
  return {
    adapter,
    person: brandAs<UserId>(ada.id),
    // In the assistant everything is in a thread.
    threads: home === undefined,
    conversation: conversation(channel.id, home),
    async deliver(text, { times = 1, thread = home !== undefined, media } = {}) {
      const files = media === undefined ? [] : [{ bytes: media }];
      const ts = channel.say(ada, text, { files, ...(thread ? { thread: side } : {}) });
      for (let again = 1; again < times; again += 1) channel.redeliver(ts);
      delivered.push(`${channel.id}/${ts}`);
      return brandAs<MessageId>(ts);
    },
    async deliverOwn(text) {
      server.sayAsBot(channel, text);
    },
    async edit(messageId, text) {
      channel.edit(messageId, text);
    },
    failNextSend(failure) {
      const { when, met } = noticing(() => true);
      server.fail("chat.postMessage", faultOf(failure, refusals), 1, when);
      return met;
    },
    posted: () =>
      channel.botMessages().map(({ ts, text, threadTs, files, buttons }) => ({
        messageId: brandAs<MessageId>(ts),
        text,
        files,
        buttons: buttons.map(({ label }) => label),
        ...(threadTs === undefined ? {} : { threadId: threadTs }),
      })),
    acknowledged() {
      const taken = server.deliveries.acknowledgedMessages();
      return delivered.filter((key) => taken.has(key)).length;
    },
    async dropConnection(meanwhile) {
      server.goOffline();
      await meanwhile?.();
      await server.turnedAway();
      server.goOnline();
    },
    reactions: (messageId) =>
      [...channel.reactions(messageId)]
        .filter(([, users]) => users.has(server.bot.id))
        .map(([name]) => (name === "eyes" ? "👀" : name)),
    typings: () =>
      server.calls.of("assistant.threads.setStatus").length + server.calls.of("agents.sessions.setStatus").length,
    async press(messageId, label) {
      const seen = channel.botMessages().find(({ ts }) => ts === messageId);
      channel.press(ada, messageId, seen?.buttons.find((button) => button.label === label)?.id ?? "");
    },
    async close() {
      await close?.();
      await server.stop();
    },
  };
}
