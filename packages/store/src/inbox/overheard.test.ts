import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brandAs, type MediaRef, type MessageId, silentLog, systemClock, type UserId } from "@talaria/protocol";
import { type Database, openDatabase } from "../database/database.ts";
import type { InboxEntry } from "../ports/inbox.ts";
import {
  beginTurn,
  claim,
  completeTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  never,
  newWorker,
  type TestStore,
} from "../test-store.ts";

describe("what was overheard", () => {
  let test: TestStore;
  let database: Database;
  before(async () => {
    test = await createTestStore();
    database = openDatabase({ url: test.url, log: silentLog, clock: systemClock, maxConnections: 2 });
  });
  after(async () => {
    await database.close();
    await test[Symbol.asyncDispose]();
  });

  const limitsOf = (place: string) => ({ place, messages: 3, maxAgeMs: 60_000 });
  let edits = 0;

  async function hear(place: string, id: string, markdown = id, edited = false): Promise<void> {
    edits += 1;
    const event = eventOf(edited ? `${id}-edit-${edits}` : id, place);
    const { sender, occurredAt: at } = event;
    const message = { messageId: brandAs<MessageId>(`m-${id}`), sender, markdown, at };
    const overheard = { ...limitsOf(place), message, edited };
    await test.store.inbox.settle({ event, outcome: "ignored", reason: "not_addressed", overheard });
  }

  /** Says something to us. */
  const ask = (place: string, id: string, more: Partial<InboxEntry> = {}) =>
    test.store.inbox.record({ ...entryOf(id, place), overheard: limitsOf(place), ...more });

  /** Takes the message `id` back. */
  async function takeBack(place: string, id: string): Promise<void> {
    const { id: eventId, conversation, sender, occurredAt, receivedAt } = eventOf(`${id}-gone`, place);
    const messageId = brandAs<MessageId>(`m-${id}`);
    const event = {
      id: eventId,
      conversation,
      sender,
      occurredAt,
      receivedAt,
      messageId,
      type: "message.deleted",
    } as const;
    await test.store.inbox.record({ ...entryOf(id, place), event, forgetIn: place });
  }

  async function read(place: string): Promise<readonly (readonly string[] | undefined)[]> {
    const found = await claim(test.store, place, await newWorker(test.store));
    await test.store.turns.handOver(found.lease);
    return found.pending.map(({ overheard }) => overheard?.map(({ markdown }) => markdown));
  }

  const kept = async (place: string) =>
    (await database.query({ text: "select 1 from overheard where place = $1", values: [place] })).length;

  it("goes along with the next message to us, once", async () => {
    await hear("next", "n-1");
    await hear("next", "n-2");
    await ask("next", "n-3");
    await ask("next", "n-4");
    assert.deepEqual(await read("next"), [["n-1", "n-2"], undefined]);
    assert.equal(await kept("next"), 0);
  });

  it("keeps files and quotes, and reads what an earlier release has written", async () => {
    const event = eventOf("wf-1", "with-files");
    const file = { kind: "file", mimeType: "text/plain", ref: brandAs<MediaRef>("r") } as const;
    const message = {
      ...{ messageId: brandAs<MessageId>("m-wf-1"), eventId: event.id, sender: event.sender, markdown: "" },
      ...{ attachments: [file], moreFiles: 2, at: event.occurredAt },
      quote: { userId: brandAs<UserId>("u"), displayName: "U", markdown: "earlier", attachments: [file] },
    };
    const overheard = { ...limitsOf("with-files"), message, edited: false };
    await test.store.inbox.settle({ event, outcome: "ignored", reason: "not_addressed", overheard });
    await hear("with-files", "wf-2");
    await ask("with-files", "wf-3");
    const found = await claim(test.store, "with-files", await newWorker(test.store));
    const [first, second] = found.pending[0]?.overheard ?? [];
    assert.deepEqual(first, message);
    assert.deepEqual(second?.markdown, "wf-2");
    const fetched = await database.query({ text: "select 1 from attachment where event_id = 'wf-1'", values: [] });
    assert.deepEqual(fetched, [], "nothing of it is fetched");
  });

  it("says who said it and when", async () => {
    await hear("who", "w-1", "let us meet at nine");
    await ask("who", "w-2");
    const found = await claim(test.store, "who", await newWorker(test.store));
    const { sender, occurredAt: at } = eventOf("w-1", "who");
    assert.deepEqual(found.pending[0]?.overheard, [
      { messageId: "m-w-1", sender, markdown: "let us meet at nine", at },
    ]);
  });

  it("is only the newest, and nothing old", async () => {
    for (const n of [1, 2, 3, 4, 5]) await hear("few", `f-${n}`);
    assert.equal(await kept("few"), 3);
    await database.query({
      text: "update overheard set heard_at = heard_at - interval '2 minutes' where body ->> 'markdown' = 'f-3'",
    });
    await ask("few", "f-6");
    assert.deepEqual(await read("few"), [["f-4", "f-5"]]);
  });

  it("is not pushed out by an album", async () => {
    for (const id of ["al-1", "al-2"]) await hear("album", id);
    for (const n of [3, 4, 5, 6]) await hear("album", `al-${n}`, "");
    assert.equal(await kept("album"), 5);
    await ask("album", "al-7");
    assert.deepEqual(await read("album"), [["al-1", "al-2", "", "", ""]]);
  });

  it("belongs to its place", async () => {
    await hear("here", "h-1");
    await ask("there", "h-2");
    assert.deepEqual(await read("there"), [undefined]);
    assert.equal(await kept("here"), 1);
  });

  it("reads as it was edited, before and after a message took it along", async () => {
    await hear("edit", "e-1", "nine");
    await hear("edit", "e-1", "ten", true);
    await hear("edit", "e-never", "new text of a message that was not kept", true);
    await ask("edit", "e-2");
    assert.deepEqual(await read("edit"), [["ten"]]);
    await hear("edit", "e-1", "eleven", true);
    assert.deepEqual(await read("edit"), [["eleven"]]);
  });

  it("has the files of its edit, before and after a message took it along, and is gone when nothing is left", async () => {
    const fileOf = (name: string) =>
      ({ kind: "file", mimeType: "text/plain", name, ref: brandAs<MediaRef>(name) }) as const;
    const say = async (id: string, markdown: string, names: readonly string[], more: object, edited: boolean) => {
      edits += 1;
      const event = eventOf(`${id}-files-${edits}`, "files");
      const attachments = names.length === 0 ? {} : { attachments: names.map(fileOf) };
      const { sender, occurredAt: at } = event;
      const message = { messageId: brandAs<MessageId>(`m-${id}`), sender, markdown, ...attachments, at, ...more };
      const overheard = { ...limitsOf("files"), message, edited };
      await test.store.inbox.settle({ event, outcome: "ignored", reason: "not_addressed", overheard });
    };
    const files = async () => {
      const { lease, pending } = await claim(test.store, "files", await newWorker(test.store));
      await test.store.turns.handOver(lease);
      return (pending[0]?.overheard ?? []).map(
        ({ attachments = [], moreFiles, markdown }) =>
          [markdown, attachments.map(({ name }) => name).join(), moreFiles] as const,
      );
    };
    await say("f1", "these", ["a", "b"], { moreFiles: 1 }, false);
    await say("f2", "", ["c"], {}, false);
    await say("f3", "", ["d"], {}, false);
    await say("f1", "this", ["b"], {}, true);
    await say("f2", "", [], {}, true);
    await ask("files", "f4");
    assert.deepEqual(await files(), [
      ["this", "b", undefined],
      ["", "d", undefined],
    ]);
    await say("f1", "none", [], {}, true);
    await say("f3", " ", [], {}, true);
    assert.deepEqual(await files(), [["none", "", undefined]]);
  });

  it("is gone when it was deleted, before and after a message took it along", async () => {
    for (const id of ["d-1", "d-2", "d-3"]) await hear("gone", id);
    await takeBack("gone", "d-1");
    await ask("gone", "d-4");
    assert.deepEqual((await read("gone")).filter(Boolean), [["d-2", "d-3"]]);
    await takeBack("gone", "d-2");
    assert.deepEqual((await read("gone")).filter(Boolean), [["d-3"]]);
    await takeBack("gone", "d-3");
    assert.deepEqual((await read("gone")).filter(Boolean), []);
  });

  it("is not said twice when an edit makes it a message to us", async () => {
    await hear("turned", "t-1");
    await hear("turned", "t-2");
    const event = { ...entryOf("t-2-edit", "turned").event, type: "message.edited" } as const;
    assert.ok("message" in event);
    const message = { ...event.message, messageId: brandAs<MessageId>("m-t-2") };
    await ask("turned", "t-2-edit", { event: { ...event, message } as InboxEntry["event"] });
    assert.deepEqual(await read("turned"), [["t-1"]]);
  });

  it("comes again with a message that is tried again, and is forgotten with the conversation", async () => {
    const { store } = test;
    await hear("again", "a-1");
    await ask("again", "a-2");
    await completeTurn(store, await beginTurn(store, "again", await newWorker(store)));
    const settle = (id: string, kind: "retry" | "reset", forgetPlace?: string) =>
      store.inbox.settle({
        event: eventOf(id, "again"),
        outcome: "command",
        reason: `command:${kind}`,
        effect: { kind, sessionKey: keyOf("again") },
        ...(forgetPlace === undefined ? {} : { forgetPlace }),
      });
    await settle("a-3", "retry");
    assert.deepEqual(await read("again"), [["a-1"]]);
    await hear("again", "a-4");
    await settle("a-5", "reset", "again");
    assert.equal(await kept("again"), 0);
  });

  it("is removed after a day where nobody asks", async () => {
    await hear("silent", "s-1");
    await database.query({
      text: "update overheard set heard_at = heard_at - interval '25 hours' where place = 'silent'",
    });
    await test.store.operations.prune(90, never);
    assert.equal(await kept("silent"), 0);
  });
});
