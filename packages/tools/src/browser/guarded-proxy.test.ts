import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { createAddressGuard } from "@talaria/foreign-content";
import { isGatewayError } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { createGuardedProxy } from "./guarded-proxy.ts";

async function startProxy(limits: { readonly bytes?: number } = {}) {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const guard = createAddressGuard({ resolve, permits: (address) => address === "127.0.0.1" });
  const proxy = createGuardedProxy(guard, limits);
  proxy.server.listen(0, "127.0.0.1");
  await once(proxy.server, "listening");
  const { port } = proxy.server.address() as AddressInfo;
  return {
    proxy,
    /** Sends these bytes and gives what comes until the connection ends. */
    say: async (text: string): Promise<string> => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(text);
      const pieces: Buffer[] = [];
      for await (const piece of socket) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    },
    get: async (url: string, headers = {}) => {
      const asked = request({ host: "127.0.0.1", port, path: url, headers }).end();
      const [response] = await once(asked, "response");
      let body = "";
      for await (const piece of response) body += piece;
      return { status: response.statusCode, body };
    },
    async [Symbol.asyncDispose]() {
      proxy.cut();
      await new Promise((done) => proxy.server.close(done));
    },
  };
}

describe("the proxy of a browser", () => {
  it("passes a request on without the headers of its own connection", async () => {
    const seen: object[] = [];
    const server = await LoopbackServer.listen(({ url, headers }, response) => {
      seen.push({ url, ...headers });
      response.end("answer");
    });
    await using here = await startProxy();
    const headers = { "proxy-authorization": "x", te: "y", "x-kept": "z", host: "some.example" };
    const { port } = new URL(server.url);
    assert.deepEqual(await here.get(`http://some.example:${port}/a?b=c`, headers), { status: 200, body: "answer" });
    assert.deepEqual(seen, [{ url: "/a?b=c", host: "some.example", "x-kept": "z", connection: "close" }]);
    await server.stop();
  });

  it("makes a tunnel", async () => {
    const server = await LoopbackServer.listen((_request, response) => {
      response.writeHead(200, { connection: "close" }).end("through the tunnel");
    });
    await using here = await startProxy();
    const { host } = new URL(server.url);
    const answer = await here.say(`CONNECT ${host} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.match(answer, /^HTTP\/1.1 200 [\s\S]*through the tunnel/);
    await server.stop();
  });

  it("refuses other addresses, other ports than those of the web, and what is no request to a proxy", async () => {
    await using here = await startProxy();
    const tunnels = ["10.0.0.1:443", "[::1]:443", "127.0.0.1:22", "127.0.0.1:25", "0x7f000002:80", "2130706434:8080"];
    for (const target of tunnels) {
      here.proxy.forget();
      assert.match(await here.say(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`), /^HTTP\/1.1 403 /, target);
      assert.ok(isGatewayError(here.proxy.trouble, "forbidden"));
    }
    for (const url of ["http://10.0.0.1/", "http://127.0.0.2:8080/", "http://127.0.0.1:21/"])
      assert.equal((await here.get(url)).status, 403, url);
    for (const url of ["/", "ftp://127.0.0.1/", "https://127.0.0.1/"])
      assert.equal((await here.get(url)).status, 400, url);
    assert.match(await here.say("CONNECT 127.0.0.1:1/x HTTP/1.1\r\nHost: x\r\n\r\n"), /^HTTP\/1.1 400 /);
    here.proxy.forget();
    assert.equal((await here.get("http://127.0.0.1:1025/")).status, 502);
    assert.match(here.proxy.trouble?.message ?? "", /127\.0\.0\.1 could not be reached: ECONNREFUSED/);
  });

  it("cuts everything once too much has come, and lets nothing more through", async () => {
    const server = await LoopbackServer.listen((_request, response) => void response.end("x".repeat(300_000)));
    await using here = await startProxy({ bytes: 100_000 });
    await assert.rejects(here.get(`${server.url}/`));
    assert.equal((await here.get(`${server.url}/`)).status, 403);
    assert.match(here.proxy.trouble?.message ?? "", /more than 100000 bytes/);
    await server.stop();
  });
});
