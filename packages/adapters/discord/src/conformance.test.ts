import type { Adapter } from "@talaria/adapter";
import { brandAs, type MessageId, systemClock, type UserId } from "@talaria/protocol";
import {
  type AdapterHarness,
  describeAdapter,
  type Fault,
  faultOf,
  noticing,
  type Refusals,
  sampleFile,
} from "@talaria/testkit";
import { conversation, makeWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof makeWorld>>;

const refusals: Refusals<Fault> = {
  rateLimited: (retryAfterMs) => ({ kind: "answer", code: 429, retryAfter: retryAfterMs / 1_000, effect: "none" }),
  unauthorized: { kind: "answer", code: 401, effect: "none" },
};

describeAdapter("discord", async () => {
  const world = await makeWorld();
  return harnessOf(world, world.make());
});

function harnessOf({ server, ada, channel, store, files }: World, adapter: Adapter): AdapterHarness {
  files[sampleFile.ref] = sampleFile.bytes;
  const thread = channel.thread("side");
  const places = [channel, thread];
  const delivered: { readonly place: string; readonly id: string }[] = [];
  return {
    adapter,
    person: brandAs<UserId>(ada.id),
    threads: true,
    conversation: conversation(channel.id),
    async deliver(text, { times = 1, thread: isInThread = false, media } = {}) {
      const place = isInThread ? thread : channel;
      const id = place.say(ada, text, media ? { files: [{ bytes: media }] } : {});
      for (let again = 1; again < times; again += 1) place.redeliver(id);
      delivered.push({ place: place.id, id });
      return brandAs<MessageId>(id);
    },
    async deliverOwn(text) {
      server.sayAsBot(channel, text);
    },
    async edit(messageId, text) {
      channel.edit(ada, messageId, text);
    },
    failNextSend(failure) {
      const { when, met } = noticing(() => true);
      server.fail("createMessage", faultOf(failure, refusals), 1, when);
      return met;
    },
    posted: () =>
      places
        .flatMap((place) => place.botMessages())
        .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
        .map(({ id, text, thread: threadId, files: seen, buttons }) => ({
          messageId: brandAs<MessageId>(id),
          text,
          files: seen,
          buttons: buttons.flatMap(({ label, isDisabled }) => (isDisabled ? [] : [label])),
          chosen: buttons.flatMap(({ label, isChosen }) => (isChosen ? [label] : [])).join(),
          ...(threadId === undefined ? {} : { threadId }),
        })),
    acknowledged() {
      const stored = JSON.parse(store.values.get("cursors") ?? '{"channels":[]}') as { channels: [string, string][] };
      const cursors = new Map(stored.channels);
      return delivered.filter(({ place, id }) => BigInt(cursors.get(place) ?? "0") >= BigInt(id)).length;
    },
    async dropConnection(meanwhile) {
      server.goOffline();
      await meanwhile?.();
      await systemClock.sleep(50);
      server.goOnline();
    },
    reactions: (messageId) => {
      const reactions = channel.messages().find(({ id }) => id === messageId)?.reactions ?? new Map<string, string[]>();
      return [...reactions].flatMap(([emoji, users]) => (users.includes(server.bot.id) ? [emoji] : []));
    },
    typings: () => places.reduce((sum, place) => sum + place.typings().length, 0),
    async press(messageId, label) {
      const button = channel.messages().flatMap(({ id, buttons }) => (id === messageId ? buttons : []));
      await channel.press(ada, messageId, button.find((one) => one.label === label)?.id ?? "");
    },
    close: () => server.stop(),
  };
}
