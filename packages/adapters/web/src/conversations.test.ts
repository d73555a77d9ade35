import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type ConversationId, instantOf } from "@talaria/protocol";
import type { WebConversation } from "./channel.ts";
import { readKey, writeKey } from "./place-key.ts";
import { turn } from "./testing/served-adapter.ts";
import { useServedAdapter } from "./testing/use-served-adapter.ts";

const at = instantOf(Date.UTC(2026, 0, 31, 12));

function chatOf(facts: Partial<WebConversation> = {}): WebConversation {
  const place = { accountId: brandAs<AccountId>("web"), conversationId: brandAs<ConversationId>("notes") };
  const state = { lastAt: at, unread: 2, isRunning: false, waiting: 1 };
  return { ...place, platform: "web", kind: "direct", preview: "", ...state, ...facts };
}

interface Body {
  readonly error: string;
  readonly duplicate?: boolean;
  readonly next?: string;
  readonly messages: readonly unknown[];
  readonly running?: { readonly state: string };
  readonly conversations: readonly (Readonly<Record<string, unknown>> & { title: string; preview: string })[];
}

describe("the API of conversations", () => {
  const served = useServedAdapter();
  const { channel } = served;

  async function call(method: string, path: string, body?: unknown) {
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await fetch(`${served.url}/api/conversations${path}`, { method, ...sent });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Body };
  }

  it("lists conversations with their titles and previews as one plain line each", async () => {
    const markdown =
      "# Sales\n\n**Big** [news](https://example.org/x)\u202e\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> quoted `code`";
    channel.chats = [
      chatOf({ beginning: markdown, preview: `${markdown}\n${"long ".repeat(100)}`, previewFrom: "agent" }),
      chatOf({ title: "Mine", beginning: "x", conversationId: brandAs<ConversationId>("b") }),
      chatOf({ conversationId: brandAs<ConversationId>("c"), beginning: " \u200b " }),
    ];
    const { status, body } = await call("GET", "");
    assert.equal(status, 200);
    const [first, second, third] = body.conversations;
    assert.ok(first && second && third);
    assert.equal(first.title, "Sales Big news a b 1 2 quoted code");
    assert.match(first.preview, /^Sales Big news a b 1 2 quoted code long .*…$/);
    assert.equal([...first.preview].length, 200);
    const { title: _, preview: __, ...rest } = first;
    assert.deepEqual(rest, {
      ...{ key: writeKey(chatOf()), id: "notes", platform: "web", accountId: "web", kind: "direct", isNamed: false },
      ...{ previewFrom: "agent", lastAt: at, unread: 2, isRunning: false, waiting: 1 },
    });
    assert.deepEqual([second.title, second.isNamed, third.title], ["Mine", true, "c"]);
    assert.equal(body.next, "2026-01-01T00:00:00.000000Z~a~b");
    assert.deepEqual(channel.asked, [{ limit: 50, all: false }]);
  });

  it("asks for what the query says", async () => {
    await call("GET", "?limit=7&before=2026-01-01T00:00:00.000000Z~a~b&query=%20big%20news%20&platform=all");
    assert.deepEqual(channel.asked, [
      { limit: 7, before: "2026-01-01T00:00:00.000000Z~a~b", all: true, words: "big news" },
    ]);
  });

  for (const query of [
    "limit=0",
    "limit=101",
    "limit=1e1",
    "limit=",
    "platform=",
    "platform=telegram",
    "query=",
    "query=%20",
    "query=!%3F",
    `query=${"a".repeat(201)}`,
    `before=${"a".repeat(4001)}`,
  ])
    it(`refuses a list by ${query.slice(0, 20)}`, async () => {
      const { status, body } = await call("GET", `?${query}`);
      assert.equal(status, 400);
      assert.match(body.error, /must/);
      assert.deepEqual(channel.asked, []);
    });

  it("shows conversations of other platforms to owners alone, before anything is read", async () => {
    const key = writeKey({ accountId: brandAs<AccountId>("tg"), conversationId: brandAs<ConversationId>("42") });
    channel.chats = [
      chatOf({ platform: "telegram", knownAs: "Ada\u202e Lovelace", conversationId: brandAs<ConversationId>("42") }),
    ];
    const { conversations } = (await call("GET", "?platform=all")).body;
    assert.equal(conversations[0]?.title, "Ada Lovelace");
    assert.deepEqual([conversations[0]?.id, conversations[0]?.unread], [undefined, undefined]);
    channel.write("line");
    assert.equal((await call("GET", `/${key}/history`)).body.messages.length, 1);
    const { ref, ...kept } = await channel.keep(new Blob(["all is well"]).stream(), "text/plain");
    channel.write("file", { files: [{ ref, ...kept, name: "a.txt" }] });
    const file = await fetch(`${served.url}/api/conversations/${key}/history/files/${encodeURIComponent(ref)}`);
    assert.deepEqual([file.status, await file.text()], [200, "all is well"]);
    assert.match(file.headers.get("content-disposition") ?? "", /^attachment; /);
    assert.equal((await call("GET", `/${key}/history/steps/${turn}`)).status, 200);
    assert.deepEqual(channel.places, [readKey(key), readKey(key)]);
    channel.places.length = 0;
    const reads = channel.reads;
    channel.asked.length = 0;
    for (const role of ["member", "guest", "unverified"] as const) {
      channel.role = role;
      const below = ["", `/files/${encodeURIComponent(ref)}`, `/steps/${turn}`].map((path) => `/${key}/history${path}`);
      for (const path of ["?platform=all", ...below, "/nonsense/history"]) {
        const { status, body } = await call("GET", path);
        assert.equal(status, 403, `${role} ${path}`);
        assert.match(body.error, /only an owner/);
      }
    }
    assert.deepEqual([channel.asked, channel.reads, channel.places], [[], reads, []]);
    assert.equal((await call("GET", "")).status, 200);
  });

  it("knows keys of places with any name, and refuses what is none", async () => {
    for (const id of ["!room:example.org", "<a@b>/c/../d", "😀", "a".repeat(500)]) {
      const place = { accountId: brandAs<AccountId>("tg-1"), conversationId: brandAs<ConversationId>(id) };
      assert.match(writeKey(place), /^[\w-]+$/);
      assert.deepEqual(readKey(writeKey(place)), place);
    }
    for (const bad of ["", "x", "%2e", "L2E", "YS8", Buffer.from("a/\0").toString("base64url")])
      assert.throws(() => readKey(bad), { code: "not_found" }, bad);
    assert.equal((await call("GET", "/x/history")).status, 404);
  });

  it("gives a conversation a name of one line, and takes it away", async () => {
    assert.deepEqual((await call("PATCH", "/notes", { title: " Sales\n of\u202e May " })).body, {
      ...{ id: "notes", title: "Sales of May", isNamed: true },
    });
    assert.deepEqual((await call("PATCH", "/notes", { title: "" })).body, { id: "notes", title: "", isNamed: false });
    assert.deepEqual(channel.changes, ["name notes Sales of May", "name notes "]);
    assert.equal((await call("PATCH", "/nowhere", { title: "x" })).status, 404);
    assert.equal((await call("PATCH", "/notes", { title: "😀".repeat(200) })).status, 200);
    channel.changes.length = 0;
    for (const bad of [
      {},
      { title: 1 },
      { title: null },
      { title: "x".repeat(201) },
      { title: "\u200b" },
      { title: "a", id: "b" },
      "",
      "[",
      "x".repeat(5_000),
    ])
      assert.ok([400, 413].includes((await call("PATCH", "/notes", bad)).status), JSON.stringify(bad).slice(0, 50));
    assert.deepEqual(channel.changes, []);
  });

  it("deletes a conversation, as often as it is asked to, and tells the pages that show it", async () => {
    for (const _ of [1, 2]) assert.deepEqual(await call("DELETE", "/notes"), { status: 204, body: {} });
    assert.deepEqual(
      [channel.changes, channel.announced],
      [
        ["forget notes", "forget notes"],
        ["notes", "notes"],
      ],
    );
  });

  it("notes what was read", async () => {
    assert.deepEqual(await call("POST", "/notes/read", { upTo: at }), { status: 200, body: { unread: 1 } });
    assert.deepEqual(channel.changes, [`read notes ${at}`]);
    assert.equal((await call("POST", "/nowhere/read", { upTo: at })).status, 404);
    for (const upTo of ["", "now", "2026", "2026-02-31T00:00:00Z", 1, null, "2026-01-31T12:00:00+25:00"])
      assert.equal((await call("POST", "/notes/read", { upTo })).status, 400, String(upTo));
  });

  it("tries a failed answer again, once, and only the newest", async () => {
    assert.equal((await call("POST", "/notes/retry", { turnId: turn })).status, 409);
    channel.newest = turn;
    assert.equal((await call("POST", "/notes/retry", { turnId: "turn-2" })).status, 409);
    assert.deepEqual(await call("POST", "/notes/retry", { turnId: turn }), {
      ...{ status: 202, body: { eventId: `notes.retry-${turn}` } },
    });
    assert.equal((await call("POST", "/notes/retry", { turnId: turn })).body.duplicate, true);
    const [event, ...others] = served.host.events;
    assert.ok(event?.type === "action.invoked" && others.length === 0);
    assert.equal(event.actionId, `retry-${turn}`);
    for (const bad of [{}, { turnId: "" }, { turnId: "a b" }, { turnId: "x".repeat(200) }, { turnId: turn, x: 1 }])
      assert.equal((await call("POST", "/notes/retry", bad)).status, 400, JSON.stringify(bad).slice(0, 40));
  });

  for (const [method, path] of [
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "/read"],
    ["POST", "/retry"],
  ] as const)
    it(`refuses ${method} ${path} of a conversation that cannot be`, async () => {
      for (const id of ["a.b", "%20", "x".repeat(65), "%F0%9F%98%80"])
        assert.equal((await call(method, `/${id}${path}`, { title: "x", upTo: at, turnId: "x" })).status, 400, id);
      assert.deepEqual(channel.changes, []);
    });

  it("shows what runs with the newest page, and nothing of it once its answer is a line", async () => {
    channel.open = { turnId: turn, startedAt: at, text: "The sales", isAsking: false, doing: "running ls" };
    channel.did.set("turn-1", { steps: [{ label: "x", state: "failed", result: "", leftOutChars: 0 }], earlier: 0 });
    channel.write("asked", { turnId: turn });
    const { body } = await call("GET", "/notes/messages");
    assert.deepEqual(body.running, {
      ...{ turnId: turn, startedAt: at, text: "The sales", state: "running", doing: "running ls" },
      steps: { count: 1, failed: 1 },
    });
    channel.open = { turnId: turn, startedAt: at, text: "", isAsking: true };
    assert.equal((await call("GET", "/notes/messages")).body.running?.state, "waiting");
    assert.equal((await call("GET", `/notes/messages?before=${at}`)).body.running, undefined);
    channel.write("answer", { turnId: turn, outcome: "completed" });
    assert.equal((await call("GET", "/notes/messages")).body.running, undefined);
    channel.did.clear();
  });
});
