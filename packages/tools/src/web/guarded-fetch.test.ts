import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type ErrorCode, type GatewayError, isGatewayError } from "@talaria/protocol";
import { LoopbackServer, startTrap } from "@talaria/testkit";
import { createGuardedFetch, type FetchLimits } from "./guarded-fetch.ts";

const limits: FetchLimits = { signal: new AbortController().signal, timeoutMs: 120_000, maxBytes: 10_000 };

const loopback = { permits: (address: string) => address === "127.0.0.1", resolve: async () => [v4("127.0.0.1")] };

function v4(address: string) {
  return { address, family: 4 };
}

function refusedWith(code: ErrorCode, text = /./) {
  return (error: unknown) => isGatewayError(error, code) && text.test(error.message);
}

async function serve(listener: RequestListener) {
  const server = await LoopbackServer.listen(listener);
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

describe("the guarded fetch", () => {
  it("refuses every spelling of a private address, and never knocks there", async () => {
    await using trap = await startTrap();
    const { port } = new URL(trap.url);
    const fetch = createGuardedFetch();
    const hosts =
      "127.0.0.1 127.1 0x7f.1 2130706433 0177.0.0.1 127.0.0.1. １２７.０.０.１ 0 [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::] localhost";
    for (const host of hosts.split(" ")) {
      await assert.rejects(fetch(`http://${host}:${port}/`, limits), refusedWith("forbidden"), host);
    }
    assert.deepEqual(trap.visits, []);
  });

  it("refuses a name of which one address is private", async () => {
    await using trap = await startTrap();
    const { port } = new URL(trap.url);
    for (const addresses of [
      [v4("127.0.0.1")],
      [v4("93.184.215.14"), v4("127.0.0.1")],
      [{ address: "::1", family: 6 }],
      [],
    ]) {
      const fetch = createGuardedFetch({ resolve: async () => addresses });
      await assert.rejects(
        fetch(`http://rebound.example:${port}/`, limits),
        refusedWith("forbidden", /rebound.example/),
      );
    }
    assert.deepEqual(trap.visits, []);
  });

  it("connects to the very address that it checked, however often the name changes", async () => {
    await using server = await serve((_request, response) => void response.end("public"));
    await using trap = await startTrap();
    const answers = [[v4("127.0.0.1")], [v4("127.0.0.2")]];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const fetch = createGuardedFetch({ ...loopback, resolve });
    const { port } = new URL(server.url);
    const { bytes } = await fetch(`http://rebound.example:${port}/`, limits);
    assert.equal(Buffer.from(bytes).toString(), "public");
    assert.equal(asked, 1);
    await assert.rejects(fetch(`http://rebound.example:${port}/`, limits), refusedWith("forbidden"));
    assert.deepEqual(trap.visits, []);
  });

  it("follows redirects through the same checks", async () => {
    const targets: Record<string, string> = {
      "/private": "http://10.0.0.1/",
      "/file": "file:///etc/passwd",
      "/loop": "/loop",
    };
    await using server = await serve(({ url = "" }, response) => {
      const location = url === "/start" ? "/end" : targets[url];
      if (location === undefined) response.writeHead(200, { "content-type": "text/plain" }).end("arrived");
      else response.writeHead(302, { location }).end();
    });
    const fetch = createGuardedFetch(loopback);
    const arrived = await fetch(`${server.url}/start`, limits);
    assert.deepEqual([arrived.url, arrived.status, arrived.contentType], [`${server.url}/end`, 200, "text/plain"]);
    await assert.rejects(fetch(`${server.url}/private`, limits), refusedWith("forbidden", /10\.0\.0\.1/));
    await assert.rejects(fetch(`${server.url}/file`, limits), refusedWith("invalid_request"));
    await assert.rejects(fetch(`${server.url}/loop`, limits), refusedWith("unavailable", /more than 5 times/));
  });

  it("says of a failure whether a server has answered before", async () => {
    await using server = await serve(({ url }, response) => {
      if (url === "/away") response.writeHead(302, { location: "http://obey.invalid/" }).end();
      else response.writeHead(200).write("a");
    });
    const resolve = async (name: string) => {
      if (name.endsWith(".invalid")) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      return [v4("127.0.0.1")];
    };
    const fetch = createGuardedFetch({ ...loopback, resolve });
    const answeredBefore = async (address: string) =>
      await fetch(address, { ...limits, timeoutMs: 300 }).catch(
        (error: GatewayError) => error.details.answered ?? "yes",
      );
    assert.equal(await answeredBefore("http://nowhere.invalid/"), false);
    assert.equal(await answeredBefore("http://10.0.0.1/"), false);
    assert.equal(await answeredBefore("ftp://example.org/"), false);
    assert.equal(await answeredBefore(`${server.url}/away`), "yes");
    assert.equal(await answeredBefore(`${server.url}/trickles`), "yes");
  });

  it("says what went wrong, and where: also behind a redirect", async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(302, { location: "http://target.invalid:8080/x?y=z" }).end();
    });
    const codes: Record<string, string | undefined> = { "target.invalid": "ENOTFOUND", "odd.invalid": undefined };
    const resolve = async (name: string) => {
      if (name in codes) throw Object.assign(new Error("no such name"), { code: codes[name] });
      return [v4("127.0.0.1")];
    };
    const fetch = createGuardedFetch({ ...loopback, resolve });
    const saidOf = async (address: string) => await fetch(address, limits).catch((error: Error) => error.message);
    assert.equal(await saidOf("http://odd.invalid/"), "odd.invalid could not be fetched: the connection failed");
    const { host, port } = new URL(server.url);
    const behind = "redirects to target.invalid:8080, which could not be fetched: ENOTFOUND";
    assert.equal(await saidOf(server.url), `${host} ${behind}`);
    assert.equal(await saidOf(`http://first.example:${port}/`), `first.example:${port} ${behind}`);
  });

  it("takes no other scheme and no password", async () => {
    const fetch = createGuardedFetch(loopback);
    for (const address of [
      "ftp://example.org/",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "example.org",
      "http://a:b@example.org/",
    ]) {
      await assert.rejects(fetch(address, limits), refusedWith("invalid_request"), address);
    }
  });

  it("reads no more than its limit, also of what unpacks to much more", async () => {
    await using server = await serve(({ url }, response) => {
      if (url === "/packed")
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000)));
      else response.end("x".repeat(10_000));
    });
    const fetch = createGuardedFetch(loopback);
    const packed = await fetch(`${server.url}/packed`, limits);
    assert.deepEqual([packed.bytes.byteLength, packed.isCut], [10_000, true]);
    const whole = await fetch(`${server.url}/`, limits);
    assert.deepEqual([whole.bytes.byteLength, whole.isCut], [10_000, false]);
  });

  it("gives up on a server that trickles, and when it is stopped", async () => {
    await using server = await serve((_request, response) => {
      response.write("a");
    });
    const fetch = createGuardedFetch(loopback);
    await assert.rejects(fetch(server.url, { ...limits, timeoutMs: 200 }), refusedWith("unavailable", /within 0.2 s/));
    const stop = new AbortController();
    const stopped = fetch(server.url, { ...limits, signal: stop.signal });
    stop.abort();
    await assert.rejects(stopped, refusedWith("aborted"));
  });
});
