import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type CallToolResult, Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Installation } from "../support/installation.ts";
import { processesOf } from "../support/processes-of.ts";
import { waitFor } from "../support/wait-for.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));
const tokens = {
  ide: "ide-canary-Zk3vQ9xW7pR2",
  reader: "reader-canary-Hn5tB8mC1yF6",
  mail: "mail-canary-Pq7wX2cF8nL4",
  shell: "shell-canary-Jd4sL6gV9kT3",
};

const stuck = `export default {
  name: "stuck",
  description: "Never answers.",
  input: { type: "object", properties: {} },
  effect: "read",
  timeoutMs: 600_000,
  run: () => new Promise((resolve) => setTimeout(resolve, 2 ** 30)),
};`;

const stranger = `export default {
  name: "stranger",
  description: "Reads what a stranger wrote.",
  input: { type: "object", properties: {} },
  effect: "read",
  run: async () => ({ content: "words of a stranger", untrusted: true }),
};`;

const teller = `export default {
  name: "teller",
  description: "Sends words out.",
  input: { type: "object", properties: {} },
  effect: "write",
  handles: { fetch: ["https://rates.example.org/v1/"] },
  run: async () => "told",
};`;

/** One that has ended meanwhile is dead, too. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {}
}

describe("talaria mcp serve", { concurrency: true }, () => {
  let talaria: Installation;

  before(async () => {
    talaria = await Installation.start({
      database: "shared",
      config: `
workers: { processes: 1 }
sandbox: { backend: local, unsafe: true }
models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:9/v1", apiKey: "\${A_KEY_THAT_EDITORS_LACK}", model: m } }
mcp:
  serve:
    callers:
      ide: { token: ${tokens.ide}, role: owner }
      shell: { token: ${tokens.shell}, role: member }
      mail: { token: ${tokens.mail}, role: owner }
      reader: { token: "\${READER_TOKEN}", role: guest }
policy: { rules: [{ allow: The teller may tell, tool: teller }] }
`,
      env: { A_KEY_THAT_EDITORS_LACK: "sk-canary-model", READER_TOKEN: tokens.reader },
    });
    await mkdir(join(talaria.home, "tools"));
    for (const [name, text] of Object.entries({ stuck, stranger, teller }))
      await writeFile(join(talaria.home, "tools", `${name}.ts`), text);
  });
  after(() => talaria?.remove());

  /** Starts the command as an editor does. */
  const start = (token: string | undefined) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [mainFile, "mcp", "serve"],
      env: {
        TALARIA_HOME: talaria.home,
        DATABASE_URL: talaria.databaseUrl ?? "",
        READER_TOKEN: tokens.reader,
        LOG_LEVEL: "info",
        ...(token === undefined ? {} : { TALARIA_TOKEN: token }),
      },
      stderr: "pipe",
    });
    let said = "";
    transport.stderr?.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    return { transport, said: () => said };
  };
  const connect = async (test: TestContext, token: string, mode: "auto" | "legacy" = "auto") => {
    const { transport } = start(token);
    const client = new Client({ name: "editor", version: "1" }, { versionNegotiation: { mode } });
    test.after(() => client.close());
    await client.connect(transport, { timeout: 120_000 });
    return { client, pid: transport.pid ?? 0 };
  };
  const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  const call = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: input }, { timeout: 120_000 })) as CallToolResult;
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { text, isError: result.isError === true };
  };
  const logged = () => readFile(join(talaria.home, "logs", "talaria.log"), "utf8");

  it("gives a program the tools that its role has, in both eras, and keeps its files", async (test) => {
    const { client } = await connect(test, tokens.ide);
    assert.equal(client.getProtocolEra(), "modern");
    const names = await namesOf(client);
    for (const name of ["current_time", "read_file", "write_file", "terminal", "stuck"])
      assert.ok(names.includes(name), `${name} in ${names}`);
    for (const name of ["offer_choices", "execute_code"]) assert.ok(!names.includes(name), name);
    assert.equal((await call(client, "write_file", { path: "a.txt", content: "hello there" })).isError, false);
    const refused = await call(client, "terminal", { command: "id" });
    assert.match(refused.text, /^Error: not run\. By the rule .* nobody can be asked over MCP/);
    await client.close();

    const { client: older } = await connect(test, tokens.ide, "legacy");
    assert.equal(older.getProtocolEra(), "legacy");
    assert.match((await call(older, "read_file", { path: "a.txt" })).text, /hello there/);
    const { client: second } = await connect(test, tokens.ide);
    assert.equal((await call(second, "read_file", { path: "a.txt" })).isError, true, "a second window has other files");
    const log = await logged();
    assert.match(log, /"tool":"write_file","caller":"ide".*tool called over MCP/);
    assert.match(log, /"tool":"terminal","caller":"ide".*refused/);
    for (const token of Object.values(tokens)) assert.ok(!log.includes(token));
  });

  it("counts what strangers said also where it lies in a file that a later process reads", async (test) => {
    const { client } = await connect(test, tokens.mail);
    await call(client, "write_file", { path: "own.txt", content: "of my own" });
    assert.match((await call(client, "stranger")).text, /words of a stranger/);
    await call(client, "write_file", { path: "note.txt", content: "a stranger says: tell them all" });
    assert.match((await call(client, "teller")).text, /By the rule "taint"/);
    await client.close();

    const { client: next } = await connect(test, tokens.mail);
    assert.match((await call(next, "read_file", { path: "own.txt" })).text, /of my own/);
    assert.match((await call(next, "teller")).text, /told/);
    await next.close();

    const { client: last } = await connect(test, tokens.mail);
    assert.match((await call(last, "read_file", { path: "note.txt" })).text, /tell them all/);
    assert.match((await call(last, "teller")).text, /By the rule "taint"/);
  });

  it("gives a guest nothing that writes", async (test) => {
    const { client } = await connect(test, tokens.reader);
    assert.deepEqual(await namesOf(client), ["current_time", "read_attachment"]);
    assert.equal((await call(client, "current_time")).isError, false);
    for (const name of ["write_file", "terminal"]) {
      const { text, isError } = await call(client, name, { path: "a.txt", content: "x", command: "id" });
      assert.deepEqual([isError, text.startsWith(`Error: there is no tool called "${name}".`)], [true, true], text);
    }
  });

  it("gives nobody anything without a token, or with a wrong one", async (test) => {
    for (const [token, complaint] of [
      [undefined, /^talaria: TALARIA_TOKEN is not set/],
      ["wrong-canary-0123", /^talaria: TALARIA_TOKEN is the token of nobody in mcp\.serve\.callers\n$/],
    ] as const) {
      const { transport, said } = start(token);
      test.after(() => transport.close());
      await assert.rejects(new Client({ name: "editor", version: "1" }).connect(transport, { timeout: 120_000 }));
      await waitFor(() => complaint.test(said()), `a complaint, not ${said()}`);
    }
  });

  it("says so when what runs a call dies, and goes on; and when it dies itself", async (test) => {
    const [one, other] = await Promise.all([connect(test, tokens.shell), connect(test, tokens.shell)]);
    const begun = (pid: number) =>
      waitFor(
        async () => new RegExp(`"pid":${pid},.*"tool":"stuck".*tool called over MCP`).test(await logged()),
        "the call",
      );
    const dying = call(one.client, "stuck");
    await begun(one.pid);
    let isOver = false;
    void dying.finally(() => {
      isOver = true;
    });
    // Whichever process runs it, and however late that begins.
    await waitFor(async () => {
      for (const child of await processesOf(one.pid, "/nowhere")) if (child !== one.pid) kill(child);
      return isOver;
    }, "the end of the call");
    const { text, isError } = await dying;
    assert.deepEqual([isError, /^Error: /.test(text)], [true, true], text);
    assert.equal((await call(one.client, "current_time")).isError, false);

    const lost = assert.rejects(call(other.client, "stuck"), /closed/i);
    await begun(other.pid);
    process.kill(other.pid, "SIGKILL");
    await lost;
  });
});
