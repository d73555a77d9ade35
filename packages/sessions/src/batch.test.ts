import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type InboundEvent, instantOf, type MediaRef, type MessageId } from "@talaria/protocol";
import type { PendingEvent } from "@talaria/store";
import { conversationFrom, editOf, type MessageCreated, messageFrom, sampleEvents } from "@talaria/testkit";
import fc from "fast-check";
import { nextBatch } from "./batch.ts";

type Deleted = Extract<InboundEvent, { type: "message.deleted" }>;

function deletionOf(event: InboundEvent): Deleted {
  const { id, conversation, sender, occurredAt, receivedAt } = messageFrom();
  const messageId = "message" in event ? event.message.messageId : event.messageId;
  return { id, conversation, sender, occurredAt, receivedAt, type: "message.deleted", messageId };
}

/** Numbers the events from 1, all for one place unless a thread says otherwise. */
function waiting(events: readonly InboundEvent[], threads: readonly (string | undefined)[] = []): PendingEvent[] {
  return events.map((event, index) => {
    const thread = threads[index];
    const route = conversationFrom(thread === undefined ? {} : { thread });
    return { seq: index + 1, event, route, mode: "queue", recordedAt: instantOf(0) };
  });
}

/** A batch in short: what is read, which numbers it stands for, what is dropped. */
function shortOf(pending: readonly PendingEvent[], limit = 50) {
  const { take, seqs, drop } = nextBatch(pending, limit);
  const texts = take.map(({ event }) => ("message" in event ? event.message.markdown : event.type));
  return { texts, seqs, drop: drop.map(({ seq, reason }) => `${seq} ${reason}`) };
}

describe("the next batch", () => {
  const [one, two, three] = ["one", "two", "three"].map((text) => messageFrom({ text }));
  assert.ok(one && two && three);

  it("is empty when nothing waits", () => {
    assert.deepEqual(nextBatch([], 50), { take: [], drop: [], seqs: [] });
  });

  it("is everything that waits for one place, in order", () => {
    const expected = { texts: ["one", "two", "three"], seqs: [1, 2, 3], drop: [] };
    assert.deepEqual(shortOf(waiting([one, two, three])), expected);
  });

  it("ends where the replies go elsewhere", () => {
    assert.deepEqual(shortOf(waiting([one, two, three], ["a", "a", "b"])).seqs, [1, 2]);
    assert.deepEqual(shortOf(waiting([one, two, three], [undefined, "a"])).seqs, [1]);
  });

  it("does not jump over a message for another place", () => {
    assert.deepEqual(shortOf(waiting([one, two, three], ["a", "b", "a"])).seqs, [1]);
  });

  it("takes at most so many", () => {
    assert.deepEqual(shortOf(waiting([one, two, three]), 2).seqs, [1, 2]);
  });

  it("joins no words to those of somebody who is known better, or had more rights", () => {
    const forged = { ...editOf(one, "forged"), sender: { ...one.sender, assurance: "claimed" as const } };
    assert.deepEqual(shortOf(waiting([one, forged])).texts, ["one", "forged"]);
    const [asked, edited] = waiting([one, editOf(one, "edited")]);
    assert.ok(asked && edited);
    assert.deepEqual(
      shortOf([
        { ...asked, role: "owner" },
        { ...edited, role: "guest" },
      ]).texts,
      ["one", "edited"],
    );
    const paste = { paste: "paste key" };
    const parts = waiting([two, { ...three, sender: forged.sender }]).map((part) => ({ ...part, ...paste }));
    assert.deepEqual(shortOf(parts).texts, ["two", "three"]);
  });

  it("takes pressed buttons in their order, each by itself", () => {
    const [press] = sampleEvents().filter(({ type }) => type === "action.invoked");
    assert.ok(press);
    assert.deepEqual(shortOf(waiting([one, press, press])), {
      texts: ["one", "action.invoked", "action.invoked"],
      seqs: [1, 2, 3],
      drop: [],
    });
  });

  it("reads an album of one sender as one message at its first place", () => {
    const picture = (name: string) => ({ kind: "image", mimeType: "image/png", ref: brandAs<MediaRef>(name) }) as const;
    const part = (albumId: string, text: string, name: string, from = "u1"): MessageCreated => {
      const event = messageFrom({ text, from, attachments: [picture(name)] });
      return { ...event, message: { ...event.message, albumId } };
    };
    const second = part("a", "", "2");
    const events = [part("a", "look", "1"), one, second, part("a", "mine", "x", "u2"), part("a", "and this", "3")];
    const { take, seqs, drop } = nextBatch(waiting([...events, editOf(second, "here")]), 50);
    assert.deepEqual(
      take.map(({ event }) => [
        event.id,
        ...("message" in event ? [event.message.markdown, ...event.message.attachments.map(({ ref }) => ref)] : []),
      ]),
      [
        [events[0]?.id, "look\n\nhere\n\nand this", "1", "2", "3"],
        [one.id, "one"],
        [events[3]?.id, "mine", "x"],
      ],
    );
    assert.deepEqual([seqs, drop], [[1, 2, 3, 4, 5, 6], []]);
  });

  it("reads an edited message once, at its place, with its last text", () => {
    const pending = waiting([one, two, editOf(one, "uno"), editOf(one, "eins")]);
    assert.deepEqual(shortOf(pending), { texts: ["eins", "two"], seqs: [1, 2, 3, 4], drop: [] });
    const { event } = nextBatch(pending, 50).take[0] ?? {};
    assert.deepEqual(event, { ...one, message: { ...one.message, markdown: "eins" } });
  });

  it("keeps somebody else's words under the same message id apart", () => {
    const forged = { ...editOf(one, "not mine"), sender: messageFrom({ from: "mallory" }).sender };
    const { take } = nextBatch(waiting([one, forged]), 50);
    assert.deepEqual(
      take.map(({ event }) => [event.sender.userId, "message" in event && event.message.markdown]),
      [
        [one.sender.userId, "one"],
        ["mallory", "not mine"],
      ],
    );
  });

  it("reads an edit of a message that was answered before as an edit", () => {
    const { take } = nextBatch(waiting([editOf(one, "uno")]), 50);
    assert.equal(take[0]?.event.type, "message.edited");
  });

  it("drops a message that was deleted before anybody read it", () => {
    const drop = ["1 deleted", "3 deletion"];
    assert.deepEqual(shortOf(waiting([one, two, deletionOf(one)])), { texts: ["two"], seqs: [2], drop });
  });

  it("drops the edits of a deleted message with it", () => {
    const pending = waiting([one, editOf(one, "uno"), editOf(one, "eins"), two, deletionOf(one)]);
    const drop = ["1 deleted", "2 deleted", "3 deleted", "5 deletion"];
    assert.deepEqual(shortOf(pending), { texts: ["two"], seqs: [4], drop });
  });

  it("may be nothing but drops", () => {
    const drop = ["1 deleted", "2 deleted", "3 deletion"];
    assert.deepEqual(shortOf(waiting([one, editOf(one, "uno"), deletionOf(one)])), { texts: [], seqs: [], drop });
  });

  it("drops the deletion of a message that was read before", () => {
    assert.deepEqual(shortOf(waiting([deletionOf(one)])), { texts: [], seqs: [], drop: ["1 deletion"] });
  });

  it("reads a message that came back after its deletion at its new place", () => {
    const pending = waiting([one, two, deletionOf(one), one]);
    const drop = ["1 deleted", "3 deletion"];
    assert.deepEqual(shortOf(pending), { texts: ["two", "one"], seqs: [2, 4], drop });
  });

  it("drops what is no message", () => {
    const reaction = sampleEvents().find(({ type }) => type === "reaction.added");
    assert.ok(reaction);
    assert.deepEqual(shortOf(waiting([reaction, one])).drop, ["1 not_a_message"]);
  });
});

