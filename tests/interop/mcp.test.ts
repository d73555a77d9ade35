import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { createMcp, type LoginRequest, type Mcp, type McpConfig, type McpDeps, plainSpawn } from "@talaria/mcp";
import { silentLog, systemClock } from "@talaria/protocol";

const resolve = createRequire(new URL("../../packages/mcp/package.json", import.meta.url)).resolve;
const everything = resolve("@modelcontextprotocol/server-everything/dist/index.js");
const example = resolve("@modelcontextprotocol/sdk/client/index.js").replace(
  /client\/index\.js$/,
  "examples/server/simpleStreamableHttp.js",
);
const startLimitMs = 60_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** Starts a program, and ends it with the test. Resolves when something listens on the port. */
async function serve(test: TestContext, args: readonly string[], variables: Record<string, string>, port: number) {
  const child: ChildProcess = spawn(process.execPath, args, { env: variables, stdio: "ignore" });
  const stop = async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill("SIGKILL");
    await ended;
  };
  test.after(stop);
  const isUp = async () => assert.ok((await fetch(`http://localhost:${port}/`)).status > 0);
  await test.waitFor(isUp, { timeout: startLimitMs });
  return stop;
}

function start(test: TestContext, servers: McpConfig["servers"], more: Partial<McpDeps> = {}): Mcp {
  const spawnHere = plainSpawn(systemClock, { PATH: process.env.PATH ?? "" });
  const mcp = createMcp(
    { servers },
    { clock: systemClock, log: silentLog, random: () => 0, version: "0", spawn: spawnHere, fetch, ...more },
  );
  test.after(() => mcp.stop());
  mcp.start();
  return mcp;
}

async function reached(test: TestContext, mcp: Mcp, state: string): Promise<void> {
  await test.waitFor(() => assert.equal(mcp.status()[0]?.state, state, JSON.stringify(mcp.status())), {
    timeout: startLimitMs,
  });
}

async function call(mcp: Mcp, name: string, input: object): Promise<string> {
  const tool = mcp.tools().find((each) => each.name === name);
  assert.ok(tool, `no ${name} among ${mcp.tools().map((each) => each.name)}`);
  const context = { signal: AbortSignal.timeout(30_000), now: () => systemClock.now(), progress: () => undefined };
  return (await tool.execute(input, context as never)).content;
}

describe("@modelcontextprotocol/server-everything over Streamable HTTP", () => {
  it("is used in the old era, and again after its restart, which forgets the connection", async (test) => {
    const port = await freePort();
    const args = [everything, "streamableHttp"];
    const stop = await serve(test, args, { PORT: String(port) }, port);
    const mcp = start(test, { all: { url: `http://localhost:${port}/mcp` } });
    await reached(test, mcp, "ready");
    assert.equal(mcp.status()[0]?.era, "legacy");
    assert.match(await call(mcp, "mcp_all_get-sum", { a: 1, b: 2 }), /The sum of 1 and 2 is 3\./);
    await stop();
    await serve(test, args, { PORT: String(port) }, port);
    await assert.rejects(call(mcp, "mcp_all_get-sum", { a: 1, b: 2 }), /lost|begun anew/);
    await test.waitFor(async () => assert.match(await call(mcp, "mcp_all_get-sum", { a: 2, b: 2 }), /is 4/), {
      timeout: startLimitMs,
    });
  });
});

describe("the OAuth example of the SDK, strict about what tokens are for", () => {
  it("lets us in after a login in a browser", async (test) => {
    const [port, authPort] = [await freePort(), await freePort()];
    const variables = { MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) };
    await serve(test, [example, "--oauth", "--oauth-strict"], variables, port);
    const texts = new Map<string, string>();
    const asked: LoginRequest[] = [];
    const login = {
      store: {
        load: async (server: string, issuer: string) => texts.get(`${server} ${issuer}`),
        save: async (server: string, issuer: string, text: string) => void texts.set(`${server} ${issuer}`, text),
        forget: async (server: string, issuer: string) => void texts.delete(`${server} ${issuer}`),
      },
      ask: async (request: LoginRequest) => void asked.push(request),
    };
    const oauth = { redirectUrl: "http://localhost:1/callback" };
    const mcp = start(test, { demo: { url: `http://localhost:${port}/mcp`, oauth } }, { login });
    await reached(test, mcp, "login");
    const [request] = asked;
    assert.equal(request?.kind, "browser");
    const back = await fetch(request?.url ?? "", { redirect: "manual" });
    await mcp.finishLogin("demo", new URL(back.headers.get("location") ?? "").searchParams);
    await reached(test, mcp, "ready");
    assert.match(await call(mcp, "mcp_demo_greet", { name: "Ada" }), /Hello, Ada!$/);
  });
});
