import assert from "node:assert/strict";
import { it } from "node:test";
import { Bot, GrammyError } from "grammy";
import { startTelegramServer, type TelegramServer } from "./server.ts";

it("lets a polling bot of grammY answer a person", async () => {
  await using server = await startTelegramServer();
  const ada = server.user({ first_name: "Ada" });
  const chat = server.privateChat(ada);
  const bot = new Bot(server.token, { client: { apiRoot: server.apiRoot } });
  bot.on("message:text", (context) => context.reply(`echo ${context.message.text}`));
  const running = bot.start();
  chat.say(ada, "hello");
  const answer = await chat.waitForBotMessage("echo hello");
  assert.equal(answer.byBot, true);
  await bot.stop();
  await running;
  assert.equal(server.pendingUpdates(), 0);
});

it("keeps an update until a poll with a higher offset confirms it", async () => {
  await using server = await startTelegramServer();
  const ada = server.user({ first_name: "Ada" });
  const chat = server.privateChat(ada);
  const { api } = new Bot(server.token, { client: { apiRoot: server.apiRoot } });
  const { updateId = 0 } = chat.say(ada, "one");
  chat.say(ada, "two");
  assert.deepEqual(texts(await api.getUpdates({ limit: 1 })), ["one"]);
  assert.deepEqual(texts(await api.getUpdates()), ["one", "two"]);
  assert.deepEqual(texts(await api.getUpdates({ offset: updateId + 1 })), ["two"]);
  assert.deepEqual(texts(await api.getUpdates({ offset: -1 })), ["two"]);
  assert.deepEqual(await api.getUpdates({ offset: updateId + 2 }), []);
});

it("ends the older of two polls with 409", async () => {
  await using server = await startTelegramServer();
  const ada = server.user({ first_name: "Ada" });
  const chat = server.privateChat(ada);
  const { api } = new Bot(server.token, { client: { apiRoot: server.apiRoot } });
  const arrived = nextCall(server);
  const older = api.getUpdates({ timeout: 30 });
  const refused = assert.rejects(older, (error) => error instanceof GrammyError && error.error_code === 409);
  await arrived;
  const newer = api.getUpdates({ timeout: 30 });
  await refused;
  chat.say(ada, "for the newer one");
  assert.deepEqual(texts(await newer), ["for the newer one"]);
});

it("delivers only the kinds a bot asked for", async () => {
  await using server = await startTelegramServer();
  const ada = server.user({ first_name: "Ada" });
  const chat = server.privateChat(ada);
  const { api } = new Bot(server.token, { client: { apiRoot: server.apiRoot } });
  const { messageId } = chat.say(ada, "one");
  assert.equal(chat.react(ada, messageId, "👍").updateId, undefined);
  await api.getUpdates({ allowed_updates: ["message", "message_reaction"] });
  assert.notEqual(chat.react(ada, messageId, "🔥").updateId, undefined);
  assert.equal(chat.edit(ada, messageId, "changed").updateId, undefined);
});

it("delivers an update again on demand, even when it was confirmed", async () => {
  await using server = await startTelegramServer();
  const ada = server.user({ first_name: "Ada" });
  const chat = server.privateChat(ada);
  const { api } = new Bot(server.token, { client: { apiRoot: server.apiRoot } });
  const { updateId = 0 } = chat.say(ada, "once");
  assert.deepEqual(await api.getUpdates({ offset: updateId + 1 }), []);
  server.redeliver(updateId);
  assert.deepEqual(texts(await api.getUpdates({ offset: updateId + 1 })), ["once"]);
  server.duplicateNext();
  chat.say(ada, "twice");
  assert.deepEqual(texts(await api.getUpdates({ offset: updateId + 1 })), ["twice", "twice"]);
});

it("can hand over a batch in the wrong order", async () => {
  await using server = await startTelegramServer();
  const ada = server.user({ first_name: "Ada" });
  const chat = server.privateChat(ada);
  const { api } = new Bot(server.token, { client: { apiRoot: server.apiRoot } });
  server.reverseNext();
  for (const text of ["a", "b", "c"]) chat.say(ada, text);
  assert.deepEqual(texts(await api.getUpdates()), ["c", "b", "a"]);
  assert.deepEqual(texts(await api.getUpdates()), ["a", "b", "c"]);
});

it("refuses a wrong token, an unknown method and a broken body", async () => {
  await using server = await startTelegramServer();
  const post = async (path: string, body?: string) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(server.url + path, { method: "POST", headers, ...(body && { body }) });
    return [answer.status, ((await answer.json()) as { description: string }).description];
  };
  assert.deepEqual(await post("/bot1:x/getMe"), [401, "Unauthorized"]);
  assert.deepEqual(await post(`/bot${server.token}/sendPaidMedia`), [404, "Not Found"]);
  assert.deepEqual(await post(`/bot${server.token}/sendMessage`, "{"), [400, "Bad Request: can't parse JSON object"]);
  assert.deepEqual(await post(`/bot${server.token}/SENDmessage`), [400, "Bad Request: chat_id is empty"]);
});

type Updates = Awaited<ReturnType<Bot["api"]["getUpdates"]>>;

function texts(updates: Updates): (string | undefined)[] {
  return updates.map((update) => update.message?.text);
}

/** Resolves when the next `getUpdates` call is waiting for updates. */
async function nextCall(server: TelegramServer): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = server.onCall("getUpdates", () => {
      stop();
      resolve();
    });
  });
  while (!server.bots[0]?.updates.isPolled) await new Promise((resolve) => setImmediate(resolve));
}
