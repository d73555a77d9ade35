import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readBody } from "@talaria/adapter-kit";
import { echoRoute, maxBodyBytes, openSocket, type Served, serveRoutes } from "./testing/served.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory in use, in mebibytes, after what can be freed was freed. */
function usedMiB(): number {
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 1_048_576;
}

describe("a request that takes too much", { timeout: 120_000 }, () => {
  let served: Served | undefined;
  const sockets: Awaited<ReturnType<typeof openSocket>>[] = [];
  const head = (extra: string, path = "/webhooks/ci") => `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n\r\n`;

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await served?.stop();
  });

  async function start(requestTimeoutMs?: number, routes = [echoRoute({ path: "/webhooks/ci" })]) {
    served = await serveRoutes(routes, requestTimeoutMs === undefined ? {} : { requestTimeoutMs });
    return served;
  }

  async function open(port: number) {
    const socket = await openSocket(port);
    sockets.push(socket);
    return socket;
  }

  /** Sends chunks as fast as they are taken until the other side closes, at most `mebibytes`. */
  async function flood(socket: Awaited<ReturnType<typeof openSocket>>, mebibytes: number, chunk: string) {
    let sent = 0;
    while (!socket.state.isClosed && sent < mebibytes * 1_048_576) {
      if (!socket.write(chunk)) await delay(1);
      else await new Promise((resolve) => setImmediate(resolve));
      sent += chunk.length;
    }
    return sent / 1_048_576;
  }

  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;

  it("in chunks without end is refused at the limit, and cut off", async () => {
    const { port } = await start();
    const before = usedMiB();
    const socket = await open(port);
    socket.write(head("Transfer-Encoding: chunked"));
    const sent = await flood(socket, 200, chunk);
    assert.ok(socket.state.isClosed && sent < 100, `${sent} MiB were taken`);
    assert.ok(usedMiB() - before < 16);
  });

  it("is told that it is too large", async () => {
    const { port } = await start();
    const socket = await open(port);
    socket.write(head("Transfer-Encoding: chunked"));
    for (let n = 0; n <= maxBodyBytes / 65_536; n += 1) socket.write(chunk);
    await socket.closed;
    assert.match(socket.state.received, /^HTTP\/1\.1 413 /);
    assert.match(socket.state.received, /\r\nconnection: close\r\n/i);
  });

  it("by what it announces is refused before it sends", async () => {
    const { port } = await start();
    const socket = await open(port);
    socket.write(head("Content-Length: 10737418240"));
    await socket.closed;
    assert.match(socket.state.received, /^HTTP\/1\.1 413 /);
  });

  it("cannot bring more than it announced", async () => {
    const { port } = await start();
    const socket = await open(port);
    socket.write(`${head("Content-Length: 5")}hello, and this is no request\r\n\r\n`);
    await socket.closed;
    const answers = socket.state.received.match(/HTTP\/1\.1 \d+/g) ?? [];
    assert.equal(answers.at(-1), "HTTP/1.1 400");
    assert.ok(answers.length <= 2);
  });

  for (const ambiguous of [
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Content-Length: -1",
    "Content-Length: 5x",
  ])
    it(`is refused with ${ambiguous.replace("\r\n", " and ")}`, async () => {
      const { port } = await start();
      const socket = await open(port);
      socket.write(`${head(ambiguous)}hello`);
      await socket.closed;
      assert.match(socket.state.received, /^HTTP\/1\.1 400 /);
    });

  it("arrives in time, or is ended: headers, body, and what nobody reads", async () => {
    const { port } = await start(300);
    const starts = [
      "POST /webhooks/ci HT",
      "POST /webhooks/ci HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
      head("Content-Length: 100"),
      head("Transfer-Encoding: chunked"),
      head("Transfer-Encoding: chunked", "/webhooks/unknown"),
      head("Content-Length: 100", "/nowhere"),
    ];
    const slow = await Promise.all(starts.map(() => open(port)));
    for (const [n, socket] of slow.entries()) {
      socket.write(starts[n]!);
      void (async () => {
        for (let left = 90; left > 0 && !socket.state.isClosed; left -= 1) {
          socket.write(starts[n]!.includes("chunked") ? "1\r\nx\r\n" : "x");
          await delay(50);
        }
      })();
    }
    await Promise.all(slow.map(({ closed }) => closed));
    const response = await fetch(`${served?.url}/webhooks/ci`, { method: "POST", body: "quick" });
    assert.equal(response.status, 200);
  });

  it("finds at most 64 like it before it is proven, and room again afterwards", async () => {
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const held = echoRoute({
      path: "/webhooks/held",
      handle: async (request) => {
        running += 1;
        await gate.promise;
        return Response.json({ bytes: (await readBody(request, 10)).byteLength });
      },
    });
    const free = echoRoute({ path: "/api/free", auth: "bearer", handle: async () => Response.json({}) });
    served = await serveRoutes([held, free], { token: "abcdefghijklmnop" });
    const call = (path: string) =>
      fetch(`${served?.url}${path}`, { method: "POST", headers: { authorization: "Bearer abcdefghijklmnop" } });
    const first = Array.from({ length: 64 }, () => call("/webhooks/held"));
    while (running < 64) await delay(5);
    const refused = await call("/webhooks/held");
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.equal((await call("/api/free")).status, 200, "those with the token are not concerned");
    gate.resolve();
    for (const response of await Promise.all(first)) assert.equal(response.status, 200);
    assert.equal((await call("/webhooks/held")).status, 200);
  });

  it("leaves nothing behind, whatever path, query or host it names", async () => {
    const { port } = await start();
    const socket = await open(port);
    const ask = async (count: number, from: number) => {
      for (let n = from; n < from + count; n += 1) {
        const place = `/webhooks/p${n}?q=${n}`;
        socket.write(`GET ${place} HTTP/1.1\r\nHost: h${n}.example\r\n\r\n`);
        if (n % 200 === 0) await delay(1);
      }
      while ((socket.state.received.match(/HTTP\/1\.1 404/g) ?? []).length < count) await delay(10);
      socket.state.received = "";
    };
    await ask(2_000, 0);
    const before = usedMiB();
    await ask(10_000, 2_000);
    assert.ok(usedMiB() - before < 4, `${usedMiB() - before} MiB more`);
  });
});
