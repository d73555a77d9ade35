import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { GroupChat, PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, say } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:approvals";

describe("a call that needs somebody's approval, on Telegram", () => {
  let world: World;
  let team: GroupChat;
  let ada: ReturnType<World["telegram"]["user"]>;
  let mallory: ReturnType<World["telegram"]["user"]>;
  let graceUser: typeof ada;
  let chat: PrivateChat;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token }] },
      config: (telegram) => {
        ada = telegram.user({ first_name: "Ada" });
        graceUser = telegram.user({ first_name: "Grace" });
        mallory = telegram.user({ first_name: "Mallory" });
        team = telegram.group({ title: "Team", type: "supergroup", members: [ada, mallory] });
        chat = telegram.privateChat(ada);
        return `
owners: ["telegram:user:${ada.id}", "telegram:user:${graceUser.id}"]
policy:
  rules:
    - { ask: The time is a secret, tool: current_time }
    - { ask: The time is a secret, tool: current_time, in: group, as: owner }
    - { ask: The time is a secret, tool: current_time, in: group, as: guest }
accounts:
  bot:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: open, groups: open }
    groups: { activation: mention }
    sessions: { groups: conversation }
`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  /** What the model read of its calls, in its last request. */
  const results = () => world.model.requests.at(-1)?.toolResults ?? [];

  it("is asked for, survives a restart of everything, is given once, and the call runs once", async () => {
    world.plan.answer("what time is it?", callTool("current_time", {}), say("It is late."));
    chat.say(ada, "what time is it?");
    const question = await chat.waitForBotMessage(/May I /);
    assert.match(
      question.text,
      /^May I look at the clock\?[\s\S]*The time is a secret[\s\S]*An owner can decide within 60 minutes/,
    );
    const asked = world.model.requests.length;
    await world.talaria.stop();
    await world.talaria.begin();
    const press = chat.press(ada, question.id, "Approve");
    chat.press(ada, question.id, "Approve");
    await press.answer;
    await chat.waitForBotMessage("It is late.");
    assert.equal(world.model.requests.length, asked + 1);
    assert.equal(results().length, 1);
    assert.match(results()[0] ?? "", /UTC: 20/);
    await chat.waitForBotMessage("That was already approved by Ada.");
  });

  it("is refused for the wrong person, and denied with a reason that the model reads", async () => {
    world.plan.answer("tell us the time", callTool("current_time", {}), say("I may not."));
    team.say(mallory, "tell us the time", { mentionBot: true });
    const question = await team.waitForBotMessage(/May I /);
    const press = team.press(mallory, question.id, "Approve");
    assert.equal((await press.answer).text, "Only an owner can decide that.");
    const before = world.model.requests.length;
    team.say(ada, `/deny@${world.telegram.bots[0]?.user.username} not in front of strangers`);
    await team.waitForBotMessage("I may not.");
    assert.ok(
      team.botMessages().every(({ text }) => !text.includes("Only an owner can decide that")),
      "told once",
    );
    const isClosed = () => /✗ Denied by Ada$/.test(team.message(question.id)?.text ?? "");
    await waitFor(isClosed, "the end of the question");
    assert.deepEqual(team.message(question.id)?.buttons, []);
    assert.equal(world.model.requests.length, before + 1);
    assert.match(results()[0] ?? "", /^DENIED by Ada\. not in front of strangers\. Do not/);
  });

  it("is asked at an owner's home as well when no owner asked for it, and decided there", async () => {
    chat.say(ada, "/sethome");
    await chat.waitForBotMessage(/^I'll ask you here what only an owner may decide/);
    world.plan.answer("is it late?", callTool("current_time", {}), say("It is."));
    team.say(mallory, "is it late?", { mentionBot: true });
    const question = await chat.waitForBotMessage(/^Asked by Mallory in Team on bot:[\s\S]*May I /);
    chat.press(ada, question.id, "Approve");
    await team.waitForBotMessage("It is.");
    for (const place of [chat, team]) {
      const isEnd = ({ text }: { text: string }) => /May I [\s\S]*\?[\s\S]*✓ Approved by Ada$/.test(text);
      const end = await waitFor(() => place.botMessages().findLast(isEnd), "the end of the question in both places");
      assert.deepEqual(end.buttons, []);
    }
    assert.match(results()[0] ?? "", /UTC: 20/);
    chat.say(ada, "/sethome off");
    await chat.waitForBotMessage("I'll no longer ask you here.");
  });

  it("says that nobody was asked where no owner has a home, and is brought to the one that is named later", async () => {
    const alone = world.telegram.privateChat(mallory);
    world.plan.answer("what hour?", callTool("current_time", {}), say("A late one."));
    alone.say(mallory, "what hour?");
    const question = await alone.waitForBotMessage(
      /Only an owner can decide this, within 60 minutes, and I could ask nobody/,
    );
    const [, id = ""] = /\/approve ([0-9a-f]{8})/.exec(question.text) ?? [];
    chat.say(ada, "/approvals");
    await chat.waitForBotMessage(
      new RegExp(`Waiting for an owner in other conversations:[\\s\\S]*${id}, asked by Mallory`),
    );
    chat.say(ada, "/sethome");
    const brought = await chat.waitForBotMessage(new RegExp(`^Asked by Mallory in .*[\\s\\S]*/approve ${id}`));
    chat.press(ada, brought.id, "Approve");
    await alone.waitForBotMessage("A late one.");
    chat.say(ada, "/sethome off");
  });

  it("keeps nobody waiting: a message in between is answered at once, the approved call runs afterwards", async () => {
    const grace = world.telegram.privateChat(graceUser);
    world.plan.answer("and now?", callTool("current_time", {}));
    world.plan.answer("hello?", say("I still need your approval."));
    grace.say(graceUser, "and now?");
    const question = await grace.waitForBotMessage(/May I /);
    grace.say(graceUser, "hello?");
    await grace.waitForBotMessage("I still need your approval.");
    assert.match(results().join(), /^WAITING: \*\*May I look at the clock\?\*\*\n\nThe time is a secret/);
    world.plan.answer("this is its result", say("Now I know the time."));
    grace.press(graceUser, question.id, "Approve");
    await grace.waitForBotMessage("Now I know the time.");
    assert.match(
      world.model.requests.at(-1)?.lastUserText ?? "",
      /approved by Grace, and this is its result:<\/note>\n<untrusted>[\s\S]*UTC: 20/,
    );
  });
});
