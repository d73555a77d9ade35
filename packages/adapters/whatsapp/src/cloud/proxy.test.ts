import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { messageOf, startProxy } from "@talaria/testkit";
import { message, openCloudWorld } from "../testing/cloud-world.ts";

const { signal } = new AbortController();

describe("a proxy", () => {
  it("carries calls, uploads and downloads", async () => {
    const proxy = await startProxy();
    const files = { one: Buffer.from("one") };
    await using world = await openCloudWorld({ deps: { proxy: proxy.url, files } });
    const { server, ada, adapter, host } = world;
    ada.send({ kind: "document", bytes: Buffer.from("two"), mimeType: "text/plain", name: "two.txt" });
    const [file] = messageOf((await host.recorded(1))[0]).attachments;
    const stream = await adapter.openMedia?.(file?.ref ?? brandAs<MediaRef>(""), signal);
    assert.equal(await new Response(stream).text(), "two");
    const attachments = [{ ref: brandAs<MediaRef>("one"), mimeType: "text/plain", name: "one.txt" }];
    await adapter.send(message(ada.id, "through", { attachments }), signal);
    assert.deepEqual(
      ada.answers().map((answer) => answer.file?.bytes.toString()),
      ["one"],
    );
    assert.ok(proxy.asked.length > 0);
    for (const what of proxy.asked) assert.equal(what, `CONNECT ${new URL(server.url).host}`);
    await proxy.stop();
    await assert.rejects(adapter.send(message(ada.id, "cut off"), signal), { code: "unavailable" });
    assert.equal(ada.answers().length, 1, "nothing goes around the proxy");
  });
});
