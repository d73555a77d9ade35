import { brandAs, type MessageId, systemClock, type UserId } from "@talaria/protocol";
import { type AdapterHarness, describeAdapter, faultOf, noticing, type Refusals } from "@talaria/testkit";
import type { WhatsappFault } from "./emulator/index.ts";
import { conversation, makeCloudWorld, message } from "./testing/cloud-world.ts";

const refusals: Refusals<WhatsappFault> = {
  rateLimited: (retryAfterMs) => ({ kind: "error", code: 130429, retryAfter: retryAfterMs / 1_000, effect: "none" }),
  unauthorized: { kind: "error", code: 190, effect: "none" },
};

describeAdapter("whatsapp by the cloud api", makeHarness);

async function makeHarness(): Promise<AdapterHarness> {
  const { server, ada, adapter, close } = await makeCloudWorld();
  const delivered: string[] = [];
  // Otherwise the window is closed for tests in which nobody writes first.
  ada.raw({ type: "request_welcome" });
  return {
    adapter,
    person: brandAs<UserId>(ada.id),
    threads: false,
    conversation: conversation(ada.id),
    async deliver(text, { times = 1, media } = {}) {
      if (times > 1) server.duplicateNext(times - 1);
      const file = { kind: "document", mimeType: "application/pdf", caption: text, name: "it.pdf" } as const;
      const id = media ? ada.send({ ...file, bytes: media }) : ada.say(text);
      delivered.push(id);
      return brandAs<MessageId>(id);
    },
    // What the number itself sends from elsewhere is not told; its statuses are.
    deliverOwn: async () => ada.status("wamid.somewhere-else", "delivered"),
    failNextSend(failure) {
      const { when, met } = noticing(() => true);
      server.fail("send", faultOf(failure, refusals), 1, when);
      return met;
    },
    posted: () =>
      ada.answers().map(({ id, text, file, choices }) => ({
        messageId: brandAs<MessageId>(id),
        text,
        ...(file === undefined ? {} : { files: [{ name: file.name ?? "", bytes: file.bytes }] }),
        ...(choices === undefined ? {} : { buttons: choices.map(({ title }) => title) }),
      })),
    acknowledged: () => delivered.filter((id) => server.isDelivered(id)).length,
    /** Nobody listens to a connection; a call that fails shows that it is gone. */
    async dropConnection(meanwhile) {
      server.goOffline();
      await meanwhile?.();
      await adapter.send(message(ada.id, "lost"), AbortSignal.timeout(5_000)).catch(() => undefined);
      await systemClock.sleep(50);
      server.goOnline();
    },
    reactions(messageId) {
      const emoji = ada.messages().find(({ id }) => id === messageId)?.reactions.business;
      return emoji === undefined ? [] : [emoji];
    },
    typings: () => ada.typing().length,
    press: async (messageId, label) => void ada.press(messageId, label),
    close,
  };
}
