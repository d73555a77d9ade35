import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { silentLog } from "@talaria/protocol";
import { type McpToken, tokenDigest } from "@talaria/store";
import { createServer as createGateway } from "../http/server.ts";
import { exchange } from "../http/testing/served.ts";
import { serveMcp } from "./serve-mcp.ts";

const token = "ada-token-Zk3vQ9xW7pR2";
const json = { "content-type": "application/json" };
const bearer = { authorization: `Bearer ${token}` };

/** A gateway, and a worker at a real socket that answers what `answer` says. */
async function serve(test: TestContext, isWorkerThere = true) {
  const folder = await mkdtemp(join(tmpdir(), "talaria-door-"));
  const path = join(folder, "run.sock");
  const seen: { body: string; headers: Record<string, unknown>; isAborted: boolean }[] = [];
  const worker = createServer((incoming, outgoing) => {
    const one = { body: "", headers: incoming.headers, isAborted: false };
    seen.push(one);
    outgoing.once("close", () => {
      one.isAborted = !outgoing.writableFinished;
    });
    incoming.on("error", () => undefined);
    incoming.setEncoding("utf8").on("data", (text: string) => {
      one.body += text;
    });
    incoming.once("end", () => {
      if (!one.body.includes("stream")) return outgoing.writeHead(200, json).end('{"ok":true}');
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    });
  });
  if (isWorkerThere) await once(worker.listen(path), "listening");
  const tokens = new Map<string, McpToken>([
    [
      tokenDigest(token),
      {
        ...{ name: "ada", role: "guest", heard: [] },
        ...{ workspace: "mcp-http/ada" as never, madeAt: "2026-01-01T00:00:00.000Z" as never },
      },
    ],
  ]);
  const lookups: string[] = [];
  const gateway = createGateway(silentLog);
  const { stop } = serveMcp(gateway, {
    mcpTokens: {
      find: async (digest) => {
        lookups.push(digest);
        return tokens.get(digest);
      },
      living: async (digests) => digests.filter((digest) => tokens.has(digest)),
      used: async () => undefined,
    },
    doorPath: async () => path,
    rules: { token: "the operator's", hosts: new Set(["127.0.0.1"]), origins: new Set() },
    log: silentLog,
  });
  const url = `${await gateway.listen({ port: 0, host: "127.0.0.1" })}/mcp`;
  test.after(async () => {
    stop();
    await gateway.close();
    worker.closeAllConnections();
    worker.close();
    await rm(folder, { recursive: true, force: true });
  });
  const post = (headers: Record<string, string>, body = "{}") =>
    fetch(url, { method: "POST", headers: { ...json, ...headers }, body });
  return { url, port: Number(new URL(url).port), post, seen, tokens, lookups };
}

