import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, say } from "@talaria/testkit";
import { longestWaitMs } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:skills";

describe("the operator's skills", () => {
  let world: World;
  let chat: PrivateChat;
  let ada: ReturnType<World["telegram"]["user"]>;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token }] },
      config: (telegram) => {
        ada = telegram.user({ first_name: "Ada" });
        chat = telegram.privateChat(ada);
        return `
owners: ["telegram:user:${ada.id}"]
sandbox: { backend: "off" }
leases: { sessionMs: 1000 }
accounts:
  bot: { platform: telegram, token: "${token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const asks = async (text: string, answer: string) => {
    world.plan.answer(text, callTool("skill", { name: "tidy" }), say(answer));
    chat.say(ada, text);
    await chat.waitForBotMessage(answer, longestWaitMs);
    const request = world.model.requests.at(-1);
    assert.ok(request);
    return { request: JSON.stringify(request.body), result: request.toolResults.at(-1) };
  };

  it("are a stranger's words until the operator accepts them, and again after a change", async () => {
    const folder = join(world.talaria.home, "skills", "tidy");
    const write = (body: string) =>
      writeFile(join(folder, "SKILL.md"), `---\nname: tidy\ndescription: Tidies photos.\n---\n${body}\n`);
    await mkdir(folder, { recursive: true });
    await write("Sort by day.");
    assert.match(await world.talaria.talaria("skills"), /^"tidy" {2}not accepted {2}[0-9a-f]{12} {2}"Tidies photos\."/);
    const before = await asks("/tidy my photos", "Sorted once.");
    assert.match(before.result ?? "", /^<untrusted>\nSort by day\.\n<\/untrusted>/);
    assert.match(before.request, /a stranger's words: tidy/);
    assert.match(before.request, /The message asks for the skill tidy/);

    assert.match(
      await world.talaria.talaria("skills", "accept", "tidy"),
      /^"tidy": nothing to remark\naccepted: tidy /,
    );
    assert.equal((await asks("tidy them again", "Sorted twice.")).result, "Sort by day.");
    chat.say(ada, "/new");
    await chat.waitForBotMessage(/^Starting a new conversation/, longestWaitMs);
    assert.match((await asks("and in a new conversation", "Sorted anew.")).request, /- tidy: Tidies photos\./);

    await write("Sort by month.");
    assert.match((await asks("once more", "Sorted last.")).result ?? "", /^<untrusted>\nSort by month\./);

    assert.equal((await world.talaria.talaria("skills", "remove", "tidy")).trim(), "removed: tidy");
    assert.match(await world.talaria.talaria("skills"), /^there are no skills: put one into /);
    world.plan.answer("without it", say("Nothing to read."));
    chat.say(ada, "without it");
    await chat.waitForBotMessage("Nothing to read.", longestWaitMs);
    assert.equal(
      world.model.requests.at(-1)?.tools.some((tool) => tool.function.name === "skill"),
      false,
    );
  });
});
