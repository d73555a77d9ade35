import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Acceptance, AcceptOptions } from "@talaria/adapter";
import { brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import { adapterDeps, codeOf, messageOf, RecordingHost } from "@talaria/testkit";
import { createDiscordAdapter } from "./adapter.ts";
import { maxChoices } from "./choices.ts";
import { discordConfigSchema } from "./config.ts";
import { accountId, conversation, makeWorld, message, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();
const colours = [
  { id: "green", label: "Green" },
  { id: "black", label: "Black" },
];
const key = (text: string) => brandAs<DeliveryKey>(text);

/** A host whose people may do nothing. */
class StrictHost extends RecordingHost {
  refusal: string | undefined;

  override async accept(event: InboundEvent, options?: AcceptOptions): Promise<Acceptance> {
    await super.accept(event);
    if (this.refusal !== undefined) options?.tellRefused?.(this.refusal);
    return "dropped";
  }
}

describe("slash commands", () => {
  it("are registered once, and again only when they changed", async () => {
    const { server, store } = await makeWorld();
    const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api });
    const start = async (names: readonly string[]) => {
      const commands = names.map((name) => ({ name, description: `does ${name}` }));
      const adapter = createDiscordAdapter(config, adapterDeps({ id: accountId, store, commands }));
      const host = new RecordingHost(30_000);
      await adapter.start(host);
      const listed = () => server.commands.map((command) => (command as { name: string }).name).join();
      await host.until(() => listed() === names.join(), "the commands are there");
      await adapter.stop();
      return server.calls.of("putCommands").length;
    };
    assert.deepEqual([await start(["help", "stop"]), await start(["help", "stop"]), await start(["stop"])], [1, 1, 2]);
    await server.stop();
  });

  it("that do nothing in groups are offered in private alone", async () => {
    const { server, store } = await makeWorld();
    const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api });
    const commands = [
      { name: "help", description: "list commands" },
      { name: "people", description: "decide who may talk", leastRole: "owner", isPrivate: true },
    ] as const;
    const adapter = createDiscordAdapter(config, adapterDeps({ id: accountId, store, commands }));
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    await host.until(() => server.commands.length === 2, "the commands are there");
    const contexts = server.commands.map((command) => (command as { contexts: readonly number[] }).contexts);
    assert.deepEqual(contexts, [[0, 1], [1]]);
    await adapter.stop();
    await server.stop();
  });

  it("are described in the languages that Discord shows, English where there is none", async () => {
    const { server, store } = await makeWorld();
    const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api });
    const descriptions = { sv: "visa kommandon", "pt-br": "lista comandos", tlh: "tetlh", de: "Befehle\n".repeat(20) };
    const commands = [
      { name: "help", description: "list commands", descriptions },
      { name: "stop", description: "stop", descriptions: { tlh: "mev" } },
    ] as const;
    const adapter = createDiscordAdapter(config, adapterDeps({ id: accountId, store, commands }));
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    await host.until(() => server.commands.length === 2, "the commands are there");
    const [help, stop] = server.commands.map((one) => (one as Record<string, unknown>).description_localizations);
    const { de, ...others } = help as Readonly<Record<string, string>>;
    assert.deepEqual(others, { "sv-SE": "visa kommandon", "pt-BR": "lista comandos" });
    assert.equal(de?.length, 100);
    assert.equal(stop, undefined);
    await adapter.stop();
    await server.stop();
  });

  it("that Discord refuses keep nothing else from working", async () => {
    const { server, make, channel, ada } = await makeWorld();
    server.fail("putCommands", { kind: "answer", code: 400, effect: "none" });
    const host = new RecordingHost(30_000);
    const adapter = make();
    await adapter.start(host);
    channel.say(ada, "hello");
    await host.recorded(1);
    await adapter.stop();
    await server.stop();
  });

  it("come as messages, and their answer takes the place where Discord shows that we think", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada, files } = world;
    files.one = Buffer.from("one");
    const acknowledged = await channel.slash(ada, "model", { text: "large\u0000" });
    assert.equal(acknowledged.type, 5);
    const asked = messageOf((await host.recorded(1))[0]);
    assert.deepEqual([asked.markdown, asked.mentionsSelf], ["/model large\uFFFD", true]);
    const shown = channel.botMessages()[0];
    const beside = await adapter.send(message(channel.id, "beside"), signal);
    assert.notEqual(beside.messageId, shown?.id);
    const attachments = [{ ref: brandAs<never>("one"), mimeType: "text/plain", name: "one.txt" }];
    const answer = message(channel.id, "**done** @everyone", { replyTo: asked.messageId, attachments });
    const sent = await adapter.send(answer, signal);
    assert.equal(sent.messageId, shown?.id);
    const seen = channel.botMessages().find(({ id }) => id === sent.messageId);
    assert.deepEqual([seen?.text, seen?.files.length, seen?.flags], ["**done** @everyone", 1, 4]);
    await adapter.edit?.(sent, "later", signal);
    const next = await adapter.send(message(channel.id, "second", { replyTo: asked.messageId }), signal);
    assert.notEqual(next.messageId, sent.messageId);
  });

  it("tell the language of who uses them, which messages do not", async () => {
    await using world = await openWorld();
    const { host, channel, server } = world;
    const bob = server.user("bob", { locale: "sv-SE" });
    await channel.slash(bob, "help");
    channel.say(bob, "hello");
    const events = await host.recorded(2);
    assert.deepEqual(
      events.map(({ sender }) => sender.language),
      ["sv-SE", undefined],
    );
  });

  it("are answered in direct messages too, where an answer names no message", async () => {
    await using world = await openWorld();
    const { adapter, host, direct, ada } = world;
    await direct.slash(ada, "help");
    await host.recorded(1);
    const there = conversation(direct.id, { kind: "direct" });
    await adapter.send(message("", "I help", { conversation: there }), signal);
    assert.deepEqual(
      direct.botMessages().map(({ text }) => text),
      ["I help"],
    );
  });

  it("get one answer, also when the first outcome is unknown and a restart comes between", async () => {
    const { server, make, channel, ada } = await makeWorld();
    const host = new RecordingHost(30_000);
    const before = make();
    await before.start(host);
    await channel.slash(ada, "help");
    const replyTo = messageOf((await host.recorded(1))[0]).messageId;
    const answer = message(channel.id, "I help", { replyTo });
    server.fail("editOriginal", { kind: "drop", effect: "done" });
    assert.equal(await codeOf(before.send(answer, signal)), "unavailable");
    await before.stop();
    const after = make();
    await after.start(new RecordingHost(30_000));
    await after.send(answer, signal);
    assert.deepEqual(
      channel.botMessages().map(({ text }) => text),
      ["I help"],
    );
    await after.stop();
    await server.stop();
  });

  it("whose time is over are answered by an ordinary message", async () => {
    let now = Date.now();
    await using world = await openWorld({ now: () => now });
    const { adapter, host, channel, ada, server } = world;
    await channel.slash(ada, "help");
    const replyTo = messageOf((await host.recorded(1))[0]).messageId;
    now += 16 * 60_000;
    await adapter.send(message(channel.id, "late", { replyTo }), signal);
    assert.equal(server.calls.of("editOriginal").at(-1)?.status, 401);
    assert.ok(channel.botMessages().some(({ text }) => text === "late"));
    assert.equal(host.states.at(-1)?.status, "connected");
  });

  it("are acknowledged only after the host has them", async () => {
    await using world = await openWorld();
    const { host, channel, ada, server } = world;
    const release = host.hold();
    const answered = channel.slash(ada, "help");
    await host.until(() => host.offered.length === 1, "the command is offered");
    await host.calm();
    assert.equal(server.calls.of("answerInteraction").length, 0);
    release();
    assert.equal((await answered).type, 5);
  });

  it("of those who may not are refused where they alone see it", async () => {
    const { server, make, channel, ada } = await makeWorld();
    const adapter = make();
    await adapter.start(new StrictHost(5_000));
    const { type, data } = await channel.slash(ada, "stop");
    assert.deepEqual([type, data.flags, data.content], [4, 64, "This command is not for you."]);
    assert.deepEqual(channel.botMessages(), []);
    await adapter.stop();
    await server.stop();
  });
});

