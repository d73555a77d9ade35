import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";
import { channelIn } from "./viewing.ts";

const fact = (channel: string) => `while writing this, the sender has slack:group:${channel} open`;

describe("what somebody looks at on Slack", () => {
  it("comes with the messages to an app with an agent_view, as a fact and by its id alone", async () => {
    await using world = await openWorld({ agentView: true, settings: { agentView: true } });
    const { host, direct, channel, ada } = world;
    direct.say(ada, "hello");
    await host.recorded(1);
    direct.look(ada, channel.id);
    direct.say(ada, "summarise this");
    direct.say(ada, "", { forwards: { author: "Bob", text: "the plan" } });
    await host.recorded(3);
    direct.look(ada, undefined);
    direct.say(ada, "thanks");
    const events = await host.recorded(4);
    const quotes = events.map((event) => messageOf(event).quote);
    assert.deepEqual(quotes[0], undefined);
    assert.deepEqual(quotes[1], { userId: "slack", displayName: "Slack", markdown: fact(channel.id), fact: true });
    assert.equal(quotes[2]?.markdown, "the plan");
    assert.equal(quotes[3], undefined);
    assert.equal(messageOf(events[1]).markdown, "summarise this");
  });

  it("is told to an earlier app when it changes", async () => {
    await using world = await openWorld();
    const { host, direct, channel, ada } = world;
    const thread = direct.openAssistant(ada);
    const looked = direct.look(ada, channel.id, thread);
    await host.until(() => looked.isAcknowledged, "acknowledged");
    direct.say(ada, "summarise this", { thread });
    const [event] = await host.recorded(1);
    assert.equal(messageOf(event).quote?.markdown, fact(channel.id));
  });

  it("is nobody else's business: not said in a channel, and not of another person", async () => {
    await using world = await openWorld({ agentView: true, settings: { agentView: true } });
    const { host, server, direct, channel, ada } = world;
    const looked = direct.look(ada, channel.id);
    await host.until(() => looked.isAcknowledged, "acknowledged");
    const bob = server.user("bob");
    channel.say(ada, "hello", { mentionBot: true });
    server.direct(bob).say(bob, "hello");
    await host.until(() => new Set(host.events.map(({ id }) => id)).size === 2, "both are recorded");
    assert.ok(host.events.every((event) => messageOf(event).quote === undefined));
  });

  it("is counted where it cannot be read, and asked for no more", async () => {
    const unreadable: string[] = [];
    const deps = { countUnreadable: (kind: string) => void unreadable.push(kind) };
    await using world = await openWorld({ agentView: true, settings: { agentView: true }, deps });
    const { host, channel, ada } = world;
    const ts = channel.say(ada, "hello");
    await host.recorded(1);
    const odd = [
      channel.forge(ts, { type: "app_context_changed", context: "all of it" }),
      channel.forge(ts, { type: "assistant_thread_context_changed", assistant_thread: {} }),
    ];
    await host.until(() => odd.every(({ isAcknowledged }) => isAcknowledged), "acknowledged");
    assert.deepEqual(unreadable.toSorted(), ["app_context_changed", "assistant_thread_context_changed"]);
    assert.equal(host.events.length, 1);
  });

  it("is the first channel of this workspace, also that of a message", () => {
    const entities = [
      { type: "slack#/types/canvas_id", value: "F0123ABC" },
      { type: "slack#/types/channel_id", value: "C0OTHER", team_id: "T0OTHER" },
      { type: "slack#/types/channel_id", value: "C0 <b>", team_id: "T0OURS" },
      { type: "slack#/types/message_context", value: { channel_id: "C0FOUND" }, team_id: "T0OURS" },
    ].map((one) => ({ team_id: undefined, ...one }));
    assert.equal(channelIn({ entities }, "T0OURS"), "C0FOUND");
    assert.equal(channelIn({ entities: [] }, "T0OURS"), undefined);
  });
});
