import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCapabilityTable } from "@talaria/testkit";
import { makeAdapter, TestChannel, turn } from "./testing/served-adapter.ts";
import { useServedAdapter } from "./testing/use-served-adapter.ts";

describe("the web chat's API", () => {
  const served = useServedAdapter();
  const { channel, adapter } = served;

  async function post(body: string | Uint8Array<ArrayBuffer>, conversation = "main") {
    const url = `${served.url}/api/conversations/${conversation}/messages`;
    const response = await fetch(url, { method: "POST", body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async function history(query = "") {
    const response = await fetch(`${served.url}/api/conversations/main/messages${query}`);
    return { status: response.status, body: (await response.json()) as { messages: { id: string }[]; error?: string } };
  }

  it("records a message of the operator and answers with its id", async () => {
    const { status, body } = await post(JSON.stringify({ text: " hello\nthere " }));
    const [event] = served.host.events;
    assert.equal(status, 202);
    assert.deepEqual(body, { eventId: event?.id });
    assert.ok(event?.type === "message.created");
    assert.equal(event.message.markdown, " hello\nthere ");
    assert.equal(event.sender.userId, "operator");
    assert.deepEqual(event.conversation, {
      accountId: "web",
      platform: "web",
      conversationId: "main",
      kind: "direct",
    });
  });

  it("records the press of a button, once under its id, and refuses what is none", async () => {
    const url = `${served.url}/api/conversations/main/actions`;
    const press = async (body: object) => (await fetch(url, { method: "POST", body: JSON.stringify(body) })).status;
    const pressed = { messageId: "ask:1", actionId: "approve-0a1b2c3d", id: "p-1" };
    assert.deepEqual([await press(pressed), await press(pressed)], [202, 202]);
    const [event, ...others] = served.host.events;
    assert.ok(event?.type === "action.invoked");
    assert.deepEqual([event.id, event.messageId, event.actionId], ["main.p-1", "ask:1", "approve-0a1b2c3d"]);
    assert.equal(event.sender.userId, "operator");
    for (const bad of [
      {},
      { messageId: "m" },
      { messageId: "m", actionId: "a b" },
      { messageId: "", actionId: "a" },
      { messageId: "m", actionId: "a".repeat(41) },
      { messageId: "m".repeat(5_000), actionId: "a" },
    ])
      assert.ok([400, 413].includes(await press(bad)), JSON.stringify(bad).slice(0, 80));
    assert.ok(others.every(({ id }) => id === "main.p-1"));
  });

  it("takes a message once, however often it is posted under its id", async () => {
    const message = JSON.stringify({ text: "once", id: "my-1" });
    const [first, again] = [await post(message), await post(message)];
    assert.deepEqual(first.body, { eventId: "main.my-1" });
    assert.deepEqual(again, { status: 202, body: { eventId: "main.my-1", duplicate: true } });
    assert.deepEqual((await post(message, "other")).body, { eventId: "other.my-1" }, "ids belong to conversations");
    assert.equal(served.host.events.length, 2);
  });

  it("gives every message without an id one of its own", async () => {
    const message = JSON.stringify({ text: "twice" });
    assert.notEqual((await post(message)).body.eventId, (await post(message)).body.eventId);
  });

  it("says when a message was dropped", async () => {
    served.host.answer = "dropped";
    assert.equal((await post(JSON.stringify({ text: "too long" }))).body.dropped, true);
  });

  it("replaces what no store takes", async () => {
    await post('{"text":"a\\u0000b\\ud800"}');
    const [event] = served.host.events;
    assert.ok(event?.type === "message.created");
    assert.equal(event.message.markdown, "a\uFFFDb\uFFFD");
  });

  const refused: Readonly<Record<string, readonly [string, RegExp]>> = {
    "no body": ["", /JSON/],
    "broken JSON": ['{"text":', /JSON/],
    "no object": ['"hello"', /body/],
    "no text": ["{}", /text/],
    "empty text": ['{"text":""}', /text: must not be empty/],
    "blank text": ['{"text":" \\n\\t "}', /text: must not be empty/],
    "text of another type": ['{"text":1}', /text/],
    "an unknown field": ['{"text":"a","txet":"b"}', /txet/],
    "an empty id": ['{"text":"a","id":""}', /id: must be/],
    "an id with a separator": ['{"text":"a","id":"a.b"}', /id: must be/],
    "a long id": [JSON.stringify({ text: "a", id: "x".repeat(129) }), /id: must be/],
    "deep nesting": ["[".repeat(100_000), /JSON/],
    "a polluting key": ['{"text":"a","__proto__":{"x":1}}', /__proto__|key/],
  };
  for (const [what, [body, problem]] of Object.entries(refused))
    it(`refuses ${what} and says why`, async () => {
      const answer = await post(body);
      assert.equal(answer.status, 400);
      assert.match(String(answer.body.error), problem);
      assert.equal(served.host.events.length, 0);
    });

  it("refuses what is not UTF-8", async () => {
    assert.equal((await post(Uint8Array.from([0x22, 0xff, 0x22]))).status, 400);
  });

  it("refuses two mebibytes", async () => {
    assert.equal((await post(JSON.stringify({ text: "x".repeat(2 * 1_048_576) }))).status, 413);
    assert.equal(served.host.events.length, 0);
  });

  it("does not send a long key back", async () => {
    const { body } = await post(JSON.stringify({ text: "a", ["k".repeat(100_000)]: 1 }));
    assert.ok(String(body.error).length < 500);
  });

  for (const id of ["a.b", "a%2Fb", "%20", "%00", "x".repeat(65), "..%2F", "%F0%9F%98%80"])
    it(`refuses the conversation ${id.slice(0, 12)}`, async () => {
      assert.equal((await post('{"text":"a"}', id)).status, 400);
      for (const last of ["messages", "stream"])
        assert.equal((await fetch(`${served.url}/api/conversations/${id}/${last}`)).status, 400);
    });

  it("says of an answer how much its turn did, and what when asked", async () => {
    const steps = [{ label: "running <b>ls</b>", state: "failed", result: "<img>", leftOutChars: 3 }] as const;
    channel.did.set("turn-1", { steps, earlier: 2 });
    channel.write("d-1", { turnId: turn, outcome: "completed" });
    const { body } = await history();
    assert.deepEqual((body.messages[0] as { steps?: unknown }).steps, { count: 1, failed: 1 });
    const ask = (id: string) => fetch(`${served.url}/api/conversations/main/steps/${id}`);
    assert.deepEqual(await (await ask("turn-1")).json(), { steps, earlier: 2 });
    assert.deepEqual(await (await ask("turn-2")).json(), { steps: [], earlier: 0 });
    for (const id of ["x".repeat(129), "a%00b", "a%2Fb", "%3Cb%3E"]) assert.equal((await ask(id)).status, 400, id);
    channel.did.clear();
  });

  it("shows the newest lines, oldest first, page by page", async () => {
    for (let n = 0; n < 120; n += 1) channel.write(`line-${n}`);
    const ids = async (query?: string) => (await history(query)).body.messages.map(({ id }) => id);
    assert.equal((await ids()).length, 100);
    assert.deepEqual(await ids("?limit=2"), ["line-118", "line-119"]);
    assert.deepEqual(await ids("?limit=2&before=2026-01-01T00:00:10.000Z"), ["line-8", "line-9"]);
  });

  for (const query of ["?limit=0", "?limit=501", "?limit=x", "?limit=1.5", "?limit=", "?before=now", "?before=2026"])
    it(`refuses history${query}`, async () => assert.equal((await history(query)).status, 400));

  it("says it is away when it has stopped", async () => {
    await adapter.stop();
    assert.equal((await post('{"text":"a"}')).status, 503);
    assert.equal((await fetch(`${served.url}/api/conversations/main/stream`)).status, 503);
  });

  it("tells readers that an answer is there", async () => {
    const conversation = { accountId: adapter.id, platform: "web", conversationId: "main", kind: "direct" } as const;
    const message = { deliveryKey: "d-1", conversation, markdown: "hi", attachments: [] };
    const sent = await adapter.send(message as never, new AbortController().signal);
    assert.equal(sent.messageId, "d-1");
    assert.deepEqual(channel.announced, ["main"]);
    await assert.rejects(adapter.send(message as never, AbortSignal.abort()), { code: "aborted", effect: "none" });
  });
});

describeCapabilityTable("web", makeAdapter(new TestChannel()).capabilities);
