import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import type { Tool } from "@talaria/agent";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { startLocalWorkspace } from "../testing/local-workspace.ts";
import { call, contextOf } from "../testing/tool-call.ts";
import { createGuardedFetch } from "../web/guarded-fetch.ts";
import { createToolFiles } from "./create-tool-files.ts";
import { useHandle } from "./use-handle.ts";

const loopback = createGuardedFetch({ permits: (address) => address === "127.0.0.1" });

/** Makes a tool of a file's text and hands it to `use`. */
async function withTool(definition: string, use: (tool: Tool) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tool-handles-"));
  await writeFile(
    join(folder, "tried.ts"),
    `export default { name: "tried", description: "x", input: { type: "object" }, ${definition} };`,
  );
  const files = createToolFiles({ folder, clock: systemClock, log: silentLog, fetch: loopback, patienceMs: 600_000 });
  try {
    const [tool] = await files.tools(new Set());
    assert.ok(tool, JSON.stringify(files.problems));
    await use(tool);
  } finally {
    await files.stop();
    await rm(folder, { recursive: true });
  }
}

async function serve(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = await LoopbackServer.listen(listener);
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

describe("the files of a tool", () => {
  it("are those of the workspace, to read or to write as declared", async () => {
    await using workspace = await startLocalWorkspace();
    await workspace.write("a.txt", Buffer.from("äbc"));
    const run =
      "run: async (_: unknown, { files }: any) => [await files.readText('a.txt'), (await files.list()).length]";
    await withTool(`effect: "read", handles: { files: "read" }, ${run}`, async (tool) => {
      assert.deepEqual(tool.permissions, ["fs.read"]);
      assert.equal((await call(tool, {}, contextOf({ workspace }))).content, '["äbc",1]');
      await assert.rejects(call(tool, {}, contextOf()), /there is no workspace here/);
    });
    const write = "run: ({ path }: any, { files }: any) => files.write(path, 'new')";
    await withTool(`effect: "write", handles: { files: "write" }, ${write}`, async (tool) => {
      assert.deepEqual(tool.permissions, ["fs.read", "fs.write"]);
      await call(tool, { path: "b.txt" }, contextOf({ workspace }));
      assert.equal(Buffer.from((await workspace.read("b.txt", { length: 9 })).bytes).toString(), "new");
      await assert.rejects(call(tool, { path: "../b.txt" }, contextOf({ workspace })));
    });
    await withTool(`effect: "write", handles: { files: "read" }, ${write}`, async (tool) => {
      await assert.rejects(call(tool, { path: "c.txt" }, contextOf({ workspace })), /not declared like that/);
    });
  });

  it("are refused by the worker, whatever the process asks for", async () => {
    await using workspace = await startLocalWorkspace();
    const use = { declared: {}, effect: "write", fetch: loopback, secrets: [] } as const;
    for (const handle of ["files.read", "files.list", "files.write", "fetch"]) {
      const asked = useHandle(
        handle,
        { path: ".", bytes: "", url: "http://127.0.0.1/" },
        use,
        contextOf({ workspace }),
      );
      await assert.rejects(asked, (error) => isGatewayError(error, "forbidden"), handle);
    }
    await assert.rejects(useHandle("exec", {}, use, contextOf()), (error) => isGatewayError(error, "unsupported"));
    const reading = { ...use, declared: { files: "read" } } as const;
    const badly = useHandle("files.read", { path: "a", length: 1e9 }, reading, contextOf({ workspace }));
    await assert.rejects(badly, (error) => isGatewayError(error, "invalid_request"));
  });
});

describe("the web of a tool", () => {
  it("is what lies below the declared addresses", async () => {
    const seen: string[] = [];
    await using other = await serve((_request, response) => void response.end("other"));
    await using server = await serve((request, response) => {
      void text(request).then((body) => {
        seen.push(`${request.method} ${request.url} ${request.headers["x-key"]} ${body}`);
        const elsewhere = new Map([
          ["/v1/away", `${other.url}/`],
          ["/v1/out", "/v2/"],
        ]).get(request.url ?? "");
        if (elsewhere === undefined) response.end('{"a":1}');
        else response.writeHead(302, { location: elsewhere }).end();
      });
    });
    const fetch = `handles: { fetch: ["${server.url}/v1/"] }`;
    const run = `run: async ({ url, ...more }: any, { fetch }: any) => (await fetch(url, more)).json().a`;
    await withTool(`effect: "write", ${fetch}, ${run}`, async (tool) => {
      assert.deepEqual(tool.permissions, ["net"]);
      assert.deepEqual(tool.targets?.({}), [{ kind: "url", url: `${server.url}/v1/`, sendsBody: true, isKnown: true }]);
      const posted = { url: `${server.url}/v1/x`, method: "POST", headers: { "x-key": "k" }, body: "b" };
      assert.deepEqual(await call(tool, posted, contextOf()), { content: "1", untrusted: true });
      const outside = ["/v2/", "/v1", "/v1/../v2/", "/v1/%2e%2e/v2", "/v1/..%2fv2", "/v1/away", "/v1/out"];
      for (const path of outside) {
        await assert.rejects(call(tool, { url: `${server.url}${path}` }, contextOf()), /none of the addresses/, path);
      }
      await assert.rejects(call(tool, { url: `${other.url}/v1/` }, contextOf()), /none of the addresses/);
    });
    await withTool(`effect: "read", ${fetch}, ${run}`, async (tool) => {
      assert.deepEqual(tool.targets?.({}), [
        { kind: "url", url: `${server.url}/v1/`, sendsBody: false, isKnown: true },
      ]);
      assert.equal((await call(tool, { url: `${server.url}/v1/y` }, contextOf())).content, "1");
      await assert.rejects(
        call(tool, { url: `${server.url}/v1/z`, method: "DELETE" }, contextOf()),
        /may only GET and HEAD/,
      );
    });
    assert.deepEqual(seen, [
      "POST /v1/x k b",
      "GET /v1/away undefined ",
      "GET /v1/out undefined ",
      "GET /v1/y undefined ",
    ]);
  });

  it("is the public internet alone", async () => {
    const declared = { fetch: ["http://127.0.0.1:9/"] };
    const use = { declared, effect: "read", fetch: createGuardedFetch(), secrets: [] } as const;
    const asked = useHandle("fetch", { url: "http://127.0.0.1:9/" }, use, contextOf());
    await assert.rejects(
      asked,
      (error) => isGatewayError(error, "forbidden") && /address that is not public/.test(error.message),
    );
  });
});
