import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { conversation, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();

describe("a room that we are invited to", () => {
  it("is joined, the host hears who has invited us, and we leave when told to", async () => {
    await using world = await openWorld({ settings: { invites: "open" } });
    const { server, host, adapter, ada, bob } = world;
    const room = server.room({ name: "Club", people: [ada, bob], withBot: false });
    room.member(server.bot.userId, "invite", ada);
    await host.until(() => host.groups.length > 0, "the host hears of the room");
    const [added] = host.groups;
    assert.deepEqual(
      [added?.conversation.conversationId, added?.conversation.kind, added?.by?.userId, added?.by?.role],
      [room.id, "group", ada, "person"],
    );
    assert.equal(server.world.membershipOf(room.id, server.bot.userId), "join");
    await adapter.leave?.(conversation(room.id), signal);
    assert.equal(server.world.membershipOf(room.id, server.bot.userId), "leave");
    await assert.rejects(async () => adapter.leave?.(conversation(room.id), signal), { code: "forbidden" });
  });
});
