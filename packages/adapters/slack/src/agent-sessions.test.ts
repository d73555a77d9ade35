import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AcceptOptions, InboundEvent } from "@talaria/protocol";
import { adapterDeps, hurriedClock, messageTo, RecordingHost } from "@talaria/testkit";
import { statusLastsMs } from "./capabilities.ts";
import { conversation, makeWorld, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();
const settings = { agentView: true };
const agentWorld = () => openWorld({ agentView: true, settings });

describe("an app with an agent_view", () => {
  it("answers a direct message in its thread, and all of a person's messages are one conversation", async () => {
    await using world = await agentWorld();
    const { host, direct, ada } = world;
    const routes = noteRoutes(host);
    const root = direct.say(ada, "hello");
    direct.say(ada, "and in here?", { thread: root });
    const next = direct.say(ada, "something else");
    const events = await host.recorded(3);
    assert.deepEqual(
      events.map((event) => event.conversation.threadId),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(routes, [root, root, next]);
  });

  it("takes a thread below a message of ours for a conversation of its own", async () => {
    await using world = await agentWorld();
    const { server, host, direct, ada } = world;
    const routes = noteRoutes(host);
    const root = server.sayAsBot(direct, "good morning");
    direct.say(ada, "good morning", { thread: root });
    const [event] = await host.recorded(1);
    assert.deepEqual([event?.conversation.threadId, routes], [root, [undefined]]);
  });

  it("shows its work as a session with a title until its message is there", async () => {
    await using world = await agentWorld();
    const { adapter, host, direct, ada, server } = world;
    const root = direct.say(ada, "what is a loom?\nTell me.");
    await host.recorded(1);
    const place = conversation(direct.id, root);
    await adapter.setTyping?.(place, signal);
    const shown = { title: "what is a loom? Tell me.", initiator: ada.id };
    assert.deepEqual(direct.session(root), { status: "processing", ...shown });
    await adapter.send(messageTo(place, "A machine."), signal);
    await host.until(() => direct.session(root)?.status === "active", "the session is active again");
    assert.deepEqual(server.calls.of("assistant.threads.setStatus"), []);
  });

  it("says below the thread what is done, and shows its session no more often for that", async () => {
    await using world = await agentWorld();
    const { adapter, host, direct, ada, server } = world;
    const root = direct.say(ada, "test it");
    await host.recorded(1);
    const place = conversation(direct.id, root);
    for (const doing of [undefined, "running npm test", "12 of 40 tests", "reading\na.txt"])
      await adapter.setTyping?.(place, signal, doing);
    const statuses = server.calls.of("assistant.threads.setStatus").map(({ args }) => args.status);
    assert.deepEqual(statuses, ["is running npm test...", "12 of 40 tests", "is reading a.txt..."]);
    assert.equal(server.calls.of("agents.sessions.setStatus").length, 1);
    server.fail("assistant.threads.setStatus", {
      kind: "answer",
      code: 200,
      description: "access_denied",
      effect: "none",
    });
    await adapter.setTyping?.(place, signal, "refused");
    assert.equal(direct.session(root)?.status, "processing");
  });

  it("streams in the thread of a direct message, and the end of the stream ends the status", async () => {
    await using world = await agentWorld();
    const { adapter, host, direct, ada, server } = world;
    const root = direct.say(ada, "hello");
    await host.recorded(1);
    const place = conversation(direct.id, root);
    await adapter.setTyping?.(place, signal);
    const view = await adapter.openReply?.({ conversation: place }, signal);
    await view?.update("Hel", signal);
    assert.equal(direct.botMessages()[0]?.isStreaming, true);
    assert.equal(direct.session(root)?.title, "hello");
    await view?.finish(messageTo(place, "Hello."), signal);
    assert.deepEqual([direct.botMessages()[0]?.text, direct.session(root)?.status], ["Hello.", "active"]);
    await host.calm();
    assert.equal(server.calls.of("agents.sessions.setStatus").length, 1);
  });

  it("gives a session its title that a stream has made, once, since people may give it another", async () => {
    await using world = await agentWorld();
    const { adapter, host, direct, ada, server } = world;
    const root = direct.say(ada, "what is a loom?");
    await host.recorded(1);
    const place = conversation(direct.id, root);
    for (const text of ["A machine.", "Of wood."]) {
      const view = await adapter.openReply?.({ conversation: place }, signal);
      await view?.update(text, signal);
      await view?.finish(messageTo(place, text), signal);
    }
    await host.until(() => direct.session(root)?.title === "what is a loom?", "it has a title");
    assert.equal(server.calls.of("agents.sessions.rename").length, 1);
  });

  it("calls a thread what a person calls the conversation, also one that has no session yet", async () => {
    await using world = await agentWorld();
    const { adapter, host, direct, channel, ada } = world;
    const root = direct.say(ada, "what is a loom?");
    const other = channel.say(ada, "hello", { mentionBot: true });
    await host.recorded(2);
    await adapter.setTyping?.(conversation(direct.id, root), signal);
    adapter.rename?.(conversation(direct.id, root), "Looms");
    adapter.rename?.(conversation(channel.id, other), "Greetings");
    adapter.rename?.(conversation(direct.id), "Nowhere");
    await host.until(() => direct.session(root)?.title === "Looms", "it is renamed");
    await host.until(() => channel.session(other)?.title === "Greetings", "it has begun with that title");
    assert.deepEqual([direct.session(root)?.status, channel.session(other)?.status], ["processing", "active"]);
    const view = await adapter.openReply?.({ conversation: conversation(direct.id, root) }, signal);
    await view?.update("A machine", signal);
    await view?.finish(messageTo(conversation(direct.id, root), "A machine."), signal);
    await host.calm();
    assert.equal(direct.session(root)?.title, "Looms");
  });

  it("ends a status that nobody renews, since Slack shows it for an hour", async () => {
    const clock = {
      ...hurriedClock,
      sleep: (ms: number, within: AbortSignal) => hurriedClock.sleep(ms > statusLastsMs ? 10 : ms, within),
    };
    await using world = await openWorld({ agentView: true, settings, deps: { clock } });
    const { adapter, host, direct, ada } = world;
    const root = direct.say(ada, "hello");
    await host.recorded(1);
    await adapter.setTyping?.(conversation(direct.id, root), signal);
    await host.until(() => direct.session(root)?.status === "active", "the status is over");
  });

  const stops: readonly [where: string, isOurs: boolean][] = [
    ["of a direct message", false],
    ["below a message of ours", true],
  ];
  for (const [where, isOurs] of stops)
    it(`stops the conversation ${where} when Slack's button is pressed, and ends its status`, async () => {
      await using world = await agentWorld();
      const { server, adapter, host, direct, ada } = world;
      const root = isOurs ? server.sayAsBot(direct, "good morning") : direct.say(ada, "hello");
      if (!isOurs) await host.recorded(1);
      const place = conversation(direct.id, root);
      await adapter.setTyping?.(place, signal);
      const view = await adapter.openReply?.({ conversation: place }, signal);
      await view?.update("Hel", signal);
      const pressed = direct.stop(ada, root);
      await host.until(() => pressed.isAcknowledged, "the stop is acknowledged");
      const event = host.events.at(-1);
      assert.ok(event?.type === "action.invoked");
      assert.deepEqual([event.actionId, event.sender.userId], ["stop", ada.id]);
      assert.equal(event.conversation.threadId, isOurs ? root : undefined);
      await host.until(() => direct.session(root)?.status === "active", "the session is active again");
      await view?.discard(signal);
    });

  it("stops a thread of a channel, and leaves the status to an answer that goes on where somebody may not", async () => {
    await using world = await agentWorld();
    const { adapter, host, channel, ada } = world;
    const root = channel.say(ada, "hello", { mentionBot: true });
    await host.recorded(1);
    await adapter.setTyping?.(conversation(channel.id, root), signal);
    const accept = host.accept.bind(host);
    host.accept = async (event) => {
      await accept(event);
      return "dropped";
    };
    const refused = channel.stop(ada, root);
    await host.until(() => refused.isAcknowledged, "the stop is acknowledged");
    await host.calm();
    assert.equal(channel.session(root)?.status, "processing");
    assert.equal(host.events.at(-1)?.conversation.threadId, root);
  });

  it("takes the title that a person gives a session in Slack as the command for it", async () => {
    await using world = await agentWorld();
    const { adapter, host, channel, direct, ada } = world;
    const roots = [channel.say(ada, "hello", { mentionBot: true }), direct.say(ada, "hello")] as const;
    await host.recorded(2);
    for (const [n, place] of [channel, direct].entries()) {
      const root = roots[n] ?? "";
      await adapter.setTyping?.(conversation(place.id, root), signal);
      place.retitle(ada, root, n === 0 ? "Bora\n Bora" : " ");
    }
    const long = direct.retitle(ada, roots[1], "x".repeat(200));
    await host.until(() => long.isAcknowledged, "acknowledged");
    const [titled, other, ...more] = host.events.filter(({ id }) => id.startsWith("t:"));
    assert.ok(titled?.type === "message.created" && other?.type === "message.created");
    assert.deepEqual([titled.message.markdown, titled.sender.userId, more], ["/title Bora Bora", ada.id, []]);
    assert.deepEqual([titled.conversation.threadId, other.conversation.threadId], [roots[0], undefined]);
    assert.equal(other.message.markdown, `/title ${"x".repeat(80)}`);
  });

  it("offers its prompts once when somebody looks at its messages, and not at its home", async () => {
    await using world = await agentWorld();
    const { server, host, direct, ada } = world;
    direct.openHome(ada, "home");
    direct.openHome(ada);
    await host.until(() => direct.prompts(direct.id) !== undefined, "prompts are shown");
    const { promptsTitle: title, prompts } = adapterDeps().wordsIn();
    assert.deepEqual(direct.prompts(direct.id), { title, prompts });
    const again = direct.openHome(ada);
    await host.until(() => again.isAcknowledged, "acknowledged");
    await host.calm();
    assert.equal(server.calls.of("assistant.threads.setSuggestedPrompts").length, 1);
    assert.deepEqual(host.events, []);
  });

  it("counts a stop that cannot be read, and asks for none of it again", async () => {
    const unreadable: string[] = [];
    await using world = await openWorld({
      agentView: true,
      settings,
      deps: { countUnreadable: (kind) => void unreadable.push(kind) },
    });
    const { server, host, channel, ada } = world;
    const ts = channel.say(ada, "hello");
    await host.recorded(1);
    const odd = channel.forge(ts, { type: "agent_session_stopped", thread_ts: "never" });
    await host.until(() => odd.isAcknowledged, "acknowledged");
    assert.deepEqual([unreadable, host.events.length], [["agent_session_stopped"], 1]);
    assert.ok(server);
  });
});

describe("an app that was made earlier", () => {
  it("goes on as before", async () => {
    await using world = await openWorld();
    const { adapter, server, host, direct, ada } = world;
    const routes = noteRoutes(host);
    const root = direct.say(ada, "hello");
    direct.say(ada, "and here?", { thread: root });
    const events = await host.recorded(2);
    assert.deepEqual([events[0]?.conversation.threadId, events[1]?.conversation.threadId], [undefined, root]);
    assert.deepEqual(routes, [undefined, undefined]);
    await adapter.setTyping?.(conversation(direct.id, root), signal);
    assert.equal(server.calls.of("assistant.threads.setStatus")[0]?.args.status, "is thinking...");
    assert.deepEqual(server.calls.of("agents.sessions.setStatus"), []);
  });

  it("calls an assistant thread after its first words, and then as a person calls it", async () => {
    await using world = await openWorld();
    const { adapter, host, direct, ada, server } = world;
    const root = direct.openAssistant(ada);
    await host.until(() => direct.prompts(root) !== undefined, "the thread is known");
    for (const text of ["what is a \nloom?", "and a spindle?"]) direct.say(ada, text, { thread: root });
    await host.until(() => direct.title(root) === "what is a loom?", "it has a title");
    adapter.rename?.(conversation(direct.id, root), "Looms");
    await host.until(() => direct.title(root) === "Looms", "it is renamed");
    assert.equal(server.calls.of("assistant.threads.setTitle").length, 2);
    assert.deepEqual(server.calls.of("agents.sessions.rename"), []);
  });

  for (const refusal of ["access_denied", "unknown_method", "missing_scope", "not_allowed"])
    it(`shows its line of text where agentView is set all the same and Slack says ${refusal}`, async () => {
      await using world = await openWorld({ settings });
      const { adapter, server, channel, ada, host } = world;
      const root = channel.say(ada, "hello", { mentionBot: true });
      await host.recorded(1);
      server.fail("agents.sessions.setStatus", { kind: "answer", code: 200, description: refusal, effect: "none" });
      for (let n = 0; n < 2; n += 1) await adapter.setTyping?.(conversation(channel.id, root), signal);
      assert.equal(server.calls.of("agents.sessions.setStatus").length, 1);
      assert.equal(server.calls.of("assistant.threads.setStatus").length, 2);
    });

  it("is not taken for one without sessions because of one thread or one moment", async () => {
    const { server, make, channel, ada } = await makeWorld({ agentView: true, settings });
    const adapter = make();
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    const root = channel.say(ada, "hello", { mentionBot: true });
    await host.recorded(1);
    for (const description of ["invalid_thread_ts", "ratelimited", "channel_not_found", "internal_error"]) {
      server.fail("agents.sessions.setStatus", { kind: "answer", code: 200, description, effect: "none" });
      await assert.rejects(async () => adapter.setTyping?.(conversation(channel.id, root), signal));
    }
    await adapter.setTyping?.(conversation(channel.id, root), signal);
    assert.equal(channel.session(root)?.status, "processing");
    await adapter.stop();
    await server.stop();
  });
});

/** Collects the thread that each answer is to go to, where that is not the event's own. */
function noteRoutes(host: RecordingHost): (string | undefined)[] {
  const routes: (string | undefined)[] = [];
  const accept = host.accept.bind(host);
  host.accept = (event: InboundEvent, options?: AcceptOptions) => {
    routes.push(options?.replyTo?.threadId);
    return accept(event);
  };
  return routes;
}