interface Step {
  readonly kind: "created" | "edited" | "deleted";
  readonly message: number;
  readonly thread: string;
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom("created", "created", "edited", "deleted"),
    message: fc.nat({ max: 4 }),
    thread: fc.constantFrom("a", "a", "a", "b"),
  }),
  { maxLength: 20 },
);

describe("batches of any history", () => {
  it("account for every event once and keep the order, until nothing waits", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 8 }), (history, limit) => {
        const all = waiting(
          history.map(eventOf),
          history.map(({ thread }) => thread),
        );
        let left: readonly PendingEvent[] = all;
        while (left.length > 0) {
          const { take, drop, seqs } = nextBatch(left, limit);
          const gone = [...seqs, ...drop.map(({ seq }) => seq)].sort((first, second) => first - second);
          assert.deepEqual(
            gone,
            left.slice(0, gone.length).map(({ seq }) => seq),
            "a run from the front, each once",
          );
          assert.ok(gone.length > 0 && gone.length <= limit);
          const run = left.slice(0, gone.length);
          assert.equal(new Set(run.map(({ route }) => route.threadId)).size, 1, "one place");
          assert.deepEqual(
            take.map(({ seq }) => seq),
            ascending(take),
            "in order",
          );
          assert.ok(
            take.every(({ seq }) => seqs.includes(seq)),
            "what is read is taken",
          );
          assert.equal(take[0]?.seq, seqs[0], "the first number names the turn");
          assert.deepEqual(textsOf(take), lastTexts(run), "what is read is what people see now");
          left = left.slice(gone.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function eventOf({ kind, message }: Step, index: number): InboundEvent {
  const created = messageFrom({ messageId: `m${message}`, text: `text ${index}` });
  if (kind === "created") return created;
  return kind === "edited" ? editOf(created, `text ${index}`) : deletionOf(created);
}

function ascending(items: readonly PendingEvent[]): number[] {
  return items.map(({ seq }) => seq).sort((one, other) => one - other);
}

function textsOf(items: readonly PendingEvent[]): Record<string, string> {
  return Object.fromEntries(
    items.flatMap(({ event }) => ("message" in event ? [[event.message.messageId, event.message.markdown]] : [])),
  );
}

/** The texts of a run that are left when each event is carried out in turn. */
function lastTexts(run: readonly PendingEvent[]): Record<string, string> {
  const texts = new Map<MessageId, string>();
  for (const { event } of run) {
    if (event.type === "message.deleted") texts.delete(event.messageId);
    else if ("message" in event) texts.set(brandAs<MessageId>(event.message.messageId), event.message.markdown);
  }
  return Object.fromEntries(texts);
}
