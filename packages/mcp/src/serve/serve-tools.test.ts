import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { defineTool, type Tool } from "@talaria/agent";
import { GatewayError, type Sender, silentLog, systemClock } from "@talaria/protocol";
import { z } from "zod";
import { type Caller, serveTools } from "../index.ts";
import { callTool, reached, startMcp, toolContext } from "../mcp.fixture.ts";
import { httpPeer } from "../testing/http-peer.ts";
import { callerCalls } from "./call-for.ts";

type Run = Tool["execute"];

function tool(name: string, effect: Tool["effect"], execute: Run, more: Partial<Tool> = {}): Tool {
  const input = z.strictObject({ text: z.string().optional() });
  return defineTool({
    name,
    description: `Does ${name}.`,
    effect,
    permissions: [],
    input,
    ...more,
    execute: execute as never,
  });
}

const say = tool("say", "read", async (input) => ({ content: `said ${(input as { text?: string }).text}` }));

function caller(id: string, tools: readonly Tool[], more: Partial<Caller> = {}): Caller {
  return { id, tools, context: toolContext(), ...more };
}

const unproven = { userId: "1", role: "person", displayName: "?", assurance: "claimed" } as unknown as Sender;

/** Serves the callers by their tokens on loopback. */
async function serve(test: TestContext, callers: Readonly<Record<string, Caller>>, callsPerMinute = 1_000) {
  let calls = 0;
  const server = await serveTools({
    clock: systemClock,
    log: silentLog,
    version: "0.1.0",
    hosts: ["127.0.0.1"],
    maxToolOutputChars: 1_000,
    callsPerMinute,
    identify: async (token) => callers[token],
    newCallId() {
      calls += 1;
      return `call ${calls}`;
    },
  });
  const peer = await httpPeer((request) => server.fetch(request));
  test.after(async () => {
    await server.stop();
    await peer.stop();
  });
  return { ...peer, server };
}

async function connect(
  test: TestContext,
  url: string,
  token: string,
  mode: "auto" | "legacy" | { pin: string } = "auto",
) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  test.after(() => client.close());
  return client;
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("|");
}

