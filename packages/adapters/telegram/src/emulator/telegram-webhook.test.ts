import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import type { Update } from "grammy/types";
import { refusalOf, startedServer } from "./test-server.ts";

it("posts updates in order with the secret and repeats what was not taken", async () => {
  await using peer = await startedServer({ webhookRetry: { firstMs: 1, maxMs: 4 } });
  await using hook = await startHook([200, 500, 503, 200]);
  await peer.api.setWebhook(hook.url, { secret_token: "s3cret" });
  for (const text of ["a", "b", "c"]) peer.chat.say(peer.ada, text);
  await hook.until(5);
  assert.deepEqual(hook.texts(), ["a", "b", "b", "b", "c"]);
  assert.equal(hook.headers[0]?.["x-telegram-bot-api-secret-token"], "s3cret");
  const info = await peer.api.getWebhookInfo();
  assert.match(info.last_error_message ?? "", /503/);
});

it("keeps what a webhook refuses, and gives it to a poll once the webhook is gone", async () => {
  await using peer = await startedServer({ webhookRetry: { firstMs: 1, maxMs: 1 } });
  await using hook = await startHook([], 401);
  await peer.api.setWebhook(hook.url);
  peer.chat.say(peer.ada, "not lost");
  await hook.until(2);
  assert.match(String(await refusalOf(peer.api.getUpdates())), /^Conflict: can't use getUpdates method while webhook/);
  await peer.api.deleteWebhook();
  assert.deepEqual(
    (await peer.api.getUpdates()).map(({ message }) => message?.text),
    ["not lost"],
  );
});

it("does not let one chat's trouble hold up another chat", async () => {
  await using peer = await startedServer({ webhookRetry: { firstMs: 1, maxMs: 1 } });
  const bob = peer.user({ first_name: "Bob" });
  await using hook = await startHook([], 200, (update) => update.message?.from.id === peer.ada.id);
  await peer.api.setWebhook(hook.url);
  peer.chat.say(peer.ada, "stuck");
  peer.privateChat(bob).say(bob, "through");
  await hook.untilText("through");
  while (peer.pendingUpdates() > 1) await new Promise((resolve) => setImmediate(resolve));
  await peer.api.deleteWebhook();
  assert.deepEqual(
    (await peer.api.getUpdates()).map(({ message }) => message?.text),
    ["stuck"],
  );
});

it("delivers twice, and in the wrong order, on demand", async () => {
  await using peer = await startedServer();
  await using hook = await startHook([]);
  await peer.api.setWebhook(hook.url, { max_connections: 1 });
  peer.duplicateNext();
  peer.chat.say(peer.ada, "twice");
  await hook.until(2);
  peer.reverseNext();
  for (const text of ["a", "b"]) peer.chat.say(peer.ada, text);
  await hook.until(4);
  assert.deepEqual(hook.texts(), ["twice", "twice", "b", "a"]);
});

it("checks address and secret, ends a waiting poll and can drop what waits", async () => {
  await using peer = await startedServer();
  await using hook = await startHook([]);
  assert.match(String(await refusalOf(peer.api.setWebhook("ftp://x"))), /bad webhook/);
  assert.match(String(await refusalOf(peer.api.setWebhook(hook.url, { secret_token: "ä" }))), /unallowed characters/);
  const polling = refusalOf(peer.api.getUpdates({ timeout: 20 }));
  while (!peer.bots[0]?.updates.isPolled) await new Promise((resolve) => setImmediate(resolve));
  await peer.api.setWebhook(hook.url);
  assert.match(String(await polling), /^Conflict: terminated by setWebhook/);
  await peer.api.deleteWebhook();
  peer.chat.say(peer.ada, "dropped");
  await peer.api.setWebhook(hook.url, { drop_pending_updates: true });
  peer.chat.say(peer.ada, "kept");
  await hook.until(1);
  assert.deepEqual(hook.texts(), ["kept"]);
});

/** A webhook that answers the given codes in turn, then `otherwise`; 500 to updates that `refuses` picks. */
async function startHook(codes: number[], otherwise = 200, refuses: (update: Update) => boolean = () => false) {
  const updates: Update[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const waiters = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const update = JSON.parse(body) as Update;
    updates.push(update);
    headers.push(request.headers);
    response.writeHead(refuses(update) ? 500 : (codes.shift() ?? otherwise)).end(() => {
      for (const check of waiters) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const texts = () => updates.map((update) => update.message?.text);
  const until = (test: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!test()) return;
        waiters.delete(check);
        resolve();
      };
      waiters.add(check);
      check();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    headers,
    texts,
    until: (count: number) => until(() => updates.length >= count),
    untilText: (text: string) => until(() => texts().includes(text)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
