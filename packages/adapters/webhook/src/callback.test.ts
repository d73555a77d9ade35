import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  type AccountId,
  brandAs,
  type ConversationId,
  type DeliveryKey,
  type GatewayError,
  isGatewayError,
  type OutboundMessage,
} from "@talaria/protocol";
import { Webhook } from "standardwebhooks";
import { type Callback, postCallback } from "./callback.ts";
import { type Receiver, startReceiver } from "./testing/receiver.ts";
import { plainSecret, secretOf } from "./testing/routes.ts";

const whsec = `whsec_${randomBytes(24).toString("base64")}`;

const message: OutboundMessage = {
  deliveryKey: brandAs<DeliveryKey>("turn-1.0"),
  conversation: {
    accountId: brandAs<AccountId>("webhook-ci"),
    platform: "webhook",
    conversationId: brandAs<ConversationId>("d-1.digest"),
    kind: "direct",
  },
  markdown: "**done** 😀",
  attachments: [],
};

describe("a callback", () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.stop());
  beforeEach(() => receiver.respondWith((response) => response.writeHead(204).end()));

  const post = (facts: Partial<Callback> = {}, signal = new AbortController().signal) =>
    postCallback({ url: receiver.url, secrets: [secretOf(whsec)], message, nowMs: Date.now(), ...facts }, signal);

  async function failure(facts: Partial<Callback> = {}, signal?: AbortSignal): Promise<GatewayError> {
    const error = await post(facts, signal).then(
      () => assert.fail("the callback was expected to fail"),
      (reason: unknown) => reason,
    );
    assert.ok(isGatewayError(error), String(error));
    return error;
  }

  async function failureOn(status: number, headers: Record<string, string> = {}, nowMs = Date.now()) {
    receiver.respondWith((response) => response.writeHead(status, headers).end("a body nobody reads"));
    return failure({ nowMs });
  }

  it("carries event and reply, and an independent library finds it signed", async () => {
    await post();
    const { headers, body } = receiver.calls.at(-1)!;
    assert.equal(headers["content-type"], "application/json");
    const expected = { eventId: "d-1.digest", reply: "**done** 😀" };
    assert.deepEqual(new Webhook(whsec).verify(body, headers as Record<string, string>), expected);
  });

  it("is signed with each of the route's secrets", async () => {
    await post({ secrets: [secretOf(plainSecret), secretOf(whsec)] });
    const { headers, body } = receiver.calls.at(-1)!;
    const signed = headers as Record<string, string>;
    assert.doesNotThrow(() => new Webhook(whsec).verify(body, signed));
    assert.doesNotThrow(() => new Webhook(plainSecret, { format: "raw" }).verify(body, signed));
    assert.throws(() => new Webhook(`${plainSecret}x`, { format: "raw" }).verify(body, signed));
  });

  it("keeps its id when it is posted again", async () => {
    await post();
    await post({ nowMs: Date.now() + 60_000 });
    const [first, second] = receiver.calls.slice(-2);
    assert.equal(first?.headers["webhook-id"], "turn-1.0");
    assert.equal(second?.headers["webhook-id"], "turn-1.0");
    assert.notEqual(first?.headers["webhook-timestamp"], second?.headers["webhook-timestamp"]);
  });

  const answers: readonly (readonly [number, string, string])[] = [
    [500, "unavailable", "unknown"],
    [503, "unavailable", "unknown"],
    [408, "unavailable", "unknown"],
    [400, "invalid_request", "none"],
    [401, "unauthorized", "none"],
    [403, "forbidden", "none"],
    [404, "not_found", "none"],
    [410, "not_found", "none"],
  ];
  for (const [status, code, effect] of answers)
    it(`that is answered ${status} is ${code}, effect ${effect}`, async () => {
      const error = await failureOn(status);
      assert.deepEqual([error.code, error.effect, error.details.status], [code, effect, status]);
    });

  it("waits as long as the address asks, within reason", async () => {
    const nowMs = Date.parse("2026-01-01T00:00:00Z");
    const delays: Readonly<Record<string, number>> = {
      "7": 7_000,
      "Thu, 01 Jan 2026 00:01:00 GMT": 60_000,
      "Wed, 31 Dec 2025 00:00:00 GMT": 1_000,
      "0": 1_000,
      "-5": 1_000,
      soon: 1_000,
      "999999999999": 3_600_000,
    };
    for (const [retryAfter, delayMs] of Object.entries(delays)) {
      const error = await failureOn(429, { "retry-after": retryAfter }, nowMs);
      assert.deepEqual([error.code, error.retryAfterMs, error.effect], ["rate_limited", delayMs, "none"], retryAfter);
    }
    assert.equal((await failureOn(429)).retryAfterMs, 1_000);
  });

  it("does not follow redirects", async () => {
    const before = receiver.calls.length;
    for (const status of [301, 302, 303, 307, 308]) {
      const error = await failureOn(status, { location: "/elsewhere" });
      assert.deepEqual([error.code, error.effect], ["invalid_request", "none"]);
      assert.match(error.message, /redirects are not followed/);
    }
    assert.deepEqual(
      receiver.calls.slice(before).map(({ path }) => path),
      Array.from({ length: 5 }, () => "/answers"),
    );
  });

  it("whose connection drops may have arrived", async () => {
    const before = receiver.calls.length;
    receiver.respondWith((response) => response.destroy());
    const error = await failure();
    assert.deepEqual([error.code, error.effect], ["unavailable", "unknown"]);
    assert.equal(receiver.calls.length, before + 1, "it is not posted again by itself");
  });

  it("that reaches nobody is unavailable", async () => {
    const gone = await startReceiver();
    await gone.stop();
    assert.equal((await failure({ url: gone.url })).code, "unavailable");
  });

  it("that is never answered is given up, and may have arrived", async () => {
    receiver.respondWith(() => undefined);
    const error = await failure({ timeoutMs: 50 });
    assert.deepEqual([error.code, error.effect], ["unavailable", "unknown"]);
  });

  it("that is aborted may have arrived", async () => {
    const stopping = new AbortController();
    receiver.respondWith(() => stopping.abort());
    const error = await failure({}, stopping.signal);
    assert.deepEqual([error.code, error.effect], ["aborted", "unknown"]);
  });

  it("does not read an endless answer", async () => {
    const closed = Promise.withResolvers<void>();
    receiver.respondWith((response) => {
      // A request of an earlier test may come late, when its sender is gone: nothing would end its answer.
      if (response.closed || response.destroyed) return;
      response.writeHead(200);
      const more = setInterval(() => response.write("x".repeat(1_000)), 1);
      response.once("close", () => {
        clearInterval(more);
        closed.resolve();
      });
    });
    await post();
    await closed.promise;
  });

  it("tells no secret when it fails", async () => {
    const error = await failureOn(400);
    assert.ok(!`${error.stack}${JSON.stringify(error)}`.includes(whsec));
  });
});
