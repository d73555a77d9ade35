import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InboundMessage } from "@talaria/protocol";
import { messageOf } from "@talaria/testkit";
import { readMessage } from "./content.ts";
import { mentionsOf } from "./mentions.ts";
import { openWorld } from "./testing/world.ts";

/** What an event of Ada's becomes. */
async function heard(type: string, content: Record<string, unknown>): Promise<InboundMessage | undefined> {
  await using world = await openWorld();
  const { host, room, ada } = world;
  room.post(ada, type, content);
  const end = room.say(ada, "the end");
  await host.until(() => host.events.some(({ id }) => id === end), "Ada is heard");
  return host.events.length === 1 ? undefined : messageOf(host.events[0]);
}

const said = (body: string, more: object = {}) => heard("m.room.message", { msgtype: "m.text", body, ...more });

describe("a message without m.mentions, as bridges and scripts write it", () => {
  for (const [body, isMeant, markdown = body] of [
    ["Talaria: are you there?", true, "are you there?"],
    ["talaria, /stop", true, "/stop"],
    ["@Talaria !stop", true, "/stop"],
    ["I would ask TALARIA about that", true],
    ["ask talaria.", true],
    ["ask Talarian", false],
    ["mytalaria is a word", false],
    ["talaria_2 is another account", false],
    ["nobody is named", false],
  ] as const)
    it(`${isMeant ? "means" : "does not mean"} us with ${JSON.stringify(body)}`, async () => {
      const message = await said(body);
      assert.deepEqual([message?.mentionsSelf, message?.markdown], [isMeant, markdown]);
    });

  for (const name of ["Tal-aria (v2.0)", "[bot]/x$^", "a|b*c+d?", "back\\slash{1}"])
    it(`means us by the name ${JSON.stringify(name)}, whatever its characters mean elsewhere`, async () => {
      const self = { userId: "@talaria:stub.test", displayName: name };
      const named = readMessage({ msgtype: "m.text", body: `hey ${name}, hello` });
      assert.deepEqual(mentionsOf(named, named.body ?? "", self), [self.userId]);
      assert.deepEqual(mentionsOf(named, "hey there", self), []);
    });

  it("does not mean us by our name in what it only repeats", async () => {
    const body = "> <@bob:stub.test> Talaria said so\n\nyes";
    const relation = { "m.in_reply_to": { event_id: "$unknown" } };
    assert.equal((await said(body, { "m.relates_to": relation }))?.mentionsSelf, false);
  });

  it("does not mean us where m.mentions says so", async () => {
    assert.equal((await said("Talaria: hi", { "m.mentions": {} }))?.mentionsSelf, false);
  });

  it("may be as long as an event can be", async () =>
    assert.equal((await said("talari ".repeat(8_000)))?.mentionsSelf, false));
});

describe("a poll", () => {
  for (const [name, type, content, markdown] of [
    [
      "in its stable form",
      "m.poll.start",
      {
        "m.text": [{ body: "Lunch?" }],
        "m.poll": {
          kind: "m.disclosed",
          max_selections: 1,
          question: { "m.text": [{ body: "Where shall we [all] eat?" }] },
          answers: [
            { "m.id": "a", "m.text": [{ body: "Here" }] },
            { "m.id": "b", "m.text": [{ body: "There" }] },
          ],
        },
      },
      "[poll: Where shall we all eat?, Here / There]",
    ],
    [
      "in the form that most clients send",
      "org.matrix.msc3381.poll.start",
      {
        "org.matrix.msc1767.text": "Lunch? 1. Here 2. There",
        "org.matrix.msc3381.poll.start": {
          question: { "org.matrix.msc1767.text": "Lunch?", body: "Lunch?", msgtype: "m.text" },
          answers: [
            { id: "a", "org.matrix.msc1767.text": "Here" },
            { id: "b", "org.matrix.msc1767.text": "There" },
          ],
        },
      },
      "[poll: Lunch?, Here / There]",
    ],
  ] as const)
    it(`is a line of text, ${name}`, async () => assert.equal((await heard(type, content))?.markdown, markdown));

  it("that can't be read is nothing that anybody said", async () =>
    assert.equal(await heard("m.poll.start", { "m.poll": { question: 7 } }), undefined));
});

it("brings the files of an answered message along", async () => {
  await using world = await openWorld();
  const { host, room, ada, adapter } = world;
  const bytes = Buffer.from("what is in it");
  const first = room.say(ada, "", { file: { bytes, name: "budget.txt", mimeType: "text/plain" } });
  room.say(ada, "what is in it?", { replyTo: first });
  const [, event] = await host.recorded(2);
  const { quote } = messageOf(event);
  assert.deepEqual([quote?.markdown, quote?.attachments?.[0]?.name], ["", "budget.txt"]);
  const ref = quote?.attachments?.[0]?.ref;
  assert.ok(ref !== undefined);
  const opened = await adapter.openMedia?.(ref, new AbortController().signal);
  assert.deepEqual(Buffer.from(await new Response(opened).bytes()), bytes);
});

it("brings what a thread begins with along, and its files, and asks for what can't be seen once", async () => {
  await using world = await openWorld();
  const { host, room, ada, bob, server } = world;
  const thread = room.say(bob, "", { file: { bytes: Buffer.from("x"), name: "roof.png", mimeType: "image/png" } });
  const other = room.say(bob, "300 EUR");
  const gone = `$${"x".repeat(43)}`;
  room.say(ada, "what is on it?", { threadId: thread });
  room.say(ada, "and this?", { threadId: thread, replyTo: other });
  room.say(ada, "hm", { threadId: gone });
  room.say(ada, "well", { threadId: gone });
  const quotes = (await host.recorded(6)).slice(2).map((event) => messageOf(event).quote);
  assert.deepEqual(
    quotes.map((quote) => [quote?.userId, quote?.attachments?.[0]?.name, quote?.head]),
    [
      [bob, "roof.png", true],
      [bob, undefined, undefined],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ],
  );
  assert.equal(server.calls.filter(({ route }) => route === "event").length, 1);
});
