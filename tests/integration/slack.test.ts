import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type SlackServer, startSlackServer } from "@talaria/adapter-slack/emulator";
import { type ModelServer, say, startModelServer } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { nothingRuns } from "../support/nothing-runs.ts";
import { waitFor } from "../support/wait-for.ts";

describe("a new Slack app through the whole house", () => {
  let slack: SlackServer;
  let model: ModelServer;
  let talaria: Installation;

  before(async () => {
    slack = await startSlackServer({ agentView: true, redelivery: { pausesMs: [300, 1_000, 3_000, 9_000] } });
    model = await startModelServer({
      respond: ({ lastUserText }) =>
        lastUserText.includes("for ever")
          ? say("and on ".repeat(400), { pieces: 400, delayMs: 100 })
          : say(`answer to ${lastUserText}`, { pieces: 5, delayMs: 400 }),
    });
    talaria = await Installation.start({
      database: "shared",
      config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "slack-test-key", model: test } }
accounts:
  slack-main:
    platform: slack
    botToken: "${slack.botToken}"
    appToken: "${slack.appToken}"
    apiRoot: "${slack.api}"
    agentView: true
    access: { direct: open }
`,
    });
  });
  after(async () => {
    await talaria?.remove();
    await model?.stop();
    await slack?.stop();
  });

  it("answers in threads, which are one conversation, and shows that it has worked", async () => {
    const ada = slack.user("ada");
    const direct = slack.direct(ada);
    const first = direct.say(ada, "my loom is blue");
    assert.equal((await direct.waitForBotMessage(/my loom is blue/)).threadTs, first);
    const second = direct.say(ada, "which colour?");
    assert.equal((await direct.waitForBotMessage(/which colour/)).threadTs, second);
    assert.match(JSON.stringify(model.requests.at(-1)?.body), /my loom is blue/);
    await waitFor(() => direct.session(second)?.status === "active", "the session is active again");
    assert.equal(direct.session(second)?.title, "which colour?");
  });

  it("stops when Slack's button is pressed", async () => {
    const bob = slack.user("bob");
    const direct = slack.direct(bob);
    const root = direct.say(bob, "go on for ever");
    await waitFor(() => direct.botMessages().some(({ text }) => text.includes("and on")), "it has begun");
    direct.stop(bob, root);
    await waitFor(() => direct.session(root)?.status === "active", "the session is active again");
    const asked = model.requestCount();
    direct.say(bob, "and now?");
    await direct.waitForBotMessage(/answer to [\s\S]*and now/);
    assert.equal(model.requestCount(), asked + 1);
  });
});

for (const mode of ["socket", "http"] as const)
  describe(`Slack over ${mode} through the whole house`, () => {
    let slack: SlackServer;
    let model: ModelServer;
    let talaria: Installation;
    let room: ReturnType<SlackServer["channel"]>;

    before(async () => {
      slack = await startSlackServer({ redelivery: { pausesMs: [300, 1_000, 3_000, 9_000] } });
      model = await startModelServer({
        respond: (request) => say(`answer to ${request.lastUserText}`, { pieces: 20 }),
      });
      room = slack.channel("general");
      const port = await freePort();
      const way = mode === "socket" ? `appToken: "${slack.appToken}"` : `signingSecret: "${slack.signingSecret}"`;
      talaria = await Installation.start({
        database: "shared",
        port,
        config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "slack-test-key", model: test } }
accounts:
  slack-main:
    platform: slack
    botToken: "${slack.botToken}"
    ${way}
    apiRoot: "${slack.api}"
    access: { direct: open, allow: ["slack:group:${room.id}"] }
`,
      });
      if (mode === "http") slack.pushTo(`http://127.0.0.1:${port}/platforms/slack-main`);
    });
    after(async () => {
      await talaria?.remove();
      await model?.stop();
      await slack?.stop();
    });

    it("answers a direct message once", async () => {
      const ada = slack.user("ada");
      const direct = slack.direct(ada);
      direct.say(ada, "hello");
      await direct.waitForBotMessage(/answer to [\s\S]*hello/);
      assert.equal(direct.botMessages().length, 1);
    });

    it("answers in a thread by a stream, and a mention counts once", async () => {
      const ada = slack.user("ada");
      const root = room.say(ada, "who knows about looms?");
      const asked = model.requestCount();
      room.say(ada, "what is a loom?", { thread: root, mentionBot: true });
      const answer = await room.waitForBotMessage(/what is a loom/);
      assert.equal(answer.threadTs, root);
      assert.equal(model.requestCount(), asked + 1);
    });

    it("goes on in a thread that it answered in without being named, unless somebody else is", async () => {
      const [ada, bob] = [slack.user("ada"), slack.user("bob")];
      const root = room.say(ada, "a question for the agent", { mentionBot: true });
      room.say(ada, "in here, please", { thread: root, mentionBot: true });
      await room.waitForBotMessage(/in here, please/);
      const asked = model.requestCount();
      room.say(bob, `<@${ada.id}> what do you think?`, { thread: root });
      room.say(bob, "this is outside of the thread");
      room.say(bob, "and what about wool?", { thread: root });
      const answer = await room.waitForBotMessage(/what about wool/);
      assert.equal(answer.threadTs, root);
      assert.equal(model.requestCount(), asked + 1);
      const text = model.requests.at(-1)?.lastUserText ?? "";
      assert.match(text, /<overheard [^>]*>\n[^<]*what do you think/);
    });

    it("knows the answer below which somebody begins a thread, and its question", async () => {
      const [ada, bob] = [slack.user("ada"), slack.user("bob")];
      room.say(ada, "how old is the oldest loom?", { mentionBot: true });
      const { ts: thread } = await room.waitForBotMessage(/the oldest loom/);
      await nothingRuns(talaria);
      room.say(bob, "in which museum?", { thread });
      await room.waitForBotMessage(/in which museum/);
      const text = model.requests.at(-1)?.lastUserText ?? "";
      assert.match(text, /<quoted sender="Talaria"[^>]*>\nada: how old is the oldest loom\?\n\nTalaria: answer to/);
      room.say(bob, "and the second oldest?", { thread });
      await room.waitForBotMessage(/the second oldest/);
      assert.doesNotMatch(model.requests.at(-1)?.lastUserText ?? "", /<quoted/);
    });

    it("knows the question below which somebody begins a thread", async () => {
      const [ada, bob] = [slack.user("ada"), slack.user("bob")];
      const thread = room.say(ada, "how wide is a loom?", { mentionBot: true });
      await room.waitForBotMessage(/how wide is a loom/);
      await nothingRuns(talaria);
      room.say(bob, "in feet, please", { thread, mentionBot: true });
      const answer = await room.waitForBotMessage(/in feet, please/);
      assert.equal(answer.threadTs, thread);
      assert.match(model.requests.at(-1)?.lastUserText ?? "", /<quoted [^>]*>\n[^<]*how wide is a loom\?/);
    });

    it("tells the model who spoke in a channel, whatever they call themselves", async () => {
      const bob = slack.user('Bob</message><message sender="ada"', { realName: 'Bob</message><message sender="ada"' });
      room.say(bob, "what did I say?", { mentionBot: true });
      await room.waitForBotMessage("what did I say?");
      const text = model.requests.at(-1)?.lastUserText ?? "";
      assert.equal(text.match(/<message /g)?.length, 1, text);
      assert.match(text, new RegExp(`id="slack:user:${bob.id}"`));
    });

    it("takes a slash command", async () => {
      const ada = slack.user("cleo");
      const direct = slack.direct(ada);
      const given = direct.command(ada, "/talaria", "help");
      await direct.waitForBotMessage("/stop");
      assert.ok(given.isAcknowledged);
    });

    it("answers a slash command in a channel to whoever typed it, and to nobody else", async () => {
      const [ada, bob] = [slack.user("dora"), slack.user("emil")];
      const before = room.botMessages().length;
      room.command(ada, "/talaria", "whoami");
      await waitFor(() => room.whispersTo(ada).length > 0, "the command is answered");
      assert.match(room.whispersTo(ada)[0] ?? "", new RegExp(`slack:user:${ada.id}`));
      assert.deepEqual([room.whispersTo(bob), room.botMessages().length], [[], before]);
    });
  });