describe("our tools over MCP", () => {
  for (const mode of ["auto", "legacy", { pin: "2026-07-28" }] as const) {
    it(`are listed and called by a client that speaks ${JSON.stringify(mode)}`, async (test) => {
      const { url } = await serve(test, { ada: caller("ada", [say]) });
      const client = await connect(test, url, "ada", mode);
      assert.equal(client.getProtocolEra(), mode === "legacy" ? "legacy" : "modern");
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name, description, annotations }) => [name, description, annotations?.readOnlyHint]),
        [["say", "Does say.", true]],
      );
      assert.equal(textOf(await client.callTool({ name: "say", arguments: { text: "hi" } })), "said hi");
    });
  }

  it("are those of the caller, and no others", async (test) => {
    const secret = tool("secret", "read", async () => ({ content: "told" }));
    const { url } = await serve(test, { ada: caller("ada", [say, secret]), bob: caller("bob", [say]) });
    const bob = await connect(test, url, "bob");
    assert.deepEqual(
      (await bob.listTools()).tools.map(({ name }) => name),
      ["say"],
    );
    const refused = await bob.callTool({ name: "secret", arguments: {} });
    assert.equal(refused.isError, true);
    assert.equal(textOf(refused), 'Error: there is no tool called "secret". There is: say');
    const ada = await connect(test, url, "ada");
    assert.equal(textOf(await ada.callTool({ name: "secret", arguments: {} })), "told");
  });

  it("answer nobody without a token, with a wrong one, or with one that was withdrawn", async (test) => {
    const callers: Record<string, Caller> = { ada: caller("ada", [say]) };
    const { url } = await serve(test, callers);
    const post = (headers: Record<string, string>) => fetch(url, { method: "POST", headers, body: "{}" });
    const [none, wrong] = [await post({}), await post({ authorization: "Bearer x" })];
    assert.deepEqual([none.status, none.headers.get("www-authenticate")], [401, "Bearer"]);
    assert.deepEqual([wrong.status, wrong.headers.get("www-authenticate")], [401, 'Bearer error="invalid_token"']);
    assert.equal((await post({ authorization: `Bearer ${"x".repeat(10_000)}` })).status, 401);
    const client = await connect(test, url, "ada");
    delete callers.ada;
    await assert.rejects(client.callTool({ name: "say", arguments: {} }));
  });

  it("answer no page that was tricked into asking, and nothing that is too large", async (test) => {
    const { url } = await serve(test, { ada: caller("ada", [say]) });
    const authorization = "Bearer ada";
    const evil = await fetch(url, {
      method: "POST",
      headers: { authorization, origin: "https://evil.example" },
      body: "{}",
    });
    assert.equal(evil.status, 403);
    const headers = {
      authorization,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    assert.equal((await fetch(url, { method: "POST", headers, body: `"${"x".repeat(1_100_000)}"` })).status, 413);
  });

  it("are checked like those of our own model: input, rights, policy", async (test) => {
    let writes = 0;
    const write = tool("write", "write", async () => {
      writes += 1;
      return { content: String(writes) };
    });
    const { url } = await serve(test, {
      ada: caller("ada", [say, write]),
      claimed: caller("claimed", [write], { context: { ...toolContext(), requesters: [unproven] } }),
      denied: caller("denied", [write], { refusal: async ({ name }) => `Error: policy says no to ${name}.` }),
    });
    const call = async (token: string, args: object) => {
      const client = await connect(test, url, token);
      return await client.callTool({ name: "write", arguments: { ...args } });
    };
    assert.match(textOf(await call("ada", { other: 1 })), /the arguments are not valid[\s\S]*other/);
    assert.match(textOf(await call("claimed", {})), /not verified/);
    assert.equal(textOf(await call("denied", {})), "Error: policy says no to write.");
    assert.equal(writes, 0);
    assert.equal(textOf(await call("ada", {})), "1");
  });

  it("run one write of a caller after the other, report progress, and give files", async (test) => {
    let running = 0;
    let most = 0;
    const write = tool("write", "write", async (_, { progress, signal }) => {
      running += 1;
      most = Math.max(most, running);
      progress("half");
      await systemClock.sleep(30, signal);
      running -= 1;
      return {
        content: "done",
        reply: { attachments: [{ ref: "sha256:x" as never, name: "a b.txt", mimeType: "text/plain" }] },
      };
    });
    const media = { ...toolContext().media, read: async () => new Uint8Array([104, 105]) };
    const { url } = await serve(test, { ada: caller("ada", [write], { context: { ...toolContext(), media } }) });
    const client = await connect(test, url, "ada");
    const shown: unknown[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void shown.push(message);
    const results = await Promise.all([1, 2, 3].map(() => client.callTool({ name: "write" }, { onprogress })));
    assert.equal(most, 1);
    assert.deepEqual(shown, ["half", "half", "half"]);
    assert.deepEqual(results[0]?.content[1], {
      type: "resource",
      resource: { uri: "talaria:///a%20b.txt", mimeType: "text/plain", blob: "aGk=" },
    });
  });

  it("are decided when it is their turn, after what the writes before them have brought", async (test) => {
    let isTainted = false;
    const first = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const bring = tool("bring", "write", async () => {
      begun.resolve();
      await first.promise;
      return { content: "of a stranger", untrusted: true };
    });
    const send = tool("send", "write", async () => ({ content: "sent" }));
    const ada = caller("ada", [bring, send], {
      refusal: async ({ name }) => (name === "send" && isTainted ? "Error: not after that." : undefined),
      heard: ({ untrusted }) => {
        isTainted ||= untrusted === true;
      },
    });
    const calls = callerCalls({
      ...{ clock: systemClock, log: silentLog, version: "0.1.0", maxToolOutputChars: 1_000, callsPerMinute: 10 },
      newCallId: () => "call",
    });
    const run = (name: string) => calls(ada, { name }, test.signal, () => undefined);
    const bringing = run("bring");
    await begun.promise;
    const sending = run("send");
    // What it could do at once, it has done.
    await systemClock.sleep(1);
    first.resolve();
    await bringing;
    assert.equal(textOf(await sending), "Error: not after that.");
  });

  it("refuse arguments that nest too deeply, with a sentence that says so", async (test) => {
    const { url } = await serve(test, { ada: caller("ada", [say]) });
    const post = async (depth: number) => {
      const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const params = `{"name":"say","arguments":{"text":"hi","more":${nested}}}`;
      const headers = {
        ...{ authorization: "Bearer ada", "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      };
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      return await (await fetch(url, { method: "POST", headers, body })).text();
    };
    assert.match(await post(100_000), /Error: not run\. The arguments nest more than 100 levels deep/);
    assert.match(await post(100), /Error: not run\. The arguments nest more than 100 levels deep/);
    assert.match(await post(90), /the arguments are not valid/);
  });

  it("run so often a minute for each caller, and no more", async (test) => {
    const { url } = await serve(test, { ada: caller("ada", [say]), bob: caller("bob", [say]) }, 2);
    const ada = await connect(test, url, "ada");
    const texts: string[] = [];
    for (let n = 0; n < 3; n += 1) texts.push(textOf(await ada.callTool({ name: "say", arguments: { text: `${n}` } })));
    assert.deepEqual(texts.slice(0, 2), ["said 0", "said 1"]);
    assert.match(texts[2] ?? "", /^Error: not run\. More than 2 calls a minute \(mcp\.serve\.callsPerMinute\)/);
    const bob = await connect(test, url, "bob");
    assert.equal(textOf(await bob.callTool({ name: "say", arguments: { text: "hi" } })), "said hi");
  });

  it("tell failures as results, and take back a call that the caller cancels", async (test) => {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const fail = tool("fail", "read", async () => {
      throw new GatewayError("no such city", { code: "not_found" });
    });
    const wait = tool("wait", "read", async (_, { signal }) => {
      signal.addEventListener("abort", () => resolve());
      begin();
      await cancelled;
      return { content: "" };
    });
    const { url } = await serve(test, { ada: caller("ada", [fail, wait]) });
    const client = await connect(test, url, "ada");
    const result = await client.callTool({ name: "fail" });
    assert.deepEqual([result.isError, textOf(result)], [true, "Error: no such city"]);
    const stopping = new AbortController();
    const waiting = client.callTool({ name: "wait" }, { signal: stopping.signal });
    await begun;
    stopping.abort();
    await assert.rejects(waiting);
    await cancelled;
  });

  it("are tools of another one of us", async (test) => {
    const { url } = await serve(test, { ada: caller("ada", [say]) });
    const mcp = startMcp(test, { other: { url, headers: { authorization: "Bearer ada" } } });
    await reached(mcp, "ready");
    assert.match((await callTool(mcp, "mcp_other_say", { text: "hi" })).content, /said hi$/);
    assert.equal(mcp.status()[0]?.era, "modern");
  });
});
