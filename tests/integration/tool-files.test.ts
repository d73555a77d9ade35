import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, say } from "@talaria/testkit";
import { longestWaitMs, waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:toolfiles";

function greeting(word: string): string {
  return `import { z } from "zod";
export default {
  name: "greet",
  description: "Greets somebody.",
  input: z.object({ name: z.string() }),
  effect: "read",
  run: ({ name }: { name: string }) => \`${word}, \${name}!\`,
};`;
}

const ledger = `export default {
  name: "ledger",
  description: "Books an amount.",
  input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  effect: "write",
  run: ({ amount }: { amount: number }) => "booked " + amount,
};`;

describe("the operator's tool files", () => {
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
agent: { toolTokens: 0 }
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

  const put = async (name: string, text: string) => {
    await mkdir(join(world.talaria.home, "tools"), { recursive: true });
    await writeFile(join(world.talaria.home, "tools", name), text);
  };
  const results = () => world.model.requests.at(-1)?.toolResults ?? [];

  it("are the agent's tools from the next turn on, also when they change, and a broken one is reported", async () => {
    await put("greet.ts", greeting("Hello"));
    await put("broken.ts", "export default {");
    world.plan.answer("greet Grace", callTool("greet", { name: "Grace" }), say("Done once."));
    chat.say(ada, "greet Grace");
    await chat.waitForBotMessage("Done once.", longestWaitMs);
    assert.equal(results().at(-1), "Hello, Grace!");
    const status = await waitFor(async () => {
      const text = await world.talaria.talaria("status");
      return text.includes("tool file") ? text : undefined;
    }, "the broken file in the status");
    assert.match(status, /^tool file broken\.ts skipped: /m);
    assert.doesNotMatch(status, /greet/);

    await put("greet.ts", greeting("Good evening"));
    await rm(join(world.talaria.home, "tools", "broken.ts"));
    world.plan.answer("greet Grace again", callTool("greet", { name: "Grace" }), say("Done twice."));
    chat.say(ada, "greet Grace again");
    await chat.waitForBotMessage("Done twice.", longestWaitMs);
    assert.equal(results().at(-1), "Good evening, Grace!");
    await waitFor(async () => !(await world.talaria.talaria("status")).includes("tool file"), "a status without it");
  });

  it("are asked about when they change something, and shown with their name and input, also when they were looked for", async () => {
    await put("ledger.ts", ledger);
    world.plan.answer(
      "book it",
      callTool("find_tools", { query: "book an amount" }),
      callTool("call_tool", { name: "ledger", input: { amount: 12 } }),
      say("It is booked."),
    );
    const said = chat.say(ada, "book it");
    const question = await chat.waitForBotMessage(/May I /, longestWaitMs);
    assert.match(question.text, /use the tool ledger[\s\S]*12/);
    chat.press(ada, question.id, "Approve");
    await chat.waitForBotMessage("It is booked.", longestWaitMs);
    assert.equal(results().at(-1), "booked 12");
    const shown = JSON.stringify(world.model.requests.at(-1)?.tools);
    assert.ok(shown.includes("find_tools") && !shown.includes("ledger"), shown);
    const read = world.model.requests.flatMap(({ toolResults }) => toolResults).join();
    assert.match(read, /"name":"ledger","description":"Books an amount\."/);
    const trace = await world.talaria.talaria("trace", `u${said.updateId}`);
    assert.match(trace, /ledger/);
    assert.doesNotMatch(trace, /call_tool/);
  });
});
