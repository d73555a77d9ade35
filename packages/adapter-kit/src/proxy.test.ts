import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fetch as undiciFetch } from "undici";
import { keptAliveAgent, proxiedFetch, proxyDispatcher } from "./proxy.ts";

/** A server on loopback that is gone, with all its connections, when the test is over. */
async function listening(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => void sockets.add(socket));
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A proxy in small: opens tunnels, passes plain requests on, and remembers what it was asked. */
async function startProxy() {
  const asked: { readonly what: string; readonly authorization: string | undefined }[] = [];
  const remember = ({ method, url, headers }: IncomingMessage) =>
    asked.push({ what: `${method} ${url}`, authorization: headers["proxy-authorization"] });
  const proxy = await listening((incoming, outgoing) => {
    remember(incoming);
    const passed = request(incoming.url ?? "", { method: incoming.method ?? "GET" }, (answer) => answer.pipe(outgoing));
    incoming.pipe(passed);
  });
  tunnels(proxy.server, remember);
  return { ...proxy, asked };
}

function tunnels(server: Server, remember: (request: IncomingMessage) => void): void {
  server.on("connect", (incoming: IncomingMessage, client: Socket) => {
    remember(incoming);
    const [host = "", port = ""] = (incoming.url ?? "").split(":");
    const target = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.pipe(client).pipe(target);
    });
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
}

const greet: RequestListener = (_request, response) => void response.end("hello");

describe("a proxy", () => {
  it("tunnels the requests of fetch, with name and password", async () => {
    await using target = await listening(greet);
    await using proxy = await startProxy();
    const url = new URL(proxy.url);
    url.username = "ada";
    url.password = "engine";
    const dispatcher = proxyDispatcher(url);
    const answers = await Promise.all([
      fetch(`${target.url}/x`, { dispatcher } as unknown as RequestInit),
      undiciFetch(`${target.url}/x`, { dispatcher }),
    ]);
    assert.deepEqual(await Promise.all(answers.map((answer) => answer.text())), ["hello", "hello"]);
    await dispatcher.close();
    const { host } = new URL(target.url);
    const authorization = `Basic ${Buffer.from("ada:engine").toString("base64")}`;
    assert.ok(proxy.asked.length > 0);
    for (const asked of proxy.asked) assert.deepEqual(asked, { what: `CONNECT ${host}`, authorization });
  });

  it("carries forms and streams", async () => {
    await using target = await listening(async (request, response) => void response.end(await text(request)));
    await using proxy = await startProxy();
    const route = proxiedFetch(new URL(proxy.url));
    const form = new FormData();
    form.set("file", new Blob(["letters"]), "one.txt");
    const sent = await route.fetch(target.url, { method: "POST", body: form });
    assert.match(await sent.text(), /name="file"; filename="one\.txt"[\s\S]*letters/);
    const streamed = { method: "POST", body: new Blob(["more"]).stream(), duplex: "half" };
    assert.equal(await (await route.fetch(target.url, streamed as RequestInit)).text(), "more");
    await route.close();
    assert.match(proxy.asked[0]?.what ?? "", /^CONNECT /);
  });

  it("lets go of a download that nobody reads", async () => {
    await using target = await listening((_request, response) => void response.write("the first part"));
    await using proxy = await startProxy();
    const route = proxiedFetch(new URL(proxy.url));
    const response = await route.fetch(target.url);
    await route.close();
    await assert.rejects(response.text());
  });

  it("carries the requests of an agent", async () => {
    await using target = await listening(greet);
    await using proxy = await startProxy();
    const agent = keptAliveAgent({ isSecure: false, idleMs: 1_000 }, new URL(proxy.url));
    const response = await get(`${target.url}/x`, agent);
    assert.equal(await text(response), "hello");
    agent.destroy();
    assert.deepEqual(
      proxy.asked.map(({ what }) => what),
      [`GET ${target.url}/x`],
    );
  });

  it("tunnels an agent's requests to https addresses", async () => {
    await using target = await listening(greet);
    await using proxy = await startProxy();
    const agent = keptAliveAgent({ isSecure: true, idleMs: 1_000 }, new URL(proxy.url));
    const { host } = new URL(target.url);
    const { get: secureGet } = await import("node:https");
    const failed = new Promise<Error>((resolve) => {
      secureGet(`https://${host}/x`, { agent }, () => undefined).on("error", resolve);
    });
    assert.match(String(await failed), /SSL|EPROTO|wrong version|socket/i, "the target speaks no TLS");
    agent.destroy();
    assert.deepEqual(
      proxy.asked.map(({ what }) => what),
      [`CONNECT ${host}`],
    );
  });

  it("is not asked where there is none", async () => {
    await using target = await listening(greet);
    const agent = keptAliveAgent({ isSecure: false, idleMs: 1_000 });
    assert.equal(await text(await get(target.url, agent)), "hello");
    agent.destroy();
  });
});

function get(url: string, agent: ReturnType<typeof keptAliveAgent>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, resolve).on("error", reject).end();
  });
}
