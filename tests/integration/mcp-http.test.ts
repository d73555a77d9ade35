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

const stranger = `export default {
  name: "stranger",
  description: "Reads what a stranger wrote.",
  input: { type: "object", properties: {} },
  effect: "read",
  untrusted: true,
  run: async () => "words of a stranger",
};`;

const stuck = `export default {
  name: "stuck",
  description: "Never answers.",
  input: { type: "object", properties: {} },
  effect: "read",
  timeoutMs: 600_000,
  run: () => new Promise((resolve) => setTimeout(resolve, 2 ** 30)),
};`;

describe("our tools at /mcp of the gateway", { concurrency: true }, () => {
  let talaria: Installation;

  before(async () => {
    talaria = await Installation.start({
      database: "shared",
      config: `
workers: { processes: 2 }
log: { level: info }
sandbox: { backend: local, unsafe: true }
models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:9/v1", apiKey: none, model: m } }
mcp: { serve: { http: true } }
`,
    });
    await mkdir(join(talaria.home, "tools"));
    await writeFile(join(talaria.home, "tools", "stuck.ts"), stuck);
    await writeFile(join(talaria.home, "tools", "stranger.ts"), stranger);
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
    const kept = `${await command("list", "--json")} ${talaria.output}`;
    for (const token of [owner, guest]) assert.ok(!kept.includes(token));
  });
});
