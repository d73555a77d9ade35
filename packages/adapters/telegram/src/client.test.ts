import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type GatewayError, isGatewayError } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { createTelegramClient } from "./client.ts";

it("does not wait for the rest of an answer that was cut off", async () => {
  const server = await LoopbackServer.listen((incoming, outgoing) => {
    outgoing.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    outgoing.write("{", () => incoming.socket.destroy());
  });
  const client = createTelegramClient("1:a", server.url);
  const patience = AbortSignal.timeout(120_000);
  await assert.rejects(client.call("getMe", {}, patience), (error) => {
    assert.ok(isGatewayError(error, "unavailable"));
    assert.deepEqual([error.effect, error.details.network, patience.aborted], ["unknown", "ECONNRESET", false]);
    return true;
  });
  client.close();
  await server.stop();
});

describe("an answer of something that stands before Telegram", () => {
  const page = "<html><head><title>no</title></head><body>nginx</body></html>";
  const bodies = {
    "a page": page,
    nothing: "",
    "a JSON of its own": '{"ok":false,"error":"no"}',
    "no object": "7",
    "odd fields": '{"ok":false,"error_code":null,"description":7}',
  };

  for (const [what, body] of Object.entries(bodies)) {
    it(`means by 429 and ${what} that nothing was sent, and says how long to wait`, async () => {
      const told = await refusalOf(429, body, { "retry-after": "7" });
      assert.deepEqual([told.code, told.effect, told.retryAfterMs], ["rate_limited", "none", 7_000]);
      const untold = await refusalOf(429, body, { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" });
      assert.deepEqual([untold.code, untold.effect, untold.retryAfterMs], ["rate_limited", "none", 1_000]);
    });

    it(`means by any other 4xx and ${what} that nothing was sent, and nothing about the chat or the token`, async () => {
      for (const status of [400, 401, 403, 404, 407, 409, 451]) {
        const { code, effect, details, message } = await refusalOf(status, body);
        assert.deepEqual([code, effect, details], ["unavailable", "none", { status }], message);
        assert.match(message, new RegExp(`answered sendMessage with ${status}`));
        assert.doesNotMatch(message, /nginx|undefined/);
      }
      assert.equal((await refusalOf(413, body)).code, "too_large");
    });

    it(`means by 5xx and ${what} that nobody knows`, async () => {
      for (const status of [500, 502, 503, 504]) {
        const { code, effect, details } = await refusalOf(status, body);
        assert.deepEqual([code, effect, details], ["unavailable", "unknown", { status }]);
      }
    });

    it(`means by 200 and ${what} that nobody knows`, async () => {
      const { code, effect } = await refusalOf(200, body);
      assert.deepEqual([code, effect], ["unavailable", "unknown"]);
    });
  }

  it("means by 429 that nothing was sent, although the page is cut off", async () => {
    const { code, effect } = await refusalOf(429, page, { "content-length": "1000" });
    assert.deepEqual([code, effect], ["rate_limited", "none"]);
  });

  it("ends where an answer does not", async () => {
    const endless = await LoopbackServer.listen((_, outgoing) => {
      outgoing.writeHead(429, { "content-type": "text/html" });
      const fill = () => {
        while (outgoing.write(Buffer.alloc(65_536, "x")));
      };
      outgoing.on("drain", fill).on("error", () => undefined);
      fill();
    });
    assert.equal((await refusal(endless)).code, "rate_limited");
  });
});

async function refusalOf(status: number, body: string, headers: Record<string, string> = {}): Promise<GatewayError> {
  const server = await LoopbackServer.listen((incoming, outgoing) => {
    outgoing.writeHead(status, { "content-type": body.startsWith("{") ? "application/json" : "text/html", ...headers });
    if (headers["content-length"] === undefined) outgoing.end(body);
    else outgoing.write(body, () => incoming.socket.destroy());
  });
  return refusal(server);
}

async function refusal(server: LoopbackServer): Promise<GatewayError> {
  const client = createTelegramClient("1:a", server.url);
  try {
    const patience = AbortSignal.timeout(120_000);
    return await client.call("sendMessage", { chat_id: 1, text: "hi" }, patience).then(
      () => assert.fail("nothing was refused"),
      (error: unknown) => (isGatewayError(error) ? error : assert.fail(String(error))),
    );
  } finally {
    client.close();
    await server.stop();
  }
}
