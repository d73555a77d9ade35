import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { z } from "zod";
import { Installation } from "../support/installation.ts";

/** Of version 0.1.16: those about what is served. Resources, prompts, completion and logging are not; nobody can be asked. */
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "dns-rebinding-protection",
];

/** What the suite calls, as files of the operator's. */
const tools = {
  test_simple_text: `"This is a simple text response for testing."`,
  test_error_handling: `Promise.reject(new Error("This tool intentionally returns an error for testing"))`,
};

const checksSchema = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

describe("/mcp of the gateway, by the conformance suite of MCP", () => {
  let talaria: Installation;
  let folder: string;
  let tokenAdder: Server;
  let token: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-conformance-"));
    talaria = await Installation.start({
      database: "shared",
      config: `
workers: { processes: 1 }
models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:9/v1", apiKey: none, model: m } }
mcp: { serve: { http: true } }
`,
    });
    await mkdir(join(talaria.home, "tools"));
    for (const [name, run] of Object.entries(tools)) {
      const text = `export default { name: "${name}", description: "For the suite.", input: { type: "object", properties: {} }, effect: "read", run: async () => ${run} };`;
      await writeFile(join(talaria.home, "tools", `${name}.ts`), text);
    }
    token =
      (await talaria.talaria("mcp", "token", "create", "suite", "--role", "owner")).trim().split("\n").at(-1) ?? "";
    // The suite shows no token.
    tokenAdder = createServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
      const passed = request(new URL("/mcp", talaria.url), { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.once("error", () => outgoing.destroy());
      incoming.pipe(passed);
    });
    await once(tokenAdder.listen(0, "127.0.0.1"), "listening");
  });
  after(async () => {
    tokenAdder?.closeAllConnections();
    tokenAdder?.close();
    await talaria?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  for (const scenario of scenarios)
    it(`passes ${scenario}`, async () => {
      const suite = createRequire(new URL("../../packages/mcp/src/index.ts", import.meta.url)).resolve(
        "@modelcontextprotocol/conformance/dist/index.js",
      );
      const url = `http://127.0.0.1:${(tokenAdder.address() as AddressInfo).port}/mcp`;
      const place = join(folder, scenario);
      const options = ["server", "--url", url, "--scenario", scenario, "--output-dir", place];
      await once(spawn(process.execPath, [suite, ...options], { stdio: "ignore" }), "exit");
      const [found] = (await readdir(place, { recursive: true })).filter((name) => name.endsWith("checks.json"));
      const checks = checksSchema.parse(JSON.parse(await readFile(join(place, found ?? ""), "utf8")));
      assert.ok(checks.some(({ status }) => status === "SUCCESS"));
      assert.deepEqual(
        checks.filter(({ status }) => status === "FAILURE"),
        [],
      );
    });
});
