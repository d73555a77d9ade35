import assert from "node:assert/strict";
import { it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { createTelegramClient } from "./client.ts";

it("does not wait for the rest of an answer that was cut off", async () => {
  const server = await LoopbackServer.listen((incoming, outgoing) => {
    outgoing.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    outgoing.write("{", () => incoming.socket.destroy());
  });
  const client = createTelegramClient("1:a", server.url);
  const patience = AbortSignal.timeout(20_000);
  await assert.rejects(client.call("getMe", {}, patience), (error) => {
    assert.ok(isGatewayError(error, "unavailable"));
    assert.deepEqual([error.effect, error.details.network, patience.aborted], ["unknown", "ECONNRESET", false]);
    return true;
  });
  client.close();
  await server.stop();
});
