import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { UserEntry } from "@talaria/agent";
import {
  type Attachment,
  brandAs,
  type DeliveryKey,
  type EventId,
  type InboundEvent,
  type MediaRef,
  type MessageId,
  type ProcessId,
  sessionKeyOf,
  silentLog,
  type UserId,
} from "@talaria/protocol";
import type { PendingEvent } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { createEntryMaker, type EntryMaker } from "./entries.ts";
import { createMediaReader } from "./media-reader.ts";
import { createTestStore, type TestStore } from "./worker.fixture.ts";

const limits = { maxBytes: 1_000_000, maxPixels: 1_000_000, quotaBytes: 10_000_000 };
const never = new AbortController().signal;

async function* piece(text: string) {
  yield Buffer.from(text);
}

function attachment(ref: string, more: Partial<Attachment> = {}): Attachment {
  return { kind: "file", mimeType: "text/plain", ref: brandAs<MediaRef>(ref), ...more };
}

describe("what a turn reads of files and buttons", () => {
  let database: TestStore;
  let toEntries: EntryMaker;
  let heard: string[];

  before(async () => {
    database = await createTestStore();
    heard = [];
    const { media: store, operations } = database.store;
    const transcribe = async ({ bytes }: { readonly bytes: Uint8Array }) => {
      const said = Buffer.from(bytes).toString();
      if (said.includes("noise")) throw new Error("nothing understood");
      heard.push(said);
      return said.slice(4);
    };
    const transcription = { transcribe, maxBytes: 1_000, timeoutMs: 5_000 };
    const media = createMediaReader({ media: store, transcription, ending: never, log: silentLog });
    toEntries = createEntryMaker({ media, operations });
  });

  after(() => database[Symbol.asyncDispose]());

  async function record(...attachments: readonly Attachment[]): Promise<InboundEvent> {
    const message = messageFrom({ account: `account-${crypto.randomUUID()}`, text: "look" });
    assert.ok(message.type === "message.created");
    const event = { ...message, message: { ...message.message, attachments } };
    const sessionKey = sessionKeyOf(event.conversation, event.sender, "conversation");
    await database.store.inbox.record({ sessionKey, event, route: event.conversation, mode: "queue", role: "member" });
    return event;
  }

  /** Settles the event's attachments, in their order, with these contents or problems. */
  async function fetched(event: InboundEvent, ...contents: readonly (string | { problem: string })[]): Promise<void> {
    const due = await database.store.media.toFetch([event.conversation.accountId], [], 10);
    for (const [index, content] of contents.entries()) {
      const one = due.find(({ n }) => n === index);
      assert.ok(one);
      if (typeof content !== "string") await database.store.media.settle(one, { state: "failed", ...content });
      else {
        const media = await database.store.media.put(piece(content), one.attachment.mimeType, limits, never);
        await database.store.media.settle(one, { state: "stored", media });
      }
    }
  }

  async function read(event: InboundEvent): Promise<UserEntry> {
    const pending = { seq: 1, event, route: event.conversation, mode: "queue", recordedAt: event.receivedAt } as const;
    const [entry] = await toEntries([pending satisfies PendingEvent], [pending]);
    assert.ok(entry?.kind === "user");
    return entry;
  }

  it("is the content where it came, the reason where it did not, and says what is still missing", async () => {
    const event = await record(attachment("one"), attachment("two"), attachment("three"));
    await fetched(event, "hello", { problem: "it is gone" });
    const [one, two, three] = (await read(event)).attachments;
    assert.match(one?.ref ?? "", /^sha256:[0-9a-f]{64}$/);
    assert.deepEqual([one?.byteLength, one?.problem], [5, undefined]);
    assert.deepEqual([two?.ref, two?.problem], ["two", "it is gone"]);
    assert.deepEqual([three?.ref, three?.problem], ["three", "it has not arrived in time"]);
    assert.equal(three?.unopened?.n, 2, "it can be opened once it has");
  });

  it("writes down a voice note once, however often it is read", async () => {
    const event = await record(attachment("voice", { kind: "audio", mimeType: "audio/ogg", voice: true }));
    await fetched(event, "OggSgood morning");
    for (let time = 0; time < 2; time += 1) {
      const [note] = (await read(event)).attachments;
      assert.equal(note?.transcript, "good morning");
    }
    assert.deepEqual(heard, ["OggSgood morning"]);
  });

  it("goes on without the words of what can't be understood, or is too long", async () => {
    const voice = { kind: "audio", mimeType: "audio/ogg", voice: true } as const;
    const event = await record(attachment("a", voice), attachment("b", voice));
    await fetched(event, "OggSnoise", `OggS${"x".repeat(2_000)}`);
    const problems = (await read(event)).attachments.map(({ problem }) => problem);
    assert.deepEqual(problems, ["it could not be transcribed", "it is too long to be transcribed"]);
  });

  it("has of a quoted message what was fetched with the event, and names the rest as not opened", async () => {
    const event = await record();
    assert.ok(event.type === "message.created");
    const image = attachment("quoted image", { kind: "image", mimeType: "image/png" });
    const quote = {
      ...{ userId: brandAs<UserId>("u9"), displayName: "Eve", markdown: "" },
      attachments: [attachment("quoted file"), image],
    };
    const quoting = { ...event, id: brandAs<EventId>(`${event.id} q`), message: { ...event.message, quote } };
    const { conversation, sender } = quoting;
    const sessionKey = sessionKeyOf(conversation, sender, "conversation");
    await database.store.inbox.record({
      sessionKey,
      event: quoting,
      route: conversation,
      mode: "queue",
      role: "member",
    });
    const [due] = await database.store.media.toFetch([conversation.accountId], [], 10);
    assert.ok(due);
    const media = await database.store.media.put(piece("what is seen"), "text/plain", limits, never);
    await database.store.media.settle(due, { state: "stored", media });
    const [file, seen] = (await read(quoting)).quote?.attachments ?? [];
    assert.deepEqual(file?.unopened, { accountId: conversation.accountId, eventId: quoting.id, n: 100 });
    assert.deepEqual([seen?.ref, seen?.unopened], [media.ref, undefined]);
  });

  it("names the files of the newest overheard messages, and counts the others", async () => {
    const event = await record();
    const eventId = brandAs<EventId>("heard");
    const overheard = Array.from({ length: 6 }, (_, n) => ({
      ...{ messageId: brandAs<MessageId>(`m${n}`), eventId, sender: event.sender, markdown: "", at: event.occurredAt },
      attachments: Array.from({ length: 5 }, (_, place) => attachment(`${n}-${place}`)),
    }));
    const pending = { seq: 1, event, route: event.conversation, mode: "queue", recordedAt: event.receivedAt } as const;
    const entries = await toEntries([{ ...pending, overheard } satisfies PendingEvent], [pending]);
    const heard = entries.flatMap((entry) => (entry.kind === "overheard" ? [entry] : []));
    assert.deepEqual(
      heard.map(({ attachments = [], moreFiles = 0 }) => [attachments.length, moreFiles]),
      [
        [0, 5],
        [0, 5],
        [5, 0],
        [5, 0],
        [5, 0],
        [5, 0],
      ],
    );
    const { accountId } = event.conversation;
    assert.deepEqual(heard.at(-1)?.attachments?.at(-1)?.unopened, { accountId, eventId, n: 4 });
  });

  it("is one file where what is answered was overheard before", async () => {
    const event = await record();
    assert.ok(event.type === "message.created");
    const [picture, other] = [attachment("same", { kind: "image", mimeType: "image/png" }), attachment("other")];
    const quote = { userId: brandAs<UserId>("u9"), displayName: "Bob", markdown: "", attachments: [picture] };
    const answering = { ...event, message: { ...event.message, quote } };
    const at = { sender: event.sender, markdown: "", at: event.occurredAt };
    const heardAs = { messageId: brandAs<MessageId>("m1"), eventId: brandAs<EventId>("heard"), ...at };
    const overheard = [{ ...heardAs, attachments: [picture, other] }];
    const pending = { seq: 1, route: event.conversation, mode: "queue", recordedAt: event.receivedAt } as const;
    const entries = await toEntries([{ ...pending, event: answering, overheard }], [{ ...pending, event: answering }]);
    const [heard, said] = entries;
    assert.ok(heard?.kind === "overheard" && said?.kind === "user");
    assert.deepEqual(heard.attachments?.[0], said.quote?.attachments?.[0]);
    assert.equal(heard.attachments?.[1]?.unopened?.eventId, "heard");
  });

  it("is the label of the button that was pressed, also where the platform tells only its id", async () => {
    const { conversation, ...base } = messageFrom({ account: `account-${crypto.randomUUID()}`, text: "" });
    const { store } = database;
    const lease = await store.accounts.acquire(conversation.accountId, "loopback", brandAs<ProcessId>("g"), 60_000);
    assert.ok(lease);
    const choices = [{ id: "a-1", label: 'Blue "sky"' }];
    const deliveryKey = brandAs<DeliveryKey>("asked");
    await store.outbox.add([{ deliveryKey, kind: "notice", conversation, markdown: "?", attachments: [], choices }]);
    const [row] = await store.outbox.due(lease, [], 1);
    assert.ok(row);
    assert.deepEqual(row.choices, choices);
    const messageId = brandAs<MessageId>("m1");
    const part = {
      markdown: "?",
      attachments: [],
      choices,
      state: "sent",
      messageId,
      attempts: 1,
      unknown: 0,
    } as const;
    await store.outbox.update(lease, { id: row.id, state: "sent", parts: [part] });
    const { id, sender, occurredAt, receivedAt } = base;
    const event = { id, sender, occurredAt, receivedAt, conversation, type: "action.invoked", messageId } as const;
    const name = sender.displayName;
    assert.equal((await read({ ...event, actionId: "a-1" })).markdown, `[${name} pressed "Blue "sky""]`);
    assert.equal((await read({ ...event, actionId: "a-1", label: "Sky" })).markdown, `[${name} pressed "Sky"]`);
    assert.equal((await read({ ...event, actionId: "gone" })).pressed, true, "these are the agent's words");
    assert.equal((await read({ ...event, actionId: "gone" })).markdown, `[${name} pressed "gone"]`);
  });
});
