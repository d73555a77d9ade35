import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readBody } from "@talaria/adapter-kit";
import { echoRoute, exchange, openSocket, type Served, serveRoutes } from "./testing/served.ts";

const endless = (path: string, more = "") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${more}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`;

describe("slow senders", { timeout: 120_000 }, () => {
  let served: Served | undefined;
  const sockets: Awaited<ReturnType<typeof openSocket>>[] = [];
  let reading = 0;
  /** Of one test. On a slow machine the first may be over before the last begins. */
  let begun = 0;
  const slow = echoRoute({
    path: "/webhooks/slow",
    handle: async (request) => {
      reading += 1;
      begun += 1;
      try {
        return Response.json({ bytes: (await readBody(request, 1_000)).byteLength });
      } finally {
        reading -= 1;
      }
    },
  });
  const token = echoRoute({
    path: "/webhooks/token",
    provenByHeaders: (headers) => (headers.has("x-token") ? headers.get("x-token") === "right" : undefined),
  });

  afterEach(async () => {
    begun = 0;
    for (const socket of sockets.splice(0)) socket.destroy();
    await served?.stop();
  });

  async function occupy(port: number, path: string, count: number, more = ""): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const socket = await openSocket(port);
      sockets.push(socket);
      socket.write(endless(path, more));
    }
  }

  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (const limit = AbortSignal.timeout(120_000); !(await holds()); await delay(5)) limit.throwIfAborted();
  }

  it("on one route shut nobody out on another", async () => {
    served = await serveRoutes([slow, echoRoute({ path: "/webhooks/ci" })], { unprovenBodyMs: 60_000 });
    await occupy(served.port, "/webhooks/slow", 64);
    await until(() => reading === 64);
    const status = async (path: string) => (await fetch(`${served?.url}${path}`, { method: "POST", body: "x" })).status;
    assert.deepEqual([await status("/webhooks/slow"), await status("/webhooks/ci")], [503, 200]);
  });

  it("shut out nobody whose headers prove the request, and are refused unread where these are wrong", async () => {
    served = await serveRoutes([token], { unprovenBodyMs: 60_000 });
    await occupy(served.port, "/webhooks/token", 64);
    const ask = async (value: string) => {
      const headers = { "x-token": value };
      return (await fetch(`${served?.url}/webhooks/token`, { method: "POST", body: "x", headers })).status;
    };
    const { url } = served;
    await until(async () => (await fetch(`${url}/webhooks/token`, { method: "POST", body: "x" })).status === 503);
    assert.equal(await ask("right"), 200);
    assert.equal(await ask("wrong"), 401);
  });

  it("lose their place when the body takes too long", async () => {
    served = await serveRoutes([slow], { unprovenBodyMs: 200 });
    await occupy(served.port, "/webhooks/slow", 64);
    await until(() => begun === 64 && reading === 0);
    await Promise.all(sockets.map(({ closed }) => closed));
    for (const { state } of sockets) assert.match(state.received, /^HTTP\/1\.1 408 /);
    assert.equal((await fetch(`${served.url}/webhooks/slow`, { method: "POST", body: "x" })).status, 200);
  });

  it("are waited for on a route for files, where they have the token, and cut off elsewhere", async () => {
    const files = { auth: "bearer", path: "/api/files", bodyMs: 60_000 } as const;
    served = await serveRoutes([echoRoute(files), echoRoute({ path: "/api/words", auth: "bearer" })], {
      requestTimeoutMs: 300,
      token: "one-word",
    });
    const authorised = "Authorization: Bearer one-word\r\n";
    await occupy(served.port, "/api/files", 1, authorised);
    await occupy(served.port, "/api/words", 1, authorised);
    await occupy(served.port, "/api/files", 1);
    const [file, words, stranger] = sockets;
    await words?.closed;
    await stranger?.closed;
    assert.equal(file?.state.isClosed, false, file?.state.received);
    file?.write("0\r\n\r\n");
    await until(() => file?.state.received.includes('"bytes":1') === true);
  });

  for (const [trustedProxies, what, blocked] of [
    [["127.0.0.1"], "are told apart behind a trusted proxy", 33],
    [[], "are not told apart by what anybody may write", 65],
  ] as const)
    it(what, async () => {
      served = await serveRoutes([slow], { unprovenBodyMs: 60_000, trustedProxies });
      await occupy(served.port, "/webhooks/slow", blocked - 1, "X-Forwarded-For: 192.0.2.1\r\n");
      await until(() => reading === blocked - 1);
      const ask = (source: string) =>
        exchange(
          served?.port ?? 0,
          `POST /webhooks/slow HTTP/1.1\nHost: localhost\nX-Forwarded-For: ${source}\nContent-Length: 1`,
          "x",
        );
      assert.equal((await ask("192.0.2.1")).status, 503);
      assert.equal((await ask("192.0.2.2")).status, trustedProxies.length > 0 ? 200 : 503);
    });

  it("and quick ones alike may name one host only", async () => {
    served = await serveRoutes([echoRoute({ path: "/webhooks/ci" })]);
    const head = "POST /webhooks/ci HTTP/1.1\nHost: localhost\nhost: evil.example\nContent-Length: 0";
    const { status, body } = await exchange(served.port, head);
    assert.deepEqual([status, body], [400, '{"error":"this request names two hosts"}']);
  });

  it("are told when they ask for a tunnel", async () => {
    served = await serveRoutes([]);
    assert.equal((await exchange(served.port, "CONNECT example.org:443 HTTP/1.1\nHost: example.org:443")).status, 405);
  });
});
