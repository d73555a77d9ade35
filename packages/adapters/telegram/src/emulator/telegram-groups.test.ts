import assert from "node:assert/strict";
import { it } from "node:test";
import { Bot } from "grammy";
import { refusalOf, startedServer } from "./test-server.ts";

it("shows a bot in privacy mode only what is meant for it", async () => {
  await using peer = await startedServer();
  const { ada, api, botUser } = peer;
  const group = peer.group({ title: "Ops", members: [ada], type: "supergroup" });
  const { message_id: own } = await api.sendMessage(group.id, "I am here");
  const said = [
    group.say(ada, "just us"),
    group.say(ada, "hello", { mentionBot: true }),
    group.say(ada, "/status now"),
    group.say(ada, `/status@${botUser.username.toUpperCase()}`),
    group.say(ada, "/status@other_bot"),
    group.say(ada, "yes", { replyTo: own }),
    group.say(ada, "ask @somebody_else"),
    group.say(ada, "mail me at x@emulated_700000001_bot.example"),
  ];
  assert.deepEqual(
    said.map(({ updateId }) => updateId !== undefined),
    [false, true, true, true, false, true, false, false],
  );
});

it("shows everything to administrators and with privacy mode off", async () => {
  await using peer = await startedServer({ bots: [{ token: "1:a" }, { token: "2:b", canReadAllGroupMessages: true }] });
  const [polite, curious] = peer.bots;
  assert.ok(polite && curious);
  const group = peer.group({ title: "Ops", members: [peer.ada] });
  const before = group.say(peer.ada, "just us");
  assert.equal(before.updateId, undefined);
  assert.equal(peer.pendingUpdates(curious), 1);
  group.addBot(polite, "administrator");
  assert.notEqual(group.say(peer.ada, "just us").updateId, undefined);
});

it("routes messages into topics and refuses topics that are not there", async () => {
  await using peer = await startedServer();
  const { ada, api } = peer;
  const forum = peer.group({ title: "Forum", members: [ada], topics: ["Bugs", "Ideas"] });
  const bugs = forum.topic("Bugs");
  forum.say(ada, "it broke", { topic: bugs, mentionBot: true });
  const update = (await api.getUpdates()).find((one) => one.message?.text);
  assert.equal(update?.message?.message_thread_id, bugs);
  assert.equal(update?.message?.is_topic_message, true);
  assert.equal(update?.message?.reply_to_message?.message_id, bugs);
  assert.equal(update?.message?.chat.is_forum, true);
  const send = (message_thread_id: number) => refusalOf(api.sendMessage(forum.id, "x", { message_thread_id }));
  await send(bugs);
  assert.equal(forum.botMessages()[0]?.topic, bugs);
  assert.equal(await send(1_234), "Bad Request: message thread not found");
  const general = forum.say(ada, "general").messageId;
  assert.equal(await send(general), "Bad Request: message thread not found");
  forum.closeTopic(bugs);
  assert.equal(await send(bugs), "Bad Request: TOPIC_CLOSED");
  forum.deleteTopic(bugs);
  assert.equal(await send(bugs), "Bad Request: message thread not found");
});

it("takes the General topic's id for typing and refuses it for messages", async () => {
  await using peer = await startedServer();
  const forum = peer.group({ title: "Forum", members: [peer.ada], forum: true });
  const general = { message_thread_id: 1 };
  assert.equal(await peer.api.sendChatAction(forum.id, "typing", general), true);
  assert.deepEqual(forum.activities()[0]?.threadId, 1);
  const refusal = await refusalOf(peer.api.sendMessage(forum.id, "x", general));
  assert.equal(refusal, "Bad Request: message thread not found");
});

it("gives replies in a supergroup without topics a thread id that is no topic", async () => {
  await using peer = await startedServer();
  const group = peer.group({ title: "Ops", members: [peer.ada], type: "supergroup" });
  const { message_id: root } = await peer.api.sendMessage(group.id, "root");
  const { messageId } = group.say(peer.ada, "answer", { replyTo: root });
  const wire = group.asWire(messageId);
  assert.deepEqual([wire.message_thread_id, wire.is_topic_message], [root, undefined]);
  assert.equal(wire.reply_to_message?.from?.id, peer.botUser.id);
});

