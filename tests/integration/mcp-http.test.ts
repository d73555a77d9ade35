import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));
const run = promisify(execFile);

const teller = `export default {
  name: "teller",
  description: "Sends words out.",
  input: { type: "object", properties: {} },
  effect: "write",
  handles: { fetch: ["https://rates.example.org/v1/"] },
  run: async () => "told",
};`;

const stranger = `export default {
  name: "stranger",
  description: "Reads what a stranger wrote.",
  input: { type: "object", properties: {} },
  effect: "read",
  run: async () => ({ content: "words of a stranger", untrusted: true }),
};`;

const stuck = `export default {
  name: "stuck",
  description: "Never answers.",
  input: { type: "object", properties: {} },
  effect: "read",
  timeoutMs: 600_000,
  run: () => new Promise((resolve) => setTimeout(resolve, 2 ** 30)),
};`;

describe("our tools at /mcp of the gateway", () => {
  let talaria: Installation;

  before(async () => {
    talaria = await Installation.start({
      database: "shared",
      config: `
workers: { processes: 2 }
sandbox: { backend: local, unsafe: true }
models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:9/v1", apiKey: none, model: m } }
mcp: { serve: { http: true } }
policy: { rules: [{ allow: The teller may tell, tool: teller }] }
`,
      env: { LOG_LEVEL: "info" },
    });
    await mkdir(join(talaria.home, "tools"));
    await writeFile(join(talaria.home, "tools", "stuck.ts"), stuck);
    await writeFile(join(talaria.home, "tools", "stranger.ts"), stranger);
    await writeFile(join(talaria.home, "tools", "teller.ts"), teller);
  });
  after(() => talaria?.remove());

  const command = async (...words: string[]) => {
    const env = { ...process.env, TALARIA_HOME: talaria.home, DATABASE_URL: talaria.databaseUrl ?? "" };
    return (await run(process.execPath, [mainFile, "mcp", "token", ...words], { env })).stdout.trim();
  };
  const connect = async (test: TestContext, token: string, mode: "auto" | "legacy" = "auto") => {
    const client = new Client({ name: "editor", version: "1" }, { versionNegotiation: { mode } });
    test.after(() => client.close());
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${talaria.url}/mcp`), { requestInit }));
    return client;
  };
  const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  const call = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: input }, { timeout: 120_000 })) as CallToolResult;
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { text, isError: result.isError === true };
  };

  const logged = () => readFile(join(talaria.home, "logs", "talaria.log"), "utf8");

  it("are those of the token's role, in both eras, and keep the caller's files", async (test) => {
    const [owner, guest] = await Promise.all([
      command("create", "desk", "--role", "owner"),
      command("create", "reader"),
    ]);
    assert.match(owner, /^[A-Za-z0-9_-]{43}$/);
    const client = await connect(test, owner);
    assert.equal(client.getProtocolEra(), "modern");
    const names = await namesOf(client);
    for (const name of ["current_time", "read_file", "write_file", "terminal"])
      assert.ok(names.includes(name), `${name} in ${names}`);
    assert.equal((await call(client, "write_file", { path: "a.txt", content: "hello there" })).isError, false);
    assert.match((await call(client, "terminal", { command: "id" })).text, /^Error: not run\. By the rule/);
    const older = await connect(test, owner, "legacy");
    assert.equal(older.getProtocolEra(), "legacy");
    assert.match((await call(older, "read_file", { path: "a.txt" })).text, /hello there/);
    const reader = await connect(test, guest);
    assert.ok(!(await namesOf(reader)).includes("write_file"));
    assert.match(await command("list"), /^desk {2}owner {2}used last .*UTC$/m);
    assert.match(await talaria.talaria("status"), /^callers .*desk {2}owner {2}used last/m);
    const kept = `${await command("list", "--json")} ${talaria.output} ${await logged()}`;
    for (const token of [owner, guest]) assert.ok(!kept.includes(token));
  });

  it("give a token that is made anew nothing of what the one before had", async (test) => {
    const first = await connect(test, await command("create", "again", "--role", "owner"));
    await call(first, "write_file", { path: "boss.txt", content: "what all earn" });
    assert.match((await call(first, "read_file", { path: "boss.txt" })).text, /what all earn/);
    await command("revoke", "again");
    const second = await connect(test, await command("create", "again", "--role", "member"));
    const { text, isError } = await call(second, "read_file", { path: "boss.txt" });
    assert.deepEqual([isError, text.includes("what all earn")], [true, false], text);
  });

  it("are cut off from a token that is revoked, in the middle of a call", async (test) => {
    const token = await command("create", "gone", "--role", "member");
    const client = await connect(test, token);
    const waiting = assert.rejects(client.callTool({ name: "stuck", arguments: {} }, { timeout: 600_000 }));
    await waitFor(async () => /"tool":"stuck","caller":"gone".*tool called over MCP/.test(await logged()), "the call");
    await command("revoke", "gone");
    await waiting;
    await assert.rejects(client.listTools(), /a token of .* is needed/);
  });

  it("know what a caller has heard also after every worker was killed", async (test) => {
    const [token, other] = await Promise.all(
      ["listener", "newcomer"].map((name) => command("create", name, "--role", "owner")),
    );
    assert.ok(token !== undefined && other !== undefined);
    const before = await call(await connect(test, other), "teller");
    const client = await connect(test, token);
    assert.match((await call(client, "stranger")).text, /words of a stranger/);
    const after = await call(client, "teller");
    for (const { kind, pid } of await talaria.processes()) if (kind === "worker") process.kill(pid, "SIGKILL");
    const again = await waitFor(async () => {
      const other = await connect(test, token).catch(() => undefined);
      return other && (await call(other, "teller").catch(() => undefined));
    }, "an answer of another worker");
    assert.deepEqual([before.isError, after.isError], [false, true], `${before.text} ${after.text}`);
    assert.match(again.text, /^Error: not run\. By the rule "taint" .* name the target in policy\.trusted/);
    assert.match(await command("list"), /^listener .*has read untrusted content \(stranger\)$/m);
  });
});
