import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type SlackServer, startSlackServer } from "@talaria/adapter-slack/emulator";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, say } from "@talaria/testkit";
import { longestWaitMs, waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

describe("a message to another conversation, on another platform", () => {
  let slack: SlackServer;
  let room: ReturnType<SlackServer["channel"]>;
  let world: World;
  let owner: PrivateChat;
  let member: PrivateChat;

  before(async () => {
    slack = await startSlackServer({ redelivery: { pausesMs: [300, 1_000, 3_000, 9_000] } });
    room = slack.channel("general");
    world = await startWorld({
      config: (telegram) => {
        owner = telegram.privateChat(telegram.user({ first_name: "Ada" }));
        member = telegram.privateChat(telegram.user({ first_name: "Grace" }));
        return `
owners: ["telegram:user:${owner.person.id}"]
sandbox: { backend: "off" }
policy: { rules: [{ allow: members may write, tool: send_message, as: member }] }
accounts:
  main: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { allow: ["telegram:user:${member.person.id}"] } }
  team: { platform: slack, botToken: "${slack.botToken}", appToken: "${slack.appToken}", apiRoot: "${slack.api}", access: { direct: open, groups: open } }
`;
      },
    });
    await waitFor(async () => (await world.talaria.connectionOf("team")) === "connected", "Slack's connection");
    const ada = slack.user("ada");
    room.say(ada, "is anybody here?", { mentionBot: true });
    await room.waitForBotMessage(/is anybody here/, longestWaitMs);
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await slack?.stop();
  });

  const results = () => world.model.requests.at(-1)?.toolResults ?? [];
  const heard = (text: string) => room.botMessages().filter((message) => message.text.includes(text));

  it("goes out once after its owner agreed, since names of strangers were read, and is known there", async () => {
    const to = `slack:group:${room.id}`;
    const send = callTool("send_message", { to, text: "Lunch is at noon." });
    world.plan.answer("tell the team", callTool("find_conversations", {}), send, say("Told."));
    owner.say(owner.person, "tell the team about lunch");
    const question = await owner.waitForBotMessage("May I do this?", longestWaitMs);
    assert.match(question.text, new RegExp(`Untrusted content[\\s\\S]*${to}[\\s\\S]*Lunch is at noon`));
    assert.match(results()[0] ?? "", new RegExp(`<untrusted>[\\s\\S]*${to} \\(account team\\)`));
    assert.equal(heard("Lunch").length, 0);
    owner.press(owner.person, question.id, "Approve");
    await owner.waitForBotMessage("Told.", longestWaitMs);
    const told = await room.waitForBotMessage(/Lunch is at noon/, longestWaitMs);
    assert.match(results().at(-1) ?? "", /on its way/);
    room.say(slack.user("grace"), "which lunch?", { thread: told.ts, mentionBot: true });
    const request = await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes("which lunch?"));
    assert.match(
      request.lastUserText,
      /<overheard[^>]*from another conversation[\s\S]*Lunch is at noon[\s\S]*which lunch\?/,
    );
    assert.equal(heard("Lunch is at noon").length, 1);
  });

  it("is refused to a member who has not written there", async () => {
    const to = `slack:group:${room.id}`;
    world.plan.answer("annoy them", callTool("send_message", { to, text: "Boo." }), say("I can't."));
    member.say(member.person, "annoy them");
    await member.waitForBotMessage("I can't.", longestWaitMs);
    assert.match(results().at(-1) ?? "", /no such conversation that everyone who asks may reach/);
    assert.equal(heard("Boo").length, 0);
  });
});
