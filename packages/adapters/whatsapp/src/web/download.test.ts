import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { adapterDeps } from "@talaria/testkit";
import { whatsappConfigSchema } from "../config.ts";
import { accountId, failureOf } from "../testing/cloud-world.ts";
import { handSockets } from "../testing/hand-socket.ts";
import { createWebAdapter } from "./adapter.ts";

describe("a download through a proxy", () => {
  it("ends with its connection when the adapter stops", async () => {
    const asked = Promise.withResolvers<{ readonly host: string | undefined; readonly socket: Socket }>();
    const proxy = createServer();
    proxy.on("connect", ({ url: host }, socket: Socket) => asked.resolve({ host, socket }));
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const url = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const config = whatsappConfigSchema.parse({ mode: "web" });
    assert.equal(config.mode, "web");
    const adapter = createWebAdapter(config, adapterDeps({ id: accountId, proxy: url }), handSockets().openSocket);
    const ref = brandAs<MediaRef>(`image ${"A".repeat(43)} /v/x`);
    const failure = failureOf(adapter.openMedia?.(ref, new AbortController().signal) ?? Promise.resolve());
    const { host, socket } = await asked.promise;
    assert.equal(host, "mmg.whatsapp.net:443");
    const ended = once(socket.resume(), "end", { signal: AbortSignal.timeout(120_000) });
    await adapter.stop();
    await ended;
    socket.end();
    assert.equal((await failure).code, "unavailable");
    proxy.close();
  });
});
