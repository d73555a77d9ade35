import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type ErrorCode, GatewayError } from "@talaria/protocol";
import { echoRoute, exchange, openSocket, type Served, serveRoutes, token } from "./testing/served.ts";

const bearer = { authorization: `Bearer ${token}` };
const page = "https://board.example.com";

describe("the routes of adapters", { timeout: 120_000 }, () => {
  let served: Served;
  let fault: unknown;
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const left: Promise<void>[] = [];

  before(async () => {
    const routes = [
      echoRoute({ path: "/webhooks/ci" }),
      echoRoute({ path: "/platforms/main" }),
      echoRoute({ path: "/api/echo/:id", auth: "bearer" }),
      echoRoute({ path: "/webhooks/fault", handle: () => Promise.reject(fault) }),
      echoRoute({
        method: "GET",
        path: "/api/stream",
        auth: "bearer",
        handle: async ({ signal }) => {
          left.push(new Promise((resolve) => signal.addEventListener("abort", () => resolve())));
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              controller.enqueue(new TextEncoder().encode(": open\n\n"));
              streams.push(controller);
            },
          });
          return new Response(body, { headers: { "content-type": "text/event-stream" } });
        },
      }),
    ];
    // A token with spaces could never be sent.
    served = await serveRoutes(routes, { token: token.replaceAll(" ", "-"), origins: new Set([page]) });
  });
  after(() => served.stop());

  const proven = { authorization: bearer.authorization.replaceAll(" ", "-").replace("Bearer-", "Bearer ") };
  const call = (path: string, init: RequestInit = {}) => fetch(`${served.url}${path}`, { method: "POST", ...init });

  it("get the body as it was sent", async () => {
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded", "x/y"]) {
      const response = await call("/webhooks/ci", { body: '{"broken":', headers: { "content-type": type } });
      assert.deepEqual(await response.json(), { bytes: 10, text: '{"broken":', params: {} });
    }
    assert.equal(((await (await call("/webhooks/ci")).json()) as { bytes: number }).bytes, 0);
  });

  it("are told from each other by exact paths", async () => {
    for (const path of ["/webhooks/cd", "/webhooks/ci/", "/webhooks/CI", "/webhooks", "/platforms/ci", "/nothing"])
      assert.equal((await call(path)).status, 404, path);
    for (const path of [
      "/api/%2e%2e/webhooks/ci",
      "//webhooks/ci",
      "/webhooks/ci;x",
      "/webhooks%2Fci",
      "/webhooks/../webhooks/ci",
    ]) {
      const { status } = await exchange(served.port, `POST ${path} HTTP/1.1\nHost: localhost\nContent-Length: 0`);
      assert.equal(status, 404, path);
    }
    assert.equal((await call("/webhooks/ci?any=query")).status, 200);
  });

  it("take their own method, and name it to others", async () => {
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "TRACE"]) {
      const { status, head } = await exchange(served.port, `${method} /webhooks/ci HTTP/1.1\nHost: localhost`);
      assert.equal(status, 405, method);
      assert.match(head, /\r\nallow: post/);
    }
    const unknown = await exchange(served.port, "FLY /webhooks/ci HTTP/1.1\nHost: localhost");
    assert.equal(unknown.status, 400);
  });

  it("answer what cannot be read with 400 or 415, never 500", async () => {
    for (const [head, expected] of [
      ["POST /webhooks/%zz HTTP/1.1\nHost: localhost\nContent-Length: 0", 400],
      ["POST /webhooks/ci HTTP/1.1\nHost: localhost\nContent-Type: ;;;\nContent-Length: 0", 415],
      ["POST /webhooks/ci HTTP/1.1\nHost: localhost\nContent-Type: ;;;\nContent-Length: 1", 415],
      ["POST /webhooks/ci HTTP/1.1\nContent-Length: 0", 400],
    ] as const)
      assert.equal((await exchange(served.port, head, "x")).status, expected, head);
  });

  it("need the token where they say so, and nothing else lets in", async () => {
    const wrong = [
      {},
      { authorization: "Bearer" },
      { authorization: "Bearer wrong" },
      { "x-forwarded-for": "127.0.0.1" },
    ];
    for (const headers of wrong as Record<string, string>[]) {
      const response = await call("/api/echo/1", { headers });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), "Bearer");
    }
    assert.equal((await call(`/api/echo/1?token=${token}`)).status, 401);
    assert.deepEqual(await (await call("/api/echo/1", { headers: proven })).json(), {
      bytes: 0,
      text: "",
      params: { id: "1" },
    });
  });

  it("with a token are closed to rebound names and foreign pages", async () => {
    const request = (extra: string) =>
      exchange(
        served.port,
        `POST /api/echo/1 HTTP/1.1\nAuthorization: ${proven.authorization}\nContent-Length: 0\n${extra}`,
      );
    const { port } = served;
    for (const [extra, expected] of [
      [`Host: localhost:${port}`, 200],
      [`Host: localhost:${port}\nOrigin: http://localhost:${port}`, 200],
      [`Host: localhost:${port}\nOrigin: ${page}`, 200],
      [`Host: evil.example:${port}`, 403],
      [`Host: evil.example:${port}\nX-Forwarded-Host: localhost`, 403],
      [`Host: localhost:${port}\nOrigin: null`, 403],
      [`Host: localhost:${port}\nOrigin: http://evil.example`, 403],
    ] as const)
      assert.equal((await request(extra)).status, expected, extra);
  });

  it("with a signature are open to any name: platforms call whatever address they were given", async () => {
    const head = "POST /webhooks/ci HTTP/1.1\nHost: hooks.example.com\nOrigin: http://x.example\nContent-Length: 0";
    assert.equal((await exchange(served.port, head)).status, 200);
  });

  it("let listed pages ask, call and read, and no others", async () => {
    const ask = (origin: string, path = "/api/echo/1") =>
      call(path, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    const leave = await ask(page);
    assert.equal(leave.status, 204);
    assert.equal(leave.headers.get("access-control-allow-origin"), page);
    assert.match(leave.headers.get("access-control-allow-headers") ?? "", /authorization/);
    const answer = await call("/api/echo/1", { headers: { ...proven, origin: page } });
    assert.equal(answer.headers.get("access-control-allow-origin"), page);
    const foreign = await ask("https://evil.example");
    assert.equal(foreign.status, 405);
    assert.equal(foreign.headers.get("access-control-allow-origin"), null);
    assert.equal((await ask(page, "/webhooks/ci")).status, 403);
  });

  const faults: readonly (readonly [ErrorCode, number])[] = [
    ["invalid_request", 400],
    ["unauthorized", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["unsupported", 415],
    ["rate_limited", 429],
    ["unavailable", 503],
    ["internal", 503],
  ];
  for (const [code, status] of faults)
    it(`answer ${status} for ${code}`, async () => {
      fault = new GatewayError("the reason", { code, retryAfterMs: 2_500 });
      const response = await call("/webhooks/fault");
      assert.equal(response.status, status);
      const { error } = (await response.json()) as { error: string };
      assert.equal(error, status === 503 ? "the server can't save anything at the moment: try again" : "the reason");
      assert.equal(response.headers.get("retry-after"), { 429: "3", 503: "5" }[status] ?? null);
    });

  it("tell nothing of a fault that nobody foresaw", async () => {
    fault = new Error("password=hunter2");
    const response = await call("/webhooks/fault");
    assert.equal(response.status, 503);
    assert.ok(!(await response.text()).includes("hunter2"));
  });

  it("stream events one by one, and learn when the reader leaves, also long after", async () => {
    const leaving = new AbortController();
    const response = await call("/api/stream", { method: "GET", headers: proven, signal: leaving.signal });
    const opening = response.body!.getReader();
    await opening.read();
    for (const text of ["event: one\n\n", "event: two\n\n"]) {
      streams.at(-1)?.enqueue(new TextEncoder().encode(text));
      assert.equal(Buffer.from((await opening.read()).value!).toString(), text);
    }
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let n = 0; n < 3; n += 1) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    leaving.abort();
    await left.at(-1);
  });

  it("stream without a length, from the first byte", async () => {
    const socket = await openSocket(served.port);
    socket.write(`GET /api/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${proven.authorization}\r\n\r\n`);
    while (!socket.state.received.includes(": open")) await new Promise((resolve) => setImmediate(resolve));
    assert.match(socket.state.received, /content-type: text\/event-stream/);
    assert.doesNotMatch(socket.state.received, /content-length/i);
    socket.destroy();
  });
});
