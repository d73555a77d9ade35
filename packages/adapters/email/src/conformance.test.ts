import { brandAs, type MessageId, systemClock, type UserId } from "@talaria/protocol";
import { type AdapterHarness, describeAdapter, noticing, type SendFailure, sampleFile } from "@talaria/testkit";
import type { MailServer, SmtpFault } from "./emulator/index.ts";
import { ada, conversation, makeWorld } from "./testing/world.ts";

describeAdapter("email", makeHarness);

async function makeHarness(): Promise<AdapterHarness> {
  const { server, store, make } = await makeWorld();
  const delivered: number[] = [];
  return {
    adapter: make({}, { files: { [sampleFile.ref]: sampleFile.bytes } }),
    person: brandAs<UserId>(ada.address),
    // Every mail belongs to one, its own at least: threads.test.ts tries that.
    threads: false,
    conversation: conversation(),
    async deliver(text, { times = 1, media } = {}) {
      const messageId = `<${delivered.length}.harness@people.test>`;
      const files = media === undefined ? {} : { files: [{ name: "picture.png", type: "image/png", bytes: media }] };
      delivered.push(server.inbox.uidNext);
      for (let time = 0; time < times; time += 1) server.say(ada.from, text, { messageId, ...files });
      return brandAs<MessageId>(messageId);
    },
    async deliverOwn(text) {
      server.say(`Talaria <${server.address}>`, text);
    },
    failNextSend(failure) {
      const { when, met } = noticing(() => true);
      const fault = faultOf(failure);
      server.failNextSend(fault.kind === "hang" ? { ...fault, when } : fault);
      return met;
    },
    posted: () =>
      server.sent().map(({ messageId, text, files }) => ({ messageId: brandAs<MessageId>(messageId), text, files })),
    acknowledged() {
      const { lastUid } = JSON.parse(store.values.get("cursor") ?? '{"lastUid":0}') as { lastUid: number };
      return delivered.filter((uid) => uid <= lastUid).length;
    },
    dropConnection: (meanwhile) => dropConnection(server, meanwhile),
    close: () => server.stop(),
  };
}

async function dropConnection(server: MailServer, meanwhile?: () => Promise<void>): Promise<void> {
  server.imap.goOffline();
  await systemClock.sleep(50);
  await meanwhile?.();
  server.imap.goOnline();
}

function faultOf(failure: SendFailure): SmtpFault {
  switch (failure.kind) {
    case "rate_limited":
      return {
        kind: "answer",
        at: "rcpt",
        code: 451,
        text: `4.7.1 try again in ${failure.retryAfterMs / 1_000} seconds`,
      };
    case "unauthorized":
      return { kind: "answer", at: "auth", code: 535, text: "5.7.8 Username and Password not accepted" };
    case "connection_lost":
      return { kind: "cut", at: "after-data" };
    case "stalled":
      return { kind: "hang", keep: false };
    default:
      return failure satisfies never;
  }
}
