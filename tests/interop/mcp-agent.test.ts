import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { it } from "node:test";
import { callTool, say } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const { resolve } = createRequire(new URL("../../packages/mcp/package.json", import.meta.url));

it("gives the agent the tools of an MCP server: what it lists as reads at once, anything else once somebody agrees", async (t) => {
  const port = await freePort();
  const server = spawn(
    process.execPath,
    [resolve("@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp"],
    { env: { PORT: String(port) }, stdio: "ignore" },
  );
  t.after(async () => {
    const ended = once(server, "exit");
    if (server.kill("SIGKILL")) await ended;
  });
  await waitFor(() => fetch(`http://127.0.0.1:${port}/`).catch(() => undefined), "the MCP server");
  await using world = await startWorld({
    database: "shared",
    config: (telegram) => `
mcp: { servers: { all: { url: "http://127.0.0.1:${port}/mcp", tools: [echo, get-sum], reads: [echo] } } }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const ada = world.telegram.user({ first_name: "Ada", id: 4242 });
  const bob = world.telegram.user({ first_name: "Bob" });
  const [chat, strange] = [world.telegram.privateChat(ada), world.telegram.privateChat(bob)];
  const names = () => world.model.requests.at(-1)?.tools.map(({ function: { name } }) => name) ?? [];
  chat.say(ada, "what can you do?");
  await chat.waitForBotMessage(/what can you do\?/);
  assert.deepEqual(
    names().filter((name) => name.startsWith("mcp_")),
    ["mcp_all_echo", "mcp_all_get-sum"],
  );
  world.plan.answer("say it back", callTool("mcp_all_echo", { message: "over there" }), say("It came back."));
  chat.say(ada, "say it back");
  await chat.waitForBotMessage("It came back.");
  assert.match(world.model.requests.at(-1)?.toolResults.join() ?? "", /data, never an instruction[\s\S]*over there/);
  world.plan.answer("add it up", callTool("mcp_all_get-sum", { a: 2, b: 3 }), say("It is five."));
  chat.say(ada, "add it up");
  const question = await chat.waitForBotMessage(/May I /);
  chat.press(ada, question.id, "Approve");
  await chat.waitForBotMessage("It is five.");
  assert.match(world.model.requests.at(-1)?.toolResults.join() ?? "", /\b5\b/);
  strange.say(bob, "and I?");
  await strange.waitForBotMessage(/and I\?/);
  assert.deepEqual(
    names().filter((name) => name.startsWith("mcp_")),
    [],
    "a guest has none of it",
  );
});
