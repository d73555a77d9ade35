import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { brandAs, isGatewayError, type MediaRef, type MessageId } from "@talaria/protocol";
import { codeOf, messageTo } from "@talaria/testkit";
import { slackConfigSchema } from "./config.ts";
import { conversation, openWorld } from "./testing/world.ts";

const never = new AbortController().signal;

describe("sending on Slack", () => {
  it("shows no previews and calls nobody", async () => {
    await using world = await openWorld();
    await world.adapter.send(messageTo(conversation(world.channel.id), "<!channel> https://e.org"), never);
    const [sent] = world.channel.botMessages();
    assert.equal(sent?.unfurls, false);
    assert.ok(!sent?.text.includes("<!channel>"));
  });

  const refusals: readonly [error: string, code: string][] = [
    ["channel_not_found", "not_found"],
    ["not_in_channel", "forbidden"],
    ["is_archived", "forbidden"],
    ["missing_scope", "forbidden"],
    ["token_revoked", "unauthorized"],
    ["msg_too_long", "too_large"],
    ["msg_blocks_too_long", "too_large"],
    ["internal_error", "unavailable"],
    ["ratelimited", "rate_limited"],
    ["something_new", "invalid_request"],
  ];
  for (const [error, code] of refusals)
    it(`takes ${error} for ${code}`, async () => {
      await using world = await openWorld();
      world.server.fail("chat.postMessage", { kind: "answer", code: 200, description: error, effect: "none" }, 2);
      const failed = world.adapter.send(messageTo(conversation(world.channel.id), "secret words"), never);
      await assert.rejects(failed, (problem) => isGatewayError(problem) && !JSON.stringify(problem).includes("secret"));
      assert.equal(await codeOf(failed), code);
    });

  it("knows that a 5xx may have had its effect, also with a page instead of JSON", async () => {
    await using world = await openWorld();
    for (const [code, body] of [
      [502, "<html>"],
      [200, "<html>"],
      [503, undefined],
    ] as const) {
      world.server.fail("chat.postMessage", { kind: "answer", code, effect: "done", ...(body && { body }) });
      const failed = world.adapter.send(messageTo(conversation(world.channel.id), "hello"), never);
      await assert.rejects(failed, (error) => isGatewayError(error, "unavailable") && error.effect === "unknown");
    }
    assert.equal(world.server.calls.of("chat.postMessage").length, 3, "no hidden retries");
  });

  it("finds what was posted although the answer was lost, in a channel and in a thread", async () => {
    await using world = await openWorld();
    const root = world.channel.say(world.ada, "root");
    for (const place of [conversation(world.channel.id), conversation(world.channel.id, root)]) {
      const lost = messageTo(place, `lost in ${place.threadId ?? "the channel"}`);
      assert.equal(await world.adapter.findSent?.(lost, never), undefined);
      world.server.fail("chat.postMessage", { kind: "drop", effect: "done" });
      assert.equal(await codeOf(world.adapter.send(lost, never)), "unavailable");
      const found = await world.adapter.findSent?.(lost, never);
      assert.equal(found?.messageId, world.channel.botMessages().at(-1)?.ts);
    }
  });

  it("sends files as one message, and has done nothing when an upload fails", async () => {
    await using world = await openWorld();
    world.files.one = Buffer.from("one");
    world.files.two = Buffer.from("two");
    const attachments = ["one", "two"].map((ref) => ({
      ref: brandAs<MediaRef>(ref),
      name: `${ref}.txt`,
      mimeType: "text/plain",
    }));
    const sent = messageTo(conversation(world.channel.id), "both", { attachments });
    world.server.fail("upload", { kind: "drop", effect: "none" });
    await assert.rejects(world.adapter.send(sent, never), (error) => isGatewayError(error) && error.effect === "none");
    assert.equal(world.channel.botMessages().length, 0);
    world.server.fail("files.completeUploadExternal", { kind: "drop", effect: "done" });
    await assert.rejects(
      world.adapter.send(sent, never),
      (error) => isGatewayError(error) && error.effect === "unknown",
    );
    const found = await world.adapter.findSent?.(sent, never);
    const [posted] = world.channel.botMessages();
    assert.equal(found?.messageId, posted?.ts);
    assert.deepEqual(
      posted?.files.map(({ name }) => name),
      ["one.txt", "two.txt"],
    );
    assert.equal(posted?.text, "both");
  });

  it("gives the token to nobody but Slack", async () => {
    await using world = await openWorld();
    world.server.fail("files.info", {
      kind: "answer",
      code: 200,
      effect: "none",
      body: JSON.stringify({ ok: true, file: { url_private: "https://slack.com.evil.example/x" } }),
    });
    assert.equal(
      await codeOf(world.adapter.openMedia?.(brandAs<MediaRef>("F0123"), never) ?? Promise.reject()),
      "forbidden",
    );
    assert.equal(
      await codeOf(world.adapter.openMedia?.(brandAs<MediaRef>("../F0123"), never) ?? Promise.reject()),
      "not_found",
    );
  });

  it("refuses ids that cannot be Slack's before it calls", async () => {
    await using world = await openWorld();
    const before = world.server.calls.of().length;
    const ref = { conversation: conversation(world.channel.id), messageId: brandAs<MessageId>("command-1") };
    assert.equal(await codeOf(world.adapter.edit?.(ref, "x", never) ?? Promise.reject()), "not_found");
    assert.equal(await codeOf(world.adapter.send(messageTo(conversation("../C1"), "x"), never)), "not_found");
    assert.equal(
      await codeOf(world.adapter.send(messageTo(conversation(world.channel.id), ""), never)),
      "invalid_request",
    );
    assert.equal(world.server.calls.of().length, before);
  });
});

