import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type SlackServer, startSlackServer } from "@talaria/adapter-slack/emulator";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { hold, say } from "@talaria/testkit";
import { nothingRuns } from "../support/nothing-runs.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:memories";

describe("what the agent remembers of a conversation, and people change", () => {
  let world: World;
  let slack: SlackServer;
  let chat: PrivateChat;
  let room: ReturnType<SlackServer["channel"]>;
  let people: Record<"ada" | "boss", ReturnType<SlackServer["user"]>>;

  before(async () => {
    slack = await startSlackServer({ redelivery: { pausesMs: [300, 1_000, 3_000, 9_000] } });
    room = slack.channel("general");
    people = { ada: slack.user("ada"), boss: slack.user("boss") };
    world = await startWorld({
      telegram: { bots: [{ token }] },
      config: (telegram) => {
        chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
        return `
owners: ["slack:user:${people.boss.id}"]
accounts:
  telegram:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: open }
  slack:
    platform: slack
    botToken: "${slack.botToken}"
    appToken: "${slack.appToken}"
    apiRoot: "${slack.api}"
    access: { direct: open, allow: ["slack:group:${room.id}", "slack:user:${people.ada.id}"] }
    sessions: { groups: conversation }
`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await slack?.stop();
  });

  /** What the model was shown with the last words that people wrote. */
  function shownWith(words: string): string {
    const request = world.model.requests.findLast(({ lastUserText }) => lastUserText.includes(words));
    assert.ok(request, `the model was asked: ${words}`);
    return JSON.stringify(request.messages);
  }

  async function restart(): Promise<void> {
    await world.talaria.stop();
    await world.talaria.begin();
  }

  it("is branched, taken back and resumed on Telegram, over restarts", async () => {
    const ada = chat.person;
    const ask = async (text: string) => {
      const asked = chat.say(ada, text);
      await chat.waitForBotMessage(`echo: ${text}`);
      await nothingRuns(world.talaria);
      return asked;
    };
    const command = async (text: string, answer: RegExp, options: Parameters<typeof chat.say>[2] = {}) => {
      const { messageId } = chat.say(ada, text, options);
      return await chat.waitForBotMessage((message) => answer.test(message.text) && message.id > messageId);
    };
    await ask("apples are red");
    const pears = await ask("pears are green");
    await ask("plums are blue");

    await command("/undo", /Taken back.*\n\n.*“plums are blue”[\s\S]*Files stay as they are/);
    await restart();
    await ask("what do you know");
    assert.match(shownWith("what do you know"), /apples are red.*pears are green/);
    assert.doesNotMatch(shownWith("what do you know"), /plums/);

    await command("/branch", /everything up to “pears are green”.*\/resume 1/, { replyTo: pears.messageId });
    await ask("in the branch");
    assert.doesNotMatch(shownWith("in the branch"), /what do you know/);
    await restart();
    await ask("still in the branch");
    assert.match(shownWith("still in the branch"), /pears are green.*in the branch/);

    await command("/title Fruit", /The title is now “Fruit”/);
    const list = await command("/resume", /What I remember here/);
    assert.match(list.text, /2 “Fruit”: 4 turns, last used .*, this one\n.*1 “apples are red”: 3 turns/);
    await command("/resume 1", /Going on with “apples are red” \(1\)/);
    await restart();
    await ask("and back again");
    assert.match(shownWith("and back again"), /pears are green.*what do you know/);
    assert.doesNotMatch(shownWith("and back again"), /in the branch/);

    await command("/new", /Starting a new conversation/);
    await ask("a new beginning");
    assert.doesNotMatch(shownWith("a new beginning"), /pears/);
    await command("/resume fruit", /Going on with “Fruit” \(2\)/);
    await command("/context", /I don't know yet|My window is/);
    await command("/compact", /too little to compress: .* takes \d+ of/);
    await ask("fruit again");
    assert.match(shownWith("fruit again"), /still in the branch/);
  });

  it("is not changed while an answer is under way: it has to be stopped first", async () => {
    const ada = chat.person;
    world.plan.answer("a long story", [...say("Once upon a time", { pieces: 1 }), ...hold(new Promise(() => {}))]);
    chat.say(ada, "a long story");
    await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes("a long story"));
    chat.say(ada, "/undo");
    await chat.waitForBotMessage(/Nothing was done, since I'm at work/);
    chat.say(ada, "/stop");
    await chat.waitForBotMessage("Once upon a time …");
    chat.say(ada, "/undo");
    await chat.waitForBotMessage(/Taken back[\s\S]*“a long story”/);
    chat.say(ada, "after the story");
    await chat.waitForBotMessage("echo: after the story");
    await nothingRuns(world.talaria);
    assert.doesNotMatch(shownWith("after the story"), /a long story|Once upon/);
  });

  it("belongs to all in a Slack channel: a member takes back a member's words, and not an owner's", async () => {
    const { ada, boss } = people;
    const tell = async (who: typeof ada, text: string, answer: RegExp) => {
      room.say(who, text, { mentionBot: true });
      await room.waitForBotMessage(answer);
      await nothingRuns(world.talaria);
    };
    await tell(boss, "looms are for weaving", /echo: [\s\S]*looms are for weaving/);
    await tell(ada, "wool is soft", /echo: [\s\S]*wool is soft/);
    await tell(ada, "/undo 2", /Only an owner can take this back, since an owner asked it: “looms are for weaving”/);
    await tell(ada, "/undo", /Taken back[\s\S]*“wool is soft”/);
    await restart();
    await tell(ada, "what is there", /echo: [\s\S]*what is there/);
    assert.match(shownWith("what is there"), /looms are for weaving/);
    assert.doesNotMatch(shownWith("what is there"), /wool is soft/);
    await tell(ada, "/branch looms", /everything up to “looms are for weaving”/);
    await tell(boss, "/undo", /Taken back[\s\S]*“looms are for weaving”/);
    await tell(ada, "is it empty", /echo: [\s\S]*is it empty/);
    assert.doesNotMatch(shownWith("is it empty"), /looms are/);
    await tell(ada, "/resume 1", /Going on with “looms are for weaving”/);
    await tell(ada, "is it full", /echo: [\s\S]*is it full/);
    assert.match(shownWith("is it full"), /looms are for weaving.*what is there/);
  });
});
