import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import type { Fault } from "@talaria/testkit";

// As in a gateway, Node.js's own `fetch` is there before discord.js is: from then on both send by it.
assert.equal(new Response().ok, true);
const { makeWorld, message } = await import("./testing/world.ts");

const { signal } = new AbortController();
const names = Array.from({ length: 10 }, (_, n) => `file-${n}.bin`);

const faults: readonly (readonly [what: string, fault: Fault, code: string])[] = [
  ["answers too large", { kind: "answer", code: 413, effect: "none" }, "too_large"],
  ["reports an error", { kind: "answer", code: 503, effect: "none" }, "unavailable"],
  ["cuts the connection", { kind: "drop", effect: "none" }, "unavailable"],
];

describe("an upload of ten files", () => {
  for (const [what, fault, code] of faults)
    it(`fails, and nothing else does, when the server ${what} before it has read them`, async () => {
      const { server, channel, files, make } = await makeWorld();
      for (const name of names) files[name] = Buffer.alloc(200_000, name);
      const adapter = make();
      const attachments = names.map((name) => ({
        ref: brandAs<MediaRef>(name),
        mimeType: "application/octet-stream",
        name,
      }));
      const send = () => adapter.send(message(channel.id, "ten files", { attachments }), signal);
      // An unhandled rejection fails the test, as it ends a gateway.
      const times = 5;
      server.failUnread("createMessage", fault, times);
      for (let n = 0; n < times; n += 1) await assert.rejects(send(), { code });
      await send();
      const [sent] = channel.botMessages();
      assert.deepEqual(
        sent?.files.map(({ bytes }) => Buffer.from(bytes)),
        names.map((name) => files[name]),
      );
      await adapter.stop();
      await server.stop();
    });
});