describe("a proxy before Slack", () => {
  it("carries calls and the socket", async () => {
    const tunnels: string[] = [];
    const proxy = createServer().on("connect", (request, client) => {
      tunnels.push(request.url ?? "");
      const [host = "", port = ""] = (request.url ?? "").split(":");
      const server = connect(Number(port), host, () => {
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        server.pipe(client).pipe(server);
      });
      for (const socket of [server, client]) socket.on("error", () => [server, client].map((one) => one.destroy()));
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    await using world = await openWorld({ deps: { proxy: url } });
    world.direct.say(world.ada, "through the tunnel");
    await world.host.recorded(1);
    await world.adapter.send(messageTo(conversation(world.direct.id), "and back"), never);
    assert.ok(tunnels.length >= 2, `${tunnels.length} tunnels`);
  });
});

describe("the settings of a Slack account", () => {
  const good = { botToken: "xoxb-1-a", appToken: "xapp-1-a" };
  const bad: readonly [settings: object, path: string][] = [
    [{ ...good, botToken: "xapp-1-a" }, "botToken"],
    [{ ...good, appToken: "xoxb-1-a" }, "appToken"],
    [{ botToken: "xoxb-1-a" }, "appToken"],
    [{ ...good, signingSecret: "0".repeat(32) }, "appToken"],
    [{ botToken: "xoxb-1-a", signingSecret: "short" }, "signingSecret"],
    [{ ...good, apiRoot: "ftp://x" }, "apiRoot"],
    [{ ...good, command: "talaria" }, "command"],
  ];
  for (const [settings, path] of bad)
    it(`are refused with the name of the field: ${JSON.stringify(settings)}`, () => {
      const [issue] = slackConfigSchema.safeParse(settings).error?.issues ?? [];
      assert.equal(issue?.path[0], path);
    });

  it("take an address with and without a slash at its end", () => {
    for (const apiRoot of ["https://e.org/api", "https://e.org/api/"])
      assert.equal(slackConfigSchema.parse({ ...good, apiRoot }).apiRoot, "https://e.org/api/");
  });
});
