import type { Adapter } from "@talaria/adapter";
import { brandAs, type MessageId, systemClock, type UserId } from "@talaria/protocol";
import { type AdapterHarness, describeAdapter, faultOf, noticing, type Refusals, sampleFile } from "@talaria/testkit";
import { choiceKeys, choicesOf } from "./choices.ts";
import type { MatrixFault } from "./emulator/index.ts";
import { conversation, makeWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;

const refusals: Refusals<MatrixFault> = {
  rateLimited: (retryAfterMs) => ({
    kind: "answer",
    status: 429,
    errcode: "M_LIMIT_EXCEEDED",
    retryAfterMs,
    effect: "none",
  }),
  unauthorized: { kind: "answer", status: 401, errcode: "M_UNKNOWN_TOKEN", effect: "none" },
};

describeAdapter("matrix", async () => {
  const world = await makeWorld();
  return harnessOf(world, world.make());
});

function harnessOf({ server, ada, room, store, files }: World, adapter: Adapter): AdapterHarness {
  const root = room.say(ada, "a root, from before the bot started");
  const delivered: string[] = [];
  files[sampleFile.ref] = sampleFile.bytes;
  return {
    adapter,
    person: brandAs<UserId>(ada),
    threads: true,
    conversation: conversation(room.id),
    async deliver(text, { times = 1, thread = false, media } = {}) {
      const id = room.say(ada, text, {
        ...(thread && { threadId: root }),
        ...(media && { file: { bytes: media, name: "file.bin", mimeType: "application/octet-stream" } }),
      });
      for (let again = 1; again < times; again += 1) room.redeliver(id);
      delivered.push(id);
      return brandAs<MessageId>(id);
    },
    async deliverOwn(text) {
      room.say(server.bot.userId, text);
    },
    async edit(messageId, text) {
      room.edit(ada, messageId, text);
    },
    failNextSend(failure) {
      const { when, met } = noticing(() => true);
      server.fail("send", faultOf(failure, refusals), 1, when);
      return met;
    },
    posted: () =>
      room.botMessages().map(({ id, text, content, threadId, file }) => ({
        messageId: brandAs<MessageId>(id),
        text,
        buttons: choicesOf(content).map(({ label }) => label),
        files: file === undefined ? [] : [file],
        ...(threadId === undefined ? {} : { threadId }),
      })),
    acknowledged() {
      const position = Number(store.values.get("sync")?.slice(1) ?? 0);
      return delivered.filter((id) => room.positionOf(id) <= position).length;
    },
    async dropConnection(meanwhile) {
      server.goOffline();
      await meanwhile?.();
      await systemClock.sleep(50);
      server.goOnline();
    },
    reactions: (messageId) => room.reactionsOf(messageId),
    async press(messageId, label) {
      const offered = choicesOf(room.botMessages().find(({ id }) => id === messageId)?.content ?? {});
      room.react(ada, messageId, choiceKeys[offered.findIndex((choice) => choice.label === label)] ?? "");
    },
    typings: () => server.world.typing.filter(({ isTyping }) => isTyping).length,
    close: () => server.stop(),
  };
}
