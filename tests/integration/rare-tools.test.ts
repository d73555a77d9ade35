import assert from "node:assert/strict";
import { it } from "node:test";
import { callTool, say } from "@talaria/testkit";
import { longestWaitMs } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const token = "700000001:raretools";

it("rare tools are found and called in one turn, in a later one, after the worker's death, and never by guests", async () => {
  let owner = 0;
  await using world = await startWorld({
    telegram: { bots: [{ token }] },
    config: (telegram) => {
      owner = telegram.user({ first_name: "Ada" }).id;
      return `
owners: ["telegram:user:${owner}"]
sandbox: { backend: "off" }
leases: { sessionMs: 1000 }
accounts:
  bot: { platform: telegram, token: "${token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`;
    },
  });
  const { telegram, plan, model, talaria } = world;
  const ada = telegram.user({ id: owner, first_name: "Ada" });
  const guest = telegram.user({ first_name: "Eve" });
  const shown = () => model.requests.at(-1)?.tools.map(({ function: { name } }) => name) ?? [];
  /** What the calls brought. */
  const ask = async (who: typeof ada, words: string, ...calls: ReturnType<typeof callTool>[]) => {
    const before = model.requests.length;
    plan.answer(words, ...calls, say(`Done: ${words}.`));
    const chat = telegram.privateChat(who);
    chat.say(who, words);
    await chat.waitForBotMessage(`Done: ${words}.`, longestWaitMs);
    return model.requests.slice(before + 1).map(({ toolResults }) => toolResults.at(-1) ?? "");
  };
  const info = callTool("call_tool", { name: "conversation_info", input: {} });

  const found = await ask(ada, "where are we", callTool("find_tools", { query: "conversation_info" }), info);
  assert.match(found[0] ?? "", /"name":"conversation_info","description":/);
  assert.match(found[1] ?? "", /Ada/);
  assert.ok(shown().includes("call_tool") && !shown().includes("conversation_info"));

  assert.match((await ask(ada, "and now", info)).join(), /Ada/);

  await talaria.stop("SIGKILL");
  await talaria.begin();
  const again = await ask(ada, "still here", info, callTool("conversation_info", {}));
  assert.deepEqual(
    again.map((result) => result.includes("Ada")),
    [true, true],
  );

  const posting = callTool("call_tool", { name: "send_message", input: { to: "a", text: "b" } });
  assert.match((await ask(guest, "write to Ada", posting)).join(), /there is no tool called "call_tool"/);
  assert.ok(!shown().includes("find_tools"));
});