describe("buttons", () => {
  it("are a menu where there are more than five, are spent by a press, and go with an edit", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const choices = Array.from({ length: maxChoices }, (_, n) => ({
      id: `c-${n}`,
      label: `Choice\n${n} ${"x".repeat(90)}`,
    }));
    const sent = await adapter.send(message(channel.id, "Which?", { choices }), signal);
    const [shown] = channel.botMessages();
    assert.equal(shown?.buttons.length, maxChoices);
    assert.ok(
      shown?.buttons.every(({ label, isDisabled }) => label.length === 80 && label.endsWith("…") && !isDisabled),
    );
    await channel.press(ada, sent.messageId, "c-7");
    const [event] = await host.recorded(1);
    assert.deepEqual(event?.type === "action.invoked" && [event.actionId, event.messageId], ["c-7", sent.messageId]);
    assert.ok(channel.botMessages()[0]?.buttons.every(({ isDisabled, menu }) => isDisabled && menu !== undefined));
    assert.equal(event?.type === "action.invoked" && event.label, shown?.buttons[7]?.label);
    const marked = channel.botMessages()[0]?.buttons.filter(({ isChosen }) => isChosen);
    assert.deepEqual(
      marked?.map(({ id }) => id),
      ["c-7"],
    );
    assert.equal(channel.botMessages()[0]?.text, "Which?");
    await adapter.edit?.(sent, "Seven.", signal, [{ id: "undo", label: "Undo" }]);
    assert.deepEqual(channel.botMessages()[0]?.buttons, [
      { id: "undo", label: "Undo", isDisabled: false, isChosen: false },
    ]);
    await adapter.edit?.(sent, "Seven!", signal);
    assert.deepEqual(channel.botMessages()[0]?.buttons, []);
  });

  it("stay as they are for who may not press them", async () => {
    const { server, make, channel, ada } = await makeWorld();
    const adapter = make();
    const host = new StrictHost(5_000);
    await adapter.start(host);
    const sent = await adapter.send(message(channel.id, "Sure?", { choices: [{ id: "yes", label: "Yes" }] }), signal);
    assert.deepEqual((await channel.press(ada, sent.messageId, "yes")).data.content, "This button is not for you.");
    assert.deepEqual(channel.botMessages()[0]?.buttons, [
      { id: "yes", label: "Yes", isDisabled: false, isChosen: false },
    ]);
    host.refusal = "Only an owner can decide that.";
    const { flags, content } = (await channel.press(ada, sent.messageId, "yes")).data;
    assert.deepEqual([flags, content], [64, "Only an owner can decide that."]);
    await adapter.stop();
    await server.stop();
  });

  it("show what was chosen first, whoever presses what at the same time, and say so to who came too late", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada, server } = world;
    host.takesOnePress = true;
    const sent = await adapter.send(message(channel.id, "Which?", { choices: colours }), signal);
    const release = host.hold();
    const answers = Promise.all([
      channel.press(ada, sent.messageId, "green"),
      channel.press(server.user("bob"), sent.messageId, "black"),
    ]);
    release();
    const [first, second] = await answers;
    assert.deepEqual([first.type, second.type, second.data.flags], [7, 4, 64]);
    assert.equal(second.data.content, "This was answered already: Green");
    await host.calm();
    assert.deepEqual(channel.botMessages()[0]?.buttons, [
      { id: "green", label: "Green", isDisabled: true, isChosen: true },
      { id: "black", label: "Black", isDisabled: true, isChosen: false },
    ]);
    assert.equal(host.events.length, 1);
  });

  it("stay below a list of questions, a row for each, until the house shows what is left", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const choices = [1, 2].flatMap((n) => [
      { id: `approve-0000000${n}`, label: `Approve ${n}`, row: n },
      { id: `deny-0000000${n}`, label: `Deny ${n}`, row: n },
    ]);
    const sent = await adapter.send(message(channel.id, "Both?", { choices }), signal);
    const answers = [
      await channel.press(ada, sent.messageId, "approve-00000002"),
      await channel.press(ada, sent.messageId, "deny-00000001"),
    ];
    assert.deepEqual(
      answers.map(({ type }) => type),
      [6, 6],
    );
    await host.calm();
    assert.deepEqual(
      channel.botMessages()[0]?.buttons,
      choices.map(({ id, label }) => ({ id, label, isDisabled: false, isChosen: false })),
    );
    assert.equal(host.events.length, 2);
  });

  it("stay below one question, too: a press may decide nothing", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const choices = ["approve", "deny"].map((verb) => ({ id: `${verb}-00000001`, label: verb }));
    const sent = await adapter.send(message(channel.id, "May I?", { choices }), signal);
    assert.equal((await channel.press(ada, sent.messageId, "approve-00000001")).type, 6);
    await host.calm();
    assert.deepEqual(
      channel.botMessages()[0]?.buttons,
      choices.map(({ id, label }) => ({ id, label, isDisabled: false, isChosen: false })),
    );
    assert.equal(host.events.length, 1);
  });

  it("are disabled by an edit when the answer to a press came too late", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada, server } = world;
    const sent = await adapter.send(message(channel.id, "Which?", { choices: colours }), signal);
    server.fail("answerInteraction", { kind: "answer", code: 500, effect: "none" });
    void channel.press(ada, sent.messageId, "green");
    await host.until(() => channel.botMessages()[0]?.buttons[0]?.isChosen === true, "the choice is shown");
    assert.equal(channel.botMessages()[0]?.text, "Which?");
  });

  it("show the first choice after a crash that came before they could, and nothing that was chosen later", async () => {
    const { server, make, channel, ada } = await makeWorld();
    const before = make();
    const first = new RecordingHost(30_000);
    await before.start(first);
    const sent = await before.send(message(channel.id, "Which?", { choices: colours }), signal);
    server.fail("answerInteraction", { kind: "answer", code: 500, effect: "none" });
    server.fail("editMessage", { kind: "answer", code: 500, effect: "none" });
    void channel.press(ada, sent.messageId, "green");
    await first.until(() => server.calls.of("editMessage").length === 1, "the edit was tried");
    await before.stop();
    const host = new RecordingHost(30_000);
    host.accept = async () => "duplicate";
    const after = make();
    await after.start(host);
    await channel.press(ada, sent.messageId, "black");
    await host.until(() => channel.botMessages()[0]?.buttons[0]?.isChosen === true, "the choice is shown");
    await after.stop();
    await server.stop();
  });

  it("that Discord would refuse are refused before", async () => {
    await using world = await openWorld();
    const { adapter, channel, server } = world;
    const many = Array.from({ length: maxChoices + 1 }, (_, n) => ({ id: `${n}`, label: "x" }));
    const twice = [
      { id: "a", label: "x" },
      { id: "a", label: "y" },
    ];
    for (const choices of [many, twice, [{ id: "", label: "x" }]])
      assert.equal(
        await codeOf(
          adapter.send(message(channel.id, "m", { choices, deliveryKey: key(`${choices.length}`) }), signal),
        ),
        "invalid_request",
      );
    assert.equal(server.calls.of("createMessage").length, 0);
    const odd = await adapter.send(message(channel.id, "m", { choices: [{ id: "only-id", label: " \n" }] }), signal);
    assert.equal(channel.botMessages().find(({ id }) => id === odd.messageId)?.buttons[0]?.label, "only-id");
  });
});
