import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, type ModelRequest, say } from "@talaria/testkit";
import { nothingRuns } from "../support/nothing-runs.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:kept-facts";

describe("what is kept beyond conversations, with memory on and then off", () => {
  let world: World;
  let chat: PrivateChat;
  let person: string;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token }] },
      config: (telegram) => {
        const ada = telegram.user({ first_name: "Ada" });
        chat = telegram.privateChat(ada);
        person = `telegram/${ada.id}`;
        return `
accounts:
  telegram:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: pairing, allow: ["telegram:user:${ada.id}"] }
`;
      },
    });
  });
  after(() => world?.[Symbol.asyncDispose]());

  async function ask(text: string, answer: string | RegExp) {
    const { messageId } = chat.say(chat.person, text);
    const matches = (said: string) => (typeof answer === "string" ? said.includes(answer) : answer.test(said));
    const found = await chat.waitForBotMessage(({ text: said, id }) => matches(said) && id > messageId);
    await nothingRuns(world.talaria);
    return found.text;
  }

  async function exported(): Promise<string> {
    const before = chat.botMessages().length;
    chat.say(chat.person, "/memory export");
    const found = await waitFor(
      () =>
        chat
          .botMessages()
          .slice(before)
          .find(({ media }) => media?.name === "memory.md"),
      "the file",
    );
    return Buffer.from(found.media?.bytes ?? []).toString();
  }

  function requestWith(words: string): ModelRequest {
    const request = world.model.requests.find(({ lastUserText }) => lastUserText.includes(words));
    assert.ok(request, words);
    return request;
  }

  const toolsOf = (request: ModelRequest) => JSON.stringify(request.body.tools ?? []);

  it("is exported to the person as a file, and to the operator", async () => {
    for (const text of ["likes tables", "lives in Oslo"]) {
      world.plan.answer(`remember: ${text}`, callTool("memory", { action: "add", text }), say(`Kept: ${text}.`));
      await ask(`remember: ${text}`, `Kept: ${text}`);
    }
    assert.match(toolsOf(requestWith("remember: likes tables")), /"memory"/);
    await ask("/new", /Starting a new/);
    await ask("who am I", "echo: who am I");
    assert.match(JSON.stringify(requestWith("who am I").messages), /likes tables/);
    const file = await exported();
    assert.match(file, /2 facts that I know, and 0 facts in the archive/);
    assert.match(file, /`likes tables`\n\n- about: you\n- taught by: `\d+` “Ada”\n- said in: `\d+`/);
    assert.equal(await world.talaria.talaria("memory", "export", person), file);
    assert.equal(await world.talaria.talaria("memory", "export", "Ada"), file);
    const listed = JSON.parse(await world.talaria.talaria("memory", "export", person, "--json"));
    assert.deepEqual(
      listed.map(({ fact }: { readonly fact: { readonly text: string } }) => fact.text),
      ["likes tables", "lives in Oslo"],
    );
    await assert.rejects(world.talaria.talaria("memory", "export", "Eve"), /nobody is known as "Eve"/);
  });

  it("is neither known nor added to where it is off, and still listed, exported and deleted", async () => {
    await world.talaria.stop();
    const file = join(world.talaria.home, "config.yaml");
    await writeFile(file, `${await readFile(file, "utf8")}\nmemory: { enabled: false }\n`);
    await world.talaria.begin();

    await ask("and who am I now", "echo: and who am I now");
    await ask("/new", /Starting a new/);
    world.plan.answer(
      "remember the canary",
      callTool("memory", { action: "add", text: "has a canary" }),
      callTool("recall", {}),
      say("I can't."),
    );
    await ask("remember the canary", "I can't.");
    for (const words of ["and who am I now", "remember the canary"]) {
      const request = requestWith(words);
      assert.doesNotMatch(JSON.stringify(request.messages), /likes tables|What you remember/, words);
      assert.doesNotMatch(toolsOf(request), /"memory"|"recall"/, words);
    }

    const listed = await ask("/memory", /is off/);
    assert.match(listed, /An operator turns it on with .*enabled: true/);
    assert.match(listed, /likes tables[\s\S]*lives in Oslo/);
    assert.doesNotMatch(listed, /canary/);
    assert.match(await exported(), /`lives in Oslo`/);
    const numberOf = (text: string) => new RegExp(`(\\d+) “${text}”`).exec(listed)?.[1] ?? "";
    const [oslo, tables] = [numberOf("lives in Oslo"), numberOf("likes tables")];
    await ask(`/memory correct ${oslo} lives in Rome`, /Nothing was corrected, since my memory/);
    await ask(`/memory forget ${oslo}`, /Forgotten: “lives in Oslo”/);
    assert.match(await world.talaria.talaria("memory", "--person", person), /^\d+ .*"likes tables"/);
    assert.match(await world.talaria.talaria("memory", "remove", tables), /^removed: \d+ .*"likes tables"/);
    await assert.rejects(world.talaria.talaria("memory", "remove", tables), /nothing is kept under "\d+"/);
    await ask("/memory", /is off[\s\S]*I keep nothing of you/);
    assert.match(await world.talaria.talaria("memory"), /nothing is kept that fits/);
  });
});
