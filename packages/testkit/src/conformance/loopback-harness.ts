import { type AccountId, brandAs, type MessageId, systemClock, type UserId } from "@talaria/protocol";
import { adapterDeps } from "../adapter-deps.ts";
import type { AdapterHarness } from "./harness.ts";
import { LoopbackAdapter, loopbackConversation } from "./loopback-adapter.ts";
import { type LoopbackDelivery, LoopbackPlatform, loopbackSelf } from "./loopback-platform.ts";

const accountId = brandAs<AccountId>("loopback-main");
const person = brandAs<UserId>("ada");

/** A loopback adapter with its own platform. */
export async function makeLoopbackHarness(): Promise<AdapterHarness> {
  const world = new LoopbackPlatform();
  const delivered: LoopbackDelivery[] = [];
  return {
    adapter: new LoopbackAdapter(adapterDeps({ id: accountId, clock: systemClock }), world),
    person,
    threads: true,
    conversation: loopbackConversation(accountId),
    async deliver(text, { times = 1, thread = false, media } = {}) {
      const place = thread ? { threadId: "side" } : {};
      const delivery = world.deliver({ userId: person, text, ...place, ...(media ? { media } : {}) }, times);
      delivered.push(delivery);
      return brandAs<MessageId>(delivery.messageId);
    },
    async deliverOwn(text) {
      world.deliver({ userId: loopbackSelf, text });
    },
    async edit(messageId, text) {
      world.change(messageId, person, text);
    },
    failNextSend: (failure) => world.failNextSend(failure),
    posted: () => world.posted(),
    acknowledged: () => delivered.filter((delivery) => world.isAcknowledged(delivery)).length,
    async dropConnection(meanwhile) {
      world.dropConnection();
      await meanwhile?.();
    },
    reactions: (messageId) => world.reactions(messageId),
    typings: () => world.typings(),
    press: async (messageId, label) => world.press(messageId, person, label),
    close: async () => undefined,
  };
}
