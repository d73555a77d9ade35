import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { createMatrixClient } from "./client.ts";
import { openWorld } from "./testing/world.ts";

const { signal } = new AbortController();
const whoami = { method: "GET", path: "/client/v3/account/whoami" } as const;

async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => assert.fail("nothing failed"),
    (thrown: unknown) => thrown,
  );
  assert.ok(isGatewayError(error), String(error));
  return error;
}

/** A server that does what it is told with every connection, and a client for it. */
async function against(answer: Parameters<typeof createServer>[1]) {
  const server: Server = createServer(answer as never);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const homeserver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { homeserver, client: await createMatrixClient({ homeserver }), stop, [Symbol.asyncDispose]: stop };
}

describe("a call through matrix-js-sdk", () => {
  const faults = [
    { status: 429, errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1, code: "rate_limited" },
    { status: 429, body: "<html>slow down</html>", code: "rate_limited" },
    { status: 500, errcode: "M_UNKNOWN", code: "unavailable" },
    { status: 502, body: "<html>bad gateway</html>", code: "unavailable" },
    { status: 503, body: "", code: "unavailable" },
    { status: 504, body: "[]", code: "unavailable" },
    { status: 401, errcode: "M_UNKNOWN_TOKEN", code: "unauthorized" },
    { status: 403, errcode: "M_CONSENT_NOT_GIVEN", code: "forbidden" },
  ] as const;
  for (const { code, ...fault } of faults)
    it(`is one request when the answer is ${fault.status} ${"errcode" in fault ? fault.errcode : fault.body}`, async () => {
      const asked: (string | undefined)[] = [];
      await using world = await against((request, response) => {
        asked.push(request.url);
        const isJson = "errcode" in fault;
        response.writeHead(fault.status, { "content-type": isJson ? "application/json" : "text/html" });
        response.end(isJson ? JSON.stringify({ error: "x", ...fault }) : fault.body);
      });
      const client = world.client.as("token");
      assert.equal((await failureOf(client.call(whoami, signal))).code, code);
      const file = { data: new Uint8Array([1]), mimeType: "a/b" };
      assert.equal((await failureOf(client.upload(file, signal))).code, code);
      assert.deepEqual(asked, ["/_matrix/client/v3/account/whoami", "/_matrix/media/v3/upload"]);
    });

  it("says how long to wait, as the header or the body asks", async () => {
    const asked = [
      { headers: { "retry-after": "7" }, body: { retry_after_ms: 1_500 }, expected: 7_000 },
      { headers: {}, body: { retry_after_ms: 1_500 }, expected: 1_500 },
      { headers: { "retry-after": "soon" }, body: { retry_after_ms: "x" }, expected: 1_000 },
      { headers: { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, body: {}, expected: 0 },
      { headers: {}, body: {}, expected: 1_000 },
    ];
    let now = 0;
    await using world = await against((_request, response) => {
      const { headers, body } = asked[now] ?? assert.fail();
      response.writeHead(429, { ...headers, "content-type": "application/json" });
      response.end(JSON.stringify({ errcode: "M_LIMIT_EXCEEDED", error: "x", ...body }));
    });
    for (const { expected } of asked) {
      assert.equal((await failureOf(world.client.call(whoami, signal))).retryAfterMs, expected);
      now += 1;
    }
  });

  it("keeps nothing of what the homeserver says but the code", async () => {
    await using world = await against((_request, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ errcode: "M_BAD_JSON", error: "ada said: secret" }));
    });
    const error = await failureOf(world.client.call(whoami, signal));
    assert.equal(error.details.errcode, "M_BAD_JSON");
    assert.equal(error.cause, undefined);
    assert.doesNotMatch(`${error.message} ${JSON.stringify(error.details)}`, /secret|127\.0\.0\.1/);
  });

  it("that never reached anybody had no effect; one that was cut off may have had one", async () => {
    const gone = await against(() => undefined);
    await gone.stop();
    const refused = await failureOf(gone.client.call(whoami, signal));
    assert.deepEqual([refused.code, refused.effect, refused.details.network], ["unavailable", "none", "ECONNREFUSED"]);
    await using world = await against((request) => request.socket.destroy());
    const cut = await failureOf(world.client.call(whoami, signal));
    assert.deepEqual([cut.code, cut.effect], ["unavailable", "unknown"]);
  });

  const stalled: readonly [name: string, begin: (response: { write(text: string): void }) => void][] = [
    ["before its headers", () => undefined],
    ["within its body", (response) => response.write('{"user_id":')],
  ];
  for (const [name, begin] of stalled)
    it(`ends in time, and when it is aborted, when the answer stalls ${name}`, async () => {
      await using world = await against((_request, response) => begin(response));
      const late = await failureOf(world.client.call({ ...whoami, timeoutMs: 50 }, signal));
      assert.deepEqual([late.code, late.effect], ["unavailable", "unknown"]);
      const stopping = new AbortController();
      const aborted = failureOf(world.client.call(whoami, stopping.signal));
      setTimeout(() => stopping.abort(), 30);
      assert.equal((await aborted).code, "aborted");
    });

  it("does not follow an address that an answer names, with the token", async () => {
    let calls = 0;
    await using world = await against((_request, response) => {
      calls += 1;
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    assert.equal((await failureOf(world.client.as("token").call(whoami, signal))).code, "unavailable");
    assert.equal(calls, 1);
  });

  it("keeps the path of a homeserver that has one", async () => {
    const asked: (string | undefined)[] = [];
    await using world = await against((request, response) => {
      asked.push(request.url);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    const client = await createMatrixClient({ homeserver: `${world.homeserver}/below` });
    await client.call({ ...whoami, query: { since: "a b&c" } }, signal);
    assert.deepEqual(asked, ["/below/_matrix/client/v3/account/whoami?since=a+b%26c"]);
  });
});

describe("matrix-js-sdk", () => {
  it("writes nothing to the console, and leaves no timers and no listeners of requests behind", async (test) => {
    const written = (["log", "info", "warn", "error", "debug", "trace"] as const).map(
      (name) => test.mock.method(console, name).mock,
    );
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on("warning", warn);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    {
      await using world = await openWorld();
      const client = (await createMatrixClient({ homeserver: world.server.url })).as(world.server.token);
      await Promise.all(Array.from({ length: 40 }, () => client.call(whoami, signal)));
      world.server.fail("whoami", { kind: "answer", status: 401, errcode: "M_UNKNOWN_TOKEN", effect: "none" });
      await failureOf(client.call(whoami, signal));
      await client.upload({ data: new Uint8Array(1), mimeType: "a/b" }, signal);
    }
    process.off("warning", warn);
    // One or two belong to the connections; its own time limits would be one for each request.
    assert.ok(timers() - before < 10, `${timers()} timers, ${before} before`);
    assert.deepEqual(
      written.flatMap((mock) => mock.calls.map((call) => call.arguments)),
      [],
    );
    assert.deepEqual(warnings, []);
  });
});
