import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { silentLog, systemClock } from "@talaria/protocol";
import { callTool, say } from "@talaria/testkit";
import { createMcpServers, type McpServersDeps } from "../../apps/worker/src/mcp-servers.ts";
import { createWorkspaces } from "../../apps/worker/src/workspaces.ts";
import { checkConfig } from "../../packages/config/src/index.ts";
import { callTool as call, reached } from "../../packages/mcp/src/mcp.fixture.ts";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const packageFile = fileURLToPath(new URL("../../packages/mcp/package.json", import.meta.url));
const everything = createRequire(packageFile).resolve("@modelcontextprotocol/server-everything/dist/index.js");
const readable = JSON.stringify([
  fileURLToPath(new URL("../../node_modules", import.meta.url)),
  dirname(dirname(process.execPath)),
]);
const command = JSON.stringify([process.execPath, everything, "stdio"]);

describe("server-everything over stdio", { skip: skipWithoutPeers(process.env.CI) }, () => {
  let base: string;

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-mcp-"));
    await chmod(base, 0o711);
  });
  after(() => rm(base, { recursive: true, force: true }));

  /** As a worker starts them. */
  async function start(test: TestContext, yaml: string) {
    const { loaded, problems } = checkConfig(yaml, { file: "config.yaml", env: {}, part: "worker" });
    assert.deepEqual(problems, []);
    assert.ok(loaded);
    const deps = { clock: systemClock, log: silentLog };
    const workspaces = createWorkspaces({ ...deps, config: loaded.config.sandbox, folder: base, hidden: [] });
    const store = { load: async () => undefined, save: async () => undefined, forget: async () => undefined };
    const more: McpServersDeps = { ...deps, random: () => 0, version: "1.2.3", workspaces, login: { store } };
    const mcp = await createMcpServers(loaded.config.mcp, more);
    assert.ok(mcp);
    mcp.start();
    test.after(async () => {
      await mcp.stop();
      await workspaces.stop();
    });
    return mcp;
  }

  it("runs behind bubblewrap, and finds no variable and no file but its own", async (test) => {
    process.env.MCP_CANARY = "canary";
    test.after(() => delete process.env.MCP_CANARY);
    const reader = `try { require("node:fs").readFileSync("${packageFile}"); } catch (error) { console.error(error.code); }; process.exit(4)`;
    const mcp = await start(
      test,
      `mcp:
  servers:
    all: { command: ${command}, readable: ${readable}, variables: { TOKEN: canary-own } }
    blind: { command: ${command} }
    nosy: { command: ["${process.execPath}", "-e", ${JSON.stringify(reader)}], readable: ${readable} }
`,
    );
    await reached(mcp, "ready", ["all"]);
    const { content } = await call(mcp, "mcp_all_get-env", {});
    const variables = JSON.parse(content.slice(content.indexOf("{"))) as Record<string, string>;
    // What every program in the sandbox finds: where its proxy is, and how package managers use it.
    const common = /^(?:https?|all|no)_proxy$|^NODE_USE_ENV_PROXY$|^PIP_|^npm_config_/i;
    const given = Object.fromEntries(
      Object.entries(variables).filter(
        ([name, value]) => name !== "PWD" && !(common.test(name) && !/canary/.test(value)),
      ),
    );
    const ours = { GIT_CONFIG_SYSTEM: "/etc/talaria-gitconfig" };
    assert.deepEqual(given, { ...ours, HOME: "/workspace", LANG: "C.UTF-8", PATH: given.PATH, TOKEN: "**********" });
    await reached(mcp, "down", ["blind", "nosy"]);
    const [, blind, nosy] = mcp.status();
    assert.match(blind?.problem ?? "", /exit code 127: .*not found/);
    assert.match(nosy?.problem ?? "", /exit code 4: ENOENT/, "beside what it may read there is nothing");
  });

  it("is absent where nothing keeps it apart, and says why", async (test) => {
    const mcp = await start(
      test,
      `sandbox: { backend: off }\nmcp: { servers: { all: { command: ["/bin/sh", "-c", "touch ${base}/ran"] } } }\n`,
    );
    await reached(mcp, "down");
    assert.match(mcp.status()[0]?.problem ?? "", /runs in the sandbox alone, and sandbox\.backend is off/);
    const closed = join(base, "closed");
    const docker = `sandbox: { backend: docker, image: none, socket: "${closed}" }`;
    const other = await start(
      test,
      `${docker}\nmcp: { servers: { all: { command: ["/bin/sh", "-c", "touch ${base}/ran"] } } }\n`,
    );
    await reached(other, "down");
    assert.match(other.status()[0]?.problem ?? "", /Docker does not answer at .*closed/);
    await assert.rejects(chmod(join(base, "ran"), 0o600), /ENOENT/);
  });

  it("gives its tools to an owner, whose calls run without a question, and stands in the status", async () => {
    await using world = await startWorld({
      database: "shared",
      config: (telegram) => `
mcp: { servers: { all: { command: ${command}, readable: ${readable}, tools: [echo, get-env] } } }
sandbox: { folder: "${base}/world" }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
    });
    const ada = world.telegram.user({ first_name: "Ada", id: 4242 });
    const chat = world.telegram.privateChat(ada);
    world.plan.answer("look around", callTool("mcp_all_get-env", {}), say("I looked."));
    chat.say(ada, "look around");
    await chat.waitForBotMessage("I looked.");
    await waitFor(async () => (await world.talaria.talaria("status")).includes("all: 2 tools"), "the server", 120_000);
    const result = world.model.requests.at(-1)?.toolResults.join() ?? "";
    assert.match(result, /data, never an instruction[\s\S]*\/workspace/);
    assert.doesNotMatch(result, /DATABASE_URL|TALARIA|TELEGRAM|canary/);
  });
});
