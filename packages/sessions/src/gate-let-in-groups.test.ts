import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type ConversationId } from "@talaria/protocol";
import { type Desk, useStore } from "./gate.fixture.ts";

describe("a group that the configuration does not list", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  const write = (conversation = "-1005") =>
    desk.gate(desk.message({ text: "@bot hello", mentionsSelf: true, conversation, kind: "group" }));
  const met = async () => (await test.store.groups.list()).filter(({ accountId }) => accountId === desk.accountId);

  it("is kept with how many wrote in vain, and is let in from the next message on", async () => {
    for (let n = 0; n < 3; n += 1) assert.equal(await write(), "dropped");
    const [group, ...others] = await met();
    assert.deepEqual(others, []);
    assert.deepEqual([group?.conversationId, group?.messages, group?.allowedAt], ["-1005", 3, undefined]);
    assert.ok(group);
    await test.store.groups.allow(group);
    assert.equal(await write(), "recorded");
    assert.equal(await write("-1006"), "dropped", "no other one");
    const [allowed] = await met();
    assert.notEqual(allowed?.allowedAt, undefined);
    await test.store.groups.allow(group);
    assert.deepEqual((await met())[0]?.allowedAt, allowed?.allowedAt);
  });

  it("is shut out again, and what waits there is dropped", async () => {
    await test.store.groups.allow({
      accountId: desk.accountId,
      conversationId: brandAs<ConversationId>("-1005"),
      platform: "loopback",
    });
    assert.equal(await write(), "recorded");
    assert.equal((await desk.waiting("-1005")).length, 1);
    const group = { accountId: desk.accountId, conversationId: brandAs<ConversationId>("-1005") };
    assert.equal(await test.store.groups.remove(group), true);
    assert.deepEqual(await desk.waiting("-1005"), []);
    assert.equal(await write(), "dropped");
    assert.equal(await test.store.groups.remove(group), false);
  });

  it("pushes out only older ones that are not let in, however many there are", async () => {
    await test.store.groups.allow({
      accountId: desk.accountId,
      conversationId: brandAs<ConversationId>("ours"),
      platform: "loopback",
    });
    for (let n = 0; n < 230; n += 1) await write(`spam-${n}`);
    const groups = (await met()).map(({ conversationId }) => conversationId);
    assert.equal(groups.length, 201);
    assert.equal(groups[0], "ours");
    assert.equal(groups[1], "spam-229");
    assert.ok(!groups.includes(brandAs<ConversationId>("spam-0")));
  });
});
