import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WebSocket } from "ws";
import { type SlackServer, startSlackServer } from "./server.ts";

type Answer = Readonly<Record<string, unknown>> & { readonly ok: boolean; readonly error?: string };

async function call(server: SlackServer, method: string, args: Record<string, unknown>, token = server.botToken) {
  const fields = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  const response = await fetch(`${server.api}${method}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(fields as [string, string][]),
  });
  return (await response.json()) as Answer;
}

const markdown = (length: number) => ({ type: "markdown", text: "x".repeat(length) });
const section = (length: number) => ({ type: "section", text: { type: "mrkdwn", text: "x".repeat(length) } });
const button = (id: string, label: string) => ({
  type: "button",
  action_id: id,
  text: { type: "plain_text", text: label },
});

/** What Slack refuses to post, and with which name. */
const refusals: readonly [what: string, args: Record<string, unknown>, error: string][] = [
  ["nothing", {}, "no_text"],
  ["Markdown of 12 001", { markdown_text: "x".repeat(12_001) }, "msg_too_long"],
  ["Markdown beside a text", { markdown_text: "x", text: "y" }, "markdown_text_conflict"],
  ["a Markdown block of 12 001", { blocks: [markdown(12_001)] }, "invalid_blocks"],
  ["blocks of 13 201 together", { blocks: [markdown(12_000), section(1_201)] }, "msg_blocks_too_long"],
  ["51 blocks", { blocks: Array.from({ length: 51 }, () => section(1)) }, "invalid_blocks"],
  ["a section of 3001", { blocks: [section(3_001)] }, "invalid_blocks"],
  ["a button of 76", { blocks: [{ type: "actions", elements: [button("a", "x".repeat(76))] }] }, "invalid_blocks"],
  [
    "two buttons of one id",
    { blocks: [{ type: "actions", elements: [button("a", "x"), button("a", "y")] }] },
    "invalid_blocks",
  ],
  ["a block nobody knows", { blocks: [{ type: "marquee" }] }, "invalid_blocks"],
  ["a thread that is not there", { text: "x", thread_ts: "1700000000.000100" }, "thread_not_found"],
  ["metadata without a type", { text: "x", metadata: { event_payload: {} } }, "invalid_metadata_format"],
];

describe("the Slack emulator", () => {
  for (const [what, args, error] of refusals)
    it(`refuses ${what} with ${error}`, async () => {
      await using server = await startSlackServer();
      const { id } = server.channel("general");
      assert.equal((await call(server, "chat.postMessage", { channel: id, ...args })).error, error);
    });

  it("takes what is just short enough", async () => {
    await using server = await startSlackServer();
    const channel = server.channel("general").id;
    const blocks = [markdown(12_000), section(1_200)];
    assert.equal((await call(server, "chat.postMessage", { channel, blocks })).ok, true);
  });

  it("tells tokens apart", async () => {
    await using server = await startSlackServer();
    assert.equal((await call(server, "auth.test", {}, "xoxb-wrong")).error, "invalid_auth");
    assert.equal((await call(server, "auth.test", {}, server.appToken)).error, "not_allowed_token_type");
    assert.equal((await call(server, "apps.connections.open", {})).error, "not_allowed_token_type");
  });

  it("streams only in threads, for a known reader in channels, and until the end", async () => {
    await using server = await startSlackServer();
    const ada = server.user("ada");
    const place = server.channel("general");
    const channel = place.id;
    const thread_ts = place.say(ada, "root");
    const start = (args: object) => call(server, "chat.startStream", { channel, markdown_text: "a", ...args });
    assert.equal((await start({})).error, "invalid_arguments");
    assert.equal((await start({ thread_ts })).error, "missing_recipient_team_id");
    const reader = { recipient_team_id: server.teamId, recipient_user_id: ada.id };
    const { ts } = await start({ thread_ts, ...reader });
    const update = { channel, ts, text: "b" };
    assert.equal((await call(server, "chat.update", update)).error, "streaming_state_conflict");
    assert.equal((await call(server, "chat.stopStream", { channel, ts, markdown_text: "b" })).ok, true);
    const append = { channel, ts, markdown_text: "c" };
    assert.equal((await call(server, "chat.appendStream", append)).error, "message_not_in_streaming_state");
    assert.equal(place.botMessages()[0]?.text, "ab");
  });

  it("lets a ticket in once, and ten sockets", async () => {
    await using server = await startSlackServer();
    const opened = async () => String((await call(server, "apps.connections.open", {}, server.appToken)).url);
    const greeting = (url: string) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url);
        socket.once("message", (data) => resolve(String(JSON.parse(String(data)).reason ?? "hello")));
        socket.once("error", () => resolve("refused"));
      });
    const first = await opened();
    assert.equal(await greeting(first), "hello");
    assert.equal(await greeting(first), "refused");
    for (let n = 2; n <= 10; n += 1) assert.equal(await greeting(await opened()), "hello");
    assert.equal(await greeting(await opened()), "too_many_websockets");
  });

  it("says again what was not acknowledged, with a count, and not what was", async () => {
    await using server = await startSlackServer({ redelivery: { silenceMs: 50, pausesMs: [10, 20] } });
    const socket = new WebSocket(String((await call(server, "apps.connections.open", {}, server.appToken)).url));
    const seen: { envelope_id: string; retry_attempt: number; payload: { event_id: string } }[] = [];
    const enough = Promise.withResolvers<void>();
    const hello = Promise.withResolvers<void>();
    socket.on("message", (data) => {
      const envelope = JSON.parse(String(data));
      if (envelope.type === "hello") return hello.resolve();
      seen.push(envelope);
      if (seen.length === 2) socket.send(JSON.stringify({ envelope_id: envelope.envelope_id }));
      if (seen.length === 2) enough.resolve();
    });
    await hello.promise;
    const ada = server.user("ada");
    server.direct(ada).say(ada, "hello");
    await enough.promise;
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.deepEqual(
      seen.map(({ retry_attempt }) => retry_attempt),
      [0, 1],
    );
    assert.equal(seen[0]?.payload.event_id, seen[1]?.payload.event_id);
    assert.notEqual(seen[0]?.envelope_id, seen[1]?.envelope_id);
    assert.equal(server.deliveries.acknowledgedMessages().size, 1);
  });
});
