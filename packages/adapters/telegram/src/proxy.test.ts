import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { describe, it } from "node:test";
import { codeOf, startProxy } from "@talaria/testkit";
import { message, open, signal } from "./testing/world.ts";

describe("a proxy", () => {
  it("carries calls, uploads and downloads", async () => {
    await using proxy = await startProxy();
    const world = await open({ proxy: proxy.url });
    const { server, adapter, chat, ada, host } = world;
    chat.sendDocument(ada, { bytes: Uint8Array.of(1, 2, 3) });
    const [event] = await host.recorded(1);
    const [file] = event?.type === "message.created" ? event.message.attachments : [];
    assert.ok(file && adapter.openMedia);
    const bytes = await new Response(await adapter.openMedia(file.ref, signal)).bytes();
    assert.deepEqual([...bytes], [1, 2, 3]);
    await adapter.send(message(chat.id, "hello"), signal);
    assert.equal(chat.botMessages().length, 1);
    for (const part of ["/getMe", "/getUpdates", "/sendMessage", "/file/"])
      assert.ok(
        proxy.asked.some((what) => what.includes(` ${server.apiRoot}`) && what.includes(part)),
        part,
      );
    await world.close();
  });

  it("that hangs up is as good as no network", async () => {
    const broken = createTcpServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(broken, "listening");
    const world = await open({ proxy: new URL(`http://127.0.0.1:${(broken.address() as AddressInfo).port}`) });
    assert.equal(world.host.states.at(-1)?.status, "reconnecting");
    assert.equal(await codeOf(world.adapter.send(message(1, "x"), signal)), "unavailable");
    assert.equal(world.server.calls.methods().length, 0, "nothing went around it");
    await world.close();
    await new Promise((resolve) => broken.close(resolve));
  });
});