describe("/mcp of the gateway", () => {
  it("answers nobody without a token, or with a wrong one, and says how to ask", async (test) => {
    const { post, seen } = await serve(test);
    const challenge = 'Bearer realm="talaria mcp"';
    for (const [headers, said] of [
      [{}, challenge],
      [{ authorization: "Basic YTpi" }, challenge],
      [{ authorization: "Bearer " }, challenge],
      [{ authorization: "Bearer wrong" }, `${challenge}, error="invalid_token"`],
      [{ authorization: "Bearer the operator's" }, challenge],
      [{ authorization: `Bearer ${token}x` }, `${challenge}, error="invalid_token"`],
      [{ authorization: `Bearer ${"x".repeat(8_000)}` }, `${challenge}, error="invalid_token"`],
    ] as const) {
      const answer = await post({ ...headers });
      assert.deepEqual([answer.status, answer.headers.get("www-authenticate")], [401, said]);
    }
    assert.deepEqual(seen, []);
    assert.equal((await post(bearer)).status, 200);
  });

  it("slows down who guesses tokens, and nobody who has one", async (test) => {
    const { post } = await serve(test);
    const statuses: number[] = [];
    for (let n = 0; n < 62; n += 1) statuses.push((await post({ authorization: `Bearer guess-${n}` })).status);
    assert.deepEqual(statuses.slice(59), [401, 429, 429]);
    assert.equal((await post(bearer)).status, 200);
  });

  it("looks at host and origin before anything else", async (test) => {
    const { post, port, seen, lookups } = await serve(test);
    for (const origin of ["https://evil.example", "null", "http://127.0.0.1.evil.example"])
      assert.equal((await post({ ...bearer, origin })).status, 403);
    const rebound = await exchange(
      port,
      `POST /mcp HTTP/1.1\nHost: evil.example\nAuthorization: Bearer ${token}\nContent-Length: 2`,
      "{}",
    );
    assert.equal(rebound.status, 403);
    assert.deepEqual([seen.length, lookups.length], [0, 0]);
    assert.equal((await post({ ...bearer, origin: `http://127.0.0.1:${port}` })).status, 200);
  });

  it("has no sessions: nothing to listen to, to resume or to end", async (test) => {
    const { url, seen } = await serve(test);
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
      const answer = await fetch(url, { method, headers: { ...bearer, "mcp-session-id": "guessed" } });
      assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST"]);
    }
    assert.equal((await fetch(url, { method: "DELETE" })).status, 401);
    assert.deepEqual(seen, []);
  });

  it("passes on what the protocol says and nothing else", async (test) => {
    const { post, seen } = await serve(test);
    const answer = await post(
      { ...bearer, "mcp-protocol-version": "2025-11-25", cookie: "a=b", "x-other": "c" },
      '{"a":1}',
    );
    assert.deepEqual(await answer.json(), { ok: true });
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const { host, cookie, authorization, ...headers } = seen[0]?.headers ?? {};
    assert.deepEqual(
      [seen[0]?.body, host, cookie, authorization],
      ['{"a":1}', "gateway", undefined, bearer.authorization],
    );
    assert.deepEqual([headers["mcp-protocol-version"], headers["x-other"]], ["2025-11-25", undefined]);
  });

  it("reads no more than a megabyte, whatever is announced", async (test) => {
    const { post, url, seen } = await serve(test);
    assert.equal((await post(bearer, "x".repeat(1_048_577))).status, 413);
    assert.equal(seen.length, 0);
    const chunked = request(url, { method: "POST", headers: { ...json, ...bearer } });
    const answered = new Promise<number | undefined>((resolve) => {
      chunked.once("response", (response) => resolve(response.resume().statusCode));
      chunked.once("error", () => resolve(undefined));
    });
    const write = () => {
      while (chunked.write("x".repeat(65_536)) && chunked.writable);
    };
    chunked.on("drain", write);
    write();
    assert.equal(await answered, 413);
    chunked.destroy();
    assert.ok((seen[0]?.body.length ?? 0) <= 1_048_576);
  });

  it("lets one token ask for so much at a time", async (test) => {
    const { post } = await serve(test);
    const streams = await Promise.all(Array.from({ length: 16 }, () => post(bearer, "stream")));
    assert.ok(streams.every(({ status }) => status === 200));
    const more = await post(bearer);
    assert.deepEqual([more.status, more.headers.get("retry-after")], [429, "5"]);
    await streams[0]?.body?.cancel();
    await test.waitFor(async () => assert.equal((await post(bearer)).status, 200), { timeout: 120_000 });
    for (const { body } of streams.slice(1)) await body?.cancel();
  });

  it("cuts off a stream whose token is revoked, and tells the worker", async (test) => {
    const { post, seen, tokens } = await serve(test);
    const { body } = await post(bearer, "stream");
    const reader = body?.getReader();
    assert.match(new TextDecoder().decode((await reader?.read())?.value), /data: 1/);
    tokens.clear();
    await assert.rejects(async () => {
      while ((await reader?.read())?.done === false);
    });
    await test.waitFor(() => assert.ok(seen[0]?.isAborted), { timeout: 120_000 });
  });

  it("says so where no worker is there", async (test) => {
    const { post } = await serve(test, false);
    const answer = await post(bearer);
    assert.equal(answer.status, 503);
    assert.match(JSON.stringify(await answer.json()), /no worker of this data folder/);
  });
});
