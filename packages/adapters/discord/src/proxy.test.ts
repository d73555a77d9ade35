import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { adapterDeps, messageOf, RecordingHost, startProxy } from "@talaria/testkit";
import { createDiscordAdapter } from "./adapter.ts";
import { discordConfigSchema } from "./config.ts";
import { accountId, makeWorld, message } from "./testing/world.ts";

const { signal } = new AbortController();

describe("a proxy", () => {
  it("carries calls, uploads and downloads", async () => {
    const { server, channel, ada, store } = await makeWorld();
    const proxy = await startProxy();
    const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api });
    const files = { one: Buffer.from("one") };
    const adapter = createDiscordAdapter(config, adapterDeps({ id: accountId, store, files, proxy: proxy.url }));
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    const attachments = [{ ref: brandAs<MediaRef>("one"), mimeType: "text/plain", name: "one.txt" }];
    await adapter.send(message(channel.id, "through", { attachments }), signal);
    assert.deepEqual(channel.botMessages()[0]?.files[0]?.bytes, files.one);
    channel.say(ada, "a file", { files: [{ bytes: Buffer.from("two") }] });
    const [file] = messageOf((await host.recorded(1))[0]).attachments;
    const stream = await adapter.openMedia?.(file?.ref ?? brandAs<MediaRef>(""), signal);
    assert.equal(await new Response(stream).text(), "two");
    assert.ok(proxy.asked.some((what) => what.startsWith("CONNECT ")));
    await proxy.stop();
    await assert.rejects(adapter.send(message(channel.id, "cut off"), signal), { code: "unavailable" });
    assert.equal(channel.botMessages().length, 1, "nothing goes around the proxy");
    await adapter.stop();
    await server.stop();
  });
});
