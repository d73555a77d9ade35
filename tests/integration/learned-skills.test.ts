import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, say } from "@talaria/testkit";
import { nothingRuns } from "../support/nothing-runs.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:learned";
const proposal = { name: "deploy", description: "Deploys the shop.", body: "Build first, then restart." };

describe("a skill that the agent has learnt", () => {
  let world: World;
  let ada: PrivateChat;
  let bob: PrivateChat;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token }] },
      config: (telegram) => {
        ada = telegram.privateChat(telegram.user({ first_name: "Ada" }));
        bob = telegram.privateChat(telegram.user({ first_name: "Bob" }));
        const people = [ada, bob].map(({ person }) => `"telegram:user:${person.id}"`);
        return `
owners: [${people[0]}]
sandbox: { backend: "off" }
accounts:
  bot: { platform: telegram, token: "${token}", apiRoot: "${telegram.apiRoot}", access: { direct: pairing, allow: [${people.join(", ")}] } }
`;
      },
    });
  });
  after(() => world?.[Symbol.asyncDispose]());

  /** What the model was sent last, and what its last call brought. */
  async function asks(chat: PrivateChat, text: string, ...steps: readonly ReturnType<typeof callTool>[]) {
    const answer = `Answer to ${text}`;
    world.plan.answer(text, ...steps, say(answer));
    const { messageId } = chat.say(chat.person, text);
    await chat.waitForBotMessage((found) => found.text.includes(answer) && found.id > messageId);
    await nothingRuns(world.talaria);
    const request = world.model.requests.at(-1);
    assert.ok(request);
    return { request: JSON.stringify(request.body), result: request.toolResults.at(-1) ?? "" };
  }
  const begins = async (chat: PrivateChat, text: string) => {
    const { messageId } = chat.say(chat.person, "/new");
    await chat.waitForBotMessage((found) => found.text.startsWith("Starting a new") && found.id > messageId);
    return await asks(chat, text);
  };
  const reads = callTool("skill", { name: "deploy" });
  const { talaria } = { talaria: (...args: readonly string[]) => world.talaria.talaria(...args) };

  it("is used elsewhere once an owner has accepted it, goes back to an earlier version, and is gone", async () => {
    const learnt = await asks(ada, "keep that", callTool("write_skill", proposal));
    assert.match(learnt.result, /^Kept as the skill deploy, version 1\./);
    assert.match(
      (await ada.waitForBotMessage(/^I have learnt a skill: deploy\./)).text,
      /talaria skills show deploy 1 .*talaria skills accept deploy 1 /,
    );
    assert.match((await asks(ada, "read it", reads)).result, /^<untrusted>\nBuild first, then restart\./);
    assert.doesNotMatch((await begins(bob, "how do we deploy")).request, /"skill"|Deploys the shop|# Skills/);

    assert.match(
      await talaria("skills"),
      /^"deploy" {2}not accepted {2}[0-9a-f]{12} {2}"Deploys the shop\." {2}\(version 1, written by the agent in "bot\/\d+" for "Ada" on [0-9-]{10}; used once\)/,
    );
    assert.match(
      await talaria("skills", "show", "deploy"),
      /\n--- "SKILL\.md"\n---\n[\s\S]*\nBuild first, then restart\.\n/,
    );
    assert.match(await talaria("skills", "accept", "deploy", "1"), /\naccepted: deploy [0-9a-f]{12}, version 1\. /);
    const { messageId } = bob.say(bob.person, "/learned");
    const learned = await bob.waitForBotMessage(({ text, id }) => text.includes("deploy") && id > messageId);
    assert.match(learned.text, /• deploy \([0-9-]{10}, accepted by an owner\)/);
    assert.match(await talaria("learned"), /^skill "deploy" {2}accepted .* {2}talaria skills remove deploy$/m);
    assert.match((await begins(bob, "and now")).request, /- deploy: Deploys the shop\./);
    assert.equal((await asks(bob, "read it too", reads)).result, "Build first, then restart.");

    // What was read of it before counts as a stranger's words until then.
    await begins(ada, "something new");
    await asks(ada, "we test first", callTool("write_skill", { ...proposal, body: "Test, build, restart." }));
    assert.match((await asks(ada, "read it again", reads)).result, /^<untrusted>\nTest, build, restart\./);
    assert.equal((await asks(bob, "read it once more", reads)).result, "Build first, then restart.");
    await talaria("skills", "accept", "deploy");
    assert.equal((await asks(bob, "read the second", reads)).result, "Test, build, restart.");

    assert.match(await talaria("skills", "rollback", "deploy"), /^rolled back: deploy to version 1\. It was accepted/);
    assert.equal((await asks(bob, "read the first", reads)).result, "Build first, then restart.");
    await assert.rejects(talaria("skills", "rollback", "deploy"), /has no earlier version: there are 1, 2/);

    assert.equal((await talaria("skills", "remove", "deploy")).trim(), "removed: deploy");
    assert.doesNotMatch((await begins(ada, "what is left")).request, /deploy/);
    assert.match(await talaria("skills"), /^there are no skills: put one into /);
  });
});
