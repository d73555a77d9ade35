import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { callTool, say } from "@talaria/testkit";
import { type OAuthPeer, oauthPeer } from "../../packages/mcp/src/testing/oauth-peer.ts";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const { resolve } = createRequire(new URL("../../packages/mcp/package.json", import.meta.url));
const example = resolve("@modelcontextprotocol/sdk/client/index.js").replace(
  /client\/index\.js$/,
  "examples/server/simpleStreamableHttp.js",
);

/** `talaria mcp login` at work. */
interface Login {
  /** The first match in what it has printed. */
  printed(pattern: RegExp): Promise<string>;
  type(line: string): void;
  /** What it has printed by its end. */
  ended(): Promise<{ readonly code: number | null; readonly text: string }>;
}

describe("a login to an MCP server", () => {
  let world: World;
  let coded: OAuthPeer;
  let strict: OAuthPeer;
  let stopExample: () => Promise<void>;

  before(async () => {
    const [port, authPort] = [await freePort(), await freePort()];
    const server = spawn(process.execPath, [example, "--oauth", "--oauth-strict"], {
      env: { MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) },
      stdio: "ignore",
    });
    stopExample = async () => {
      const ended = once(server, "exit");
      if (server.kill("SIGKILL")) await ended;
    };
    await waitFor(() => fetch(`http://localhost:${port}/`).catch(() => undefined), "the example of the SDK");
    [coded, strict] = await Promise.all([oauthPeer({ hasDeviceCodes: true }), oauthPeer()]);
    const back = await Promise.all([freePort(), freePort()]);
    world = await startWorld({
      database: "shared",
      config: (telegram) => `
mcp:
  servers:
    demo:
      url: "http://localhost:${port}/mcp"
      oauth: { origins: ["http://localhost:${authPort}"], redirectUrl: "http://127.0.0.1:${back[0]}/back" }
    elsewhere: { url: "http://localhost:${port}/mcp", oauth: {} }
    coded: { url: "${coded.url}/mcp", oauth: {} }
    pasted: { url: "${strict.url}/mcp", oauth: { redirectUrl: "https://talaria.example/back" } }
    plain: { url: "${strict.url}/mcp" }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await Promise.all([coded?.stop(), strict?.stop(), stopExample?.()]);
  });

  const login = (name: string) => begin("login", name);

  function begin(...words: readonly string[]): Login {
    const child = world.talaria.command("mcp", ...words);
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (bytes: Buffer) => {
        text += bytes.toString();
      });
    const closed = once(child, "close");
    return {
      printed: (pattern) => waitFor(() => pattern.exec(text)?.[0], `${pattern} of ${words.join(" ")}`),
      type: (line) => child.stdin.write(`${line}\n`),
      ended: async () => {
        await closed;
        return { code: child.exitCode, text };
      },
    };
  }

  function status(line: RegExp): Promise<unknown> {
    // Each look is a process of its own.
    const look = async () => {
      await sleep(500);
      return await world.talaria.talaria("status").catch(() => "");
    };
    return waitFor(async () => line.test(await look()), `${line} in the status`, 300_000);
  }

  it("is missing, and a check says so without asking for one", async () => {
    const { code, text } = await begin("check").ended();
    assert.match(
      text,
      /^mcp +demo: login, nobody has logged in, or the login has ended: run `talaria mcp login demo`$/m,
    );
    for (const name of ["elsewhere", "coded", "pasted"]) assert.match(text, new RegExp(`^ +${name}: login, `, "m"));
    assert.match(text, /^ +plain: down, .*HTTP 401\): set mcp\.servers\.plain\.oauth to/m);
    assert.equal(code, 1);
    const one = await begin("check", "pasted").ended();
    assert.match(one.text, /^mcp +pasted: login, /);
    assert.match(
      (await begin("check", "none").ended()).text,
      /no MCP server called "none" .*: there is demo, elsewhere/,
    );
  });

  // Workers look for logins every half minute, for all of them at once.
  describe("is made", { concurrency: 3 }, () => {
    it("in a browser that comes back by itself, and lets every worker in", async () => {
      const ada = world.telegram.user({ first_name: "Ada", id: 4242 });
      const chat = world.telegram.privateChat(ada);
      world.plan.answer("hello", say("Hello, Ada."));
      chat.say(ada, "hello");
      await chat.waitForBotMessage("Hello, Ada.");
      await status(/demo: login, nobody has logged in, or the login has ended: run `talaria mcp login demo`/);
      const running = login("demo");
      const page = await fetch(await running.printed(/^http:\/\/localhost\S+$/m), { redirect: "manual" });
      const location = page.headers.get("location") ?? "";
      const guessed = new URL(location);
      guessed.searchParams.set("state", "guessed");
      assert.match(await (await fetch(guessed)).text(), /not accepted/);
      assert.equal((await fetch(new URL("/other", location))).status, 404);
      assert.match(await (await fetch(location)).text(), /You can close this page/);
      const { code, text } = await running.ended();
      assert.match(text, /demo: logged in, \d+ tools/);
      assert.equal(code, 0);
      await status(/demo: \d+ tools/);
      world.plan.answer("greet me", callTool("mcp_demo_greet", { name: "Ada" }), say("Greeted."));
      chat.say(ada, "greet me");
      const question = await chat.waitForBotMessage(/May I /);
      chat.press(ada, question.id, "Approve");
      await chat.waitForBotMessage("Greeted.");
      assert.match(world.model.requests.at(-1)?.toolResults.join() ?? "", /Hello, Ada!/);
      assert.match((await login("demo").ended()).text, /in use already/);
      assert.match(await world.talaria.talaria("mcp", "logout", "demo"), /forgot the login to demo/);
      assert.match(await world.talaria.talaria("mcp", "logout", "demo"), /nothing was kept/);
    });

    it("by a code where the server offers that", async () => {
      const running = login("coded");
      const [, code = ""] = /code (\S+)/.exec(await running.printed(/enter the code \S+/)) ?? [];
      coded.enter(code);
      assert.match((await running.ended()).text, /coded: logged in, \d+ tools/);
      coded.expireTokens();
      await status(/coded: \d+ tools/);
      assert.ok(coded.seen.refreshes > 0, "a worker renews what it was left");
      const checked = await begin("check", "coded").ended();
      assert.match(checked.text, /^mcp +coded: \d+ tools$/m);
      assert.equal(checked.code, 0);
    });

    it("with a pasted address where the browser can't come back", async () => {
      const running = login("pasted");
      const back = await strict.agree(await running.printed(/^http:\/\/127\S+$/m));
      running.type("nonsense");
      running.type(`  ${back.href}`);
      const { code, text } = await running.ended();
      assert.match(text, /You can close this page\.\npasted: logged in/);
      assert.equal(code, 0);
    });
  });

  it("goes nowhere that the operator has not named, and says where a login is missing", async () => {
    const refused = await login("elsewhere").ended();
    assert.match(refused.text, /named http:\/\/localhost:\d+, which is not configured.*oauth\.origins/);
    assert.equal(refused.code, 1);
    assert.match((await login("plain").ended()).text, /plain has no login: set mcp\.servers\.plain\.oauth/);
    assert.match((await login("none").ended()).text, /no MCP server called "none" .*: there is demo, elsewhere/);
  });
});