it("refuses a bot that was blocked, kicked, never met or moved", async () => {
  await using peer = await startedServer();
  const { api, ada, chat } = peer;
  chat.block();
  assert.equal(await refusalOf(api.sendMessage(chat.id, "x")), "Forbidden: bot was blocked by the user");
  chat.unblock();
  assert.ok(await api.sendMessage(chat.id, "x"));
  const group = peer.group({ title: "Ops", members: [ada] });
  group.kickBot();
  assert.equal(await refusalOf(api.sendMessage(group.id, "x")), "Forbidden: bot was kicked from the group chat");
  const stranger = peer.user({ first_name: "Bob" });
  const cold = await refusalOf(api.sendMessage(stranger.id, "x"));
  assert.equal(cold, "Forbidden: bot can't initiate conversation with a user");
  assert.equal(await refusalOf(api.sendMessage(5, "x")), "Bad Request: chat not found");
  const muted = peer.group({ title: "Quiet", members: [ada] });
  muted.muteBot();
  assert.match(String(await refusalOf(api.sendMessage(muted.id, "x"))), /^Bad Request: not enough rights/);
  const left = peer.group({ title: "Old", members: [ada] });
  await api.leaveChat(left.id);
  assert.equal(await refusalOf(api.sendMessage(left.id, "x")), "Forbidden: bot is not a member of the group chat");
  const states = (await api.getUpdates()).flatMap((update) => update.my_chat_member?.new_chat_member.status ?? []);
  assert.deepEqual(states, ["kicked", "member", "kicked", "restricted"]);
});

it("answers calls to a migrated group with its new id", async () => {
  await using peer = await startedServer();
  const group = peer.group({ title: "Ops", members: [peer.ada] });
  const moved = group.migrate();
  await assert.rejects(peer.api.sendMessage(group.id, "x"), { parameters: { migrate_to_chat_id: moved.id } });
  await peer.api.sendMessage(moved.id, "here");
  assert.deepEqual(
    moved.botMessages().map(({ text }) => text),
    ["here"],
  );
  const services = (await peer.api.getUpdates()).map(
    ({ message }) => message?.migrate_to_chat_id ?? message?.migrate_from_chat_id,
  );
  assert.deepEqual(services, [moved.id, group.id]);
});

it("keeps the chats of two bots with the same person apart", async () => {
  await using peer = await startedServer({ tokens: ["11:one", "22:two"] });
  const [one, two] = peer.bots;
  assert.ok(one && two);
  const second = new Bot(two.token, { client: { apiRoot: peer.apiRoot } });
  await peer.api.sendMessage(peer.ada.id, "from one");
  const cold = await refusalOf(second.api.sendMessage(peer.ada.id, "x"));
  assert.equal(cold, "Forbidden: bot can't initiate conversation with a user");
  const chat = peer.privateChat(peer.ada, two);
  await second.api.sendMessage(peer.ada.id, "from two");
  assert.deepEqual(
    chat.botMessages().map(({ text }) => text),
    ["from two"],
  );
  assert.deepEqual(
    peer.chat.botMessages().map(({ text }) => text),
    ["from one"],
  );
});

it("tells only administrators about reactions in a group", async () => {
  await using peer = await startedServer();
  const { ada, api } = peer;
  await api.getUpdates({ allowed_updates: ["message", "message_reaction"] });
  const group = peer.group({ title: "Ops", members: [ada] });
  const { messageId } = group.say(ada, "x");
  assert.equal(group.react(ada, messageId, "👍").updateId, undefined);
  group.addBot(undefined, "administrator");
  assert.notEqual(group.react(ada, messageId).updateId, undefined);
  const [update] = await api.getUpdates();
  assert.deepEqual(update?.message_reaction?.old_reaction, [{ type: "emoji", emoji: "👍" }]);
  assert.deepEqual(update?.message_reaction?.new_reaction, []);
});

it("keeps topics of a private chat apart", async () => {
  await using peer = await startedServer({ bots: [{ token: "1:a", topicsInPrivateChats: true }] });
  const topic = peer.chat.openTopic("Taxes");
  peer.chat.say(peer.ada, "how much", { topic });
  const update = (await peer.api.getUpdates()).at(-1);
  assert.deepEqual([update?.message?.message_thread_id, update?.message?.is_topic_message], [topic, true]);
  await peer.api.sendMessage(peer.chat.id, "a lot", { message_thread_id: topic });
  await peer.api.sendMessageDraft(peer.chat.id, 1, "x", { message_thread_id: topic });
  assert.deepEqual([peer.chat.botMessages()[0]?.topic, peer.chat.drafts()[0]?.threadId], [topic, topic]);
  const refusal = await refusalOf(peer.api.sendMessage(peer.chat.id, "x", { message_thread_id: 99 }));
  assert.equal(refusal, "Bad Request: message thread not found");
});

it("passes on any other kind of message and hostile updates as they are", async () => {
  await using peer = await startedServer();
  const origin = { type: "hidden_user", sender_user_name: "Somebody", date: 1 };
  peer.chat.sendOther(peer.ada, { forward_origin: origin }, "look");
  peer.chat.sendOther(peer.ada, { location: { latitude: 1, longitude: 2 } });
  const id = peer.raw({ message: { message_id: "not a number", from: null } });
  peer.raw({ update_id: id + 50, surprise: [] });
  const updates = await peer.api.getUpdates();
  assert.deepEqual(updates[0]?.message?.forward_origin, origin);
  assert.deepEqual([updates[1]?.message?.text, updates[1]?.message?.location?.longitude], [undefined, 2]);
  assert.deepEqual(updates.slice(2), [
    { update_id: id, message: { message_id: "not a number", from: null } },
    { update_id: id + 50, surprise: [] },
  ]);
});
