import assert from "node:assert/strict";
import { it } from "node:test";
import { Bot, GrammyError, HttpError } from "grammy";
import { refusalOf, startedServer } from "./test-server.ts";

it("answers ordered faults before or after the effect", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  peer.fail("sendMessage", { kind: "answer", code: 429, retryAfter: 3, effect: "none" });
  peer.fail("sendMessage", { kind: "answer", code: 502, effect: "done" });
  peer.fail("sendMessage", { kind: "drop", effect: "none" });
  peer.fail("sendMessage", { kind: "drop", effect: "done" });
  const outcomes: unknown[] = [];
  for (const text of ["a", "b", "c", "d", "e"]) {
    const error = await api.sendMessage(chat.id, text).catch((caught: unknown) => caught);
    if (error instanceof GrammyError) outcomes.push([error.error_code, error.parameters.retry_after]);
    else outcomes.push(error instanceof HttpError ? "no answer" : "sent");
  }
  assert.deepEqual(outcomes, [[429, 3], [502, undefined], "no answer", "no answer", "sent"]);
  assert.deepEqual(
    chat.botMessages().map(({ text }) => text),
    ["b", "d", "e"],
  );
  const logged = peer.calls.of("sendMessage").map((call) => call.outcome);
  assert.deepEqual(logged, ["refused", "refused", "dropped", "dropped", "ok"]);
});

it("knows a renewed token and no longer the former one, with all that waits for the bot", async () => {
  await using peer = await startedServer();
  peer.chat.say(peer.ada, "still there?");
  const [id] = peer.token.split(":");
  const renewed = `${id}:another-token-for-tests-only-000000001`;
  peer.renewToken(renewed);
  await assert.rejects(peer.api.getUpdates(), { error_code: 401 });
  const { api } = new Bot(renewed, { client: { apiRoot: peer.apiRoot } });
  assert.deepEqual(
    (await api.getUpdates()).map(({ message }) => message?.text),
    ["still there?"],
  );
  assert.throws(() => peer.renewToken("1:of-another-bot"), /keeps its numeric id/);
});

it("narrows a fault to calls with certain parameters", async () => {
  await using peer = await startedServer();
  const isB = ({ text }: Readonly<Record<string, unknown>>) => text === "b";
  peer.fail("sendMessage", { kind: "answer", code: 500, effect: "none" }, 2, isB);
  assert.ok(await peer.api.sendMessage(peer.chat.id, "a"));
  for (const _ of [1, 2]) await assert.rejects(peer.api.sendMessage(peer.chat.id, "b"), { error_code: 500 });
  assert.ok(await peer.api.sendMessage(peer.chat.id, "b"));
});

it("leaves a call without an answer until the caller gives up", async () => {
  await using peer = await startedServer();
  peer.fail("sendMessage", { kind: "hang", effect: "done" });
  const giveUp = new AbortController();
  const arrived = peer.chat.waitForBotMessage("lost answer").then(() => giveUp.abort());
  await assert.rejects(peer.api.sendMessage(peer.chat.id, "lost answer", {}, giveUp.signal as never), HttpError);
  await arrived;
  assert.equal(peer.calls.of("sendMessage")[0]?.outcome, "dropped");
});

it("lets a test hold a call before its effect", async () => {
  await using peer = await startedServer();
  let seenBefore: number | undefined;
  peer.onCall("sendMessage", () => {
    seenBefore = peer.chat.messages().length;
  });
  await peer.api.sendMessage(peer.chat.id, "x");
  assert.equal(seenBefore, 0);
});

it("cuts everybody off and comes back on the same port", async () => {
  await using peer = await startedServer();
  const polling = peer.api.getUpdates({ timeout: 20 });
  peer.onCall("getUpdates", () => peer.goOffline());
  await assert.rejects(polling, HttpError);
  await assert.rejects(peer.api.getMe(), HttpError);
  peer.chat.say(peer.ada, "still there?");
  peer.goOnline();
  assert.equal((await peer.api.getMe()).id, peer.botUser.id);
  assert.equal(peer.pendingUpdates(), 1);
});

it("closes a private chat after its burst, says for how long, and counts who calls anyway", async () => {
  let now = 1_000_000;
  await using peer = await startedServer({ limits: "real", now: () => now });
  const { api, chat } = peer;
  for (let count = 0; count < 5; count++) await api.sendMessage(chat.id, `m${count}`);
  assert.equal(await refusalOf(api.sendMessage(chat.id, "x")), "Too Many Requests: retry after 1");
  assert.equal(peer.callsIntoClosedWindow(), 0);
  await assert.rejects(api.sendMessage(chat.id, "x"), { parameters: { retry_after: 1 } });
  assert.equal(peer.callsIntoClosedWindow(), 1);
  now += 1_000;
  await api.sendMessage(chat.id, "waited");
  assert.equal(peer.callsIntoClosedWindow(), 1);
  assert.equal(chat.botMessages().length, 6);
});

it("lets a group have 20 sends and edits a minute", async () => {
  let now = 1_000_000;
  await using peer = await startedServer({ limits: "real", now: () => now });
  const group = peer.group({ title: "Ops", members: [peer.ada] });
  const { message_id: id } = await peer.api.sendMessage(group.id, "start");
  for (let edit = 0; edit < 19; edit++) {
    now += 1_000;
    await peer.api.editMessageText(group.id, id, `edit ${edit}`);
  }
  assert.equal(await refusalOf(peer.api.editMessageText(group.id, id, "more")), "Too Many Requests: retry after 41");
  assert.ok(await peer.api.sendMessage(peer.chat.id, "another chat is open"));
  now += 41_000;
  assert.ok(await peer.api.editMessageText(group.id, id, "more"));
});

it("lets a bot send 30 messages a second to all chats together", async () => {
  await using peer = await startedServer({ limits: "real", now: () => 1_000_000 });
  const people = Array.from({ length: 31 }, (_, index) => peer.user({ first_name: `P${index}` }));
  const chats = people.map((person) => peer.privateChat(person));
  const outcomes = await Promise.all(chats.map((chat) => refusalOf(peer.api.sendMessage(chat.id, "hi"))));
  assert.equal(outcomes.filter((outcome) => outcome === "Too Many Requests: retry after 1").length, 1);
});
