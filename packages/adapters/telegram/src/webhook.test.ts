import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxBodyBytes, webhookRoute } from "./webhook.ts";

const secret = "a-secret-of-this-webhook";
const update = { update_id: 1 };

async function post(
  body: string | ReadableStream<Uint8Array>,
  given: string | undefined = secret,
  fails = false,
  giveUp = async () => false,
) {
  const accepted: unknown[] = [];
  const accept = async (raw: unknown) => {
    if (fails) throw new Error("the host refuses");
    accepted.push(raw);
  };
  const headers: Record<string, string> = given === "" ? {} : { "x-telegram-bot-api-secret-token": given };
  const request = new Request("http://gateway.test/", { method: "POST", body, headers, duplex: "half" });
  const response = await webhookRoute({
    path: "/platforms/a",
    secret,
    lifecycle: { running: { intake: { accept, giveUp } } },
  }).handle(request, {});
  return { status: response.status, accepted };
}

describe("the webhook", () => {
  it("answers 200 when the update was recorded", async () => {
    assert.deepEqual(await post(JSON.stringify(update)), { status: 200, accepted: [update] });
  });

  it("answers 503 when the host refuses, so that Telegram comes again", async () => {
    assert.equal((await post(JSON.stringify(update), secret, true)).status, 503);
  });

  it("answers 200 when the host refuses for good and the update is put aside", async () => {
    assert.equal((await post(JSON.stringify(update), secret, true, async () => true)).status, 200);
  });

  it("answers 503 while the account is stopped", async () => {
    const headers = { "x-telegram-bot-api-secret-token": secret };
    const request = new Request("http://gateway.test/", { method: "POST", body: JSON.stringify(update), headers });
    const stopped = webhookRoute({ path: "/platforms/a", secret, lifecycle: { running: undefined } });
    assert.equal((await stopped.handle(request, {})).status, 503);
  });

  it("answers 401 without the secret, before it reads the body", async () => {
    for (const wrong of ["", "wrong", `${secret}x`, secret.slice(1)]) {
      let isRead = false;
      const body = new ReadableStream<Uint8Array>(
        {
          pull() {
            isRead = true;
          },
        },
        { highWaterMark: 0 },
      );
      assert.deepEqual(await post(body, wrong), { status: 401, accepted: [] });
      assert.equal(isRead, false);
    }
  });

  it("answers 400 to what is no update", async () => {
    for (const body of ["", "{", "null", "7", "[]", "{}", `"\\ud800"`])
      assert.deepEqual(await post(body), { status: 400, accepted: [] }, body);
  });

  it("answers 413 above its limit", async () => {
    const body = JSON.stringify({ ...update, text: "x".repeat(maxBodyBytes) });
    assert.deepEqual(await post(body), { status: 413, accepted: [] });
  });
});
