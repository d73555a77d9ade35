import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { isGatewayError, type Role } from "@talaria/protocol";
import { LoopbackServer, type SecretHost, startSecretHost, trustedLocalhost } from "@talaria/testkit";
import { askedBy, canary, secretFor } from "../testing/secret-for.ts";
import { call, contextOf, mediaInMemory } from "../testing/tool-call.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { createWebFetch } from "./web-fetch.ts";

const bearer = `Bearer ${canary}`;
const loopback = { permits: () => true, resolve: async () => [{ address: "127.0.0.1", family: 4 }] };

describe("web_fetch with a secret", () => {
  let base: string;
  /** The secret is for this one. */
  let host: SecretHost;
  let other: SecretHost;
  let plain: LoopbackServer;
  const plainAsked: unknown[] = [];
  const at = (path: string) => `https://localhost:${host.port}${path}`;
  const elsewhere = (path: string) => `https://localhost:${other.port}${path}`;

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-web-secret-"));
    const identity = await trustedLocalhost(base);
    host = await startSecretHost(identity, ({ path, headers }, response) => answer(path, headers, response));
    other = await startSecretHost(identity, ({ path, headers }, response) => {
      if (path === "/back") response.writeHead(302, { location: at("/delete-all") }).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(headers));
    });
    plain = await LoopbackServer.listen(({ headers }, response) => {
      plainAsked.push(headers);
      response.end("plain");
    });
  });
  after(async () => {
    await Promise.all([host?.close(), other?.close(), plain?.stop()]);
    await rm(base, { recursive: true, force: true });
  });
  beforeEach(() => {
    for (const one of [host.asked, other.asked, plainAsked]) one.length = 0;
  });

  const redirects: Readonly<Record<string, () => string>> = {
    "/same": () => "/echo",
    "/away": () => elsewhere("/x"),
    "/away-and-back": () => elsewhere("/back"),
    "/downgrade": () => plain.url,
    "/carried-out": () => elsewhere(`/?t=${encodeURIComponent(canary)}`),
    "/encoded-out": () => elsewhere(`/?t=${Buffer.from(`me:${canary}`).toString("base64url")}`),
  };

  function answer(path: string, headers: object, response: ServerResponse): void {
    const to = redirects[path];
    const echo = JSON.stringify(headers);
    const json = { "content-type": "application/json" };
    if (to !== undefined) response.writeHead(302, { location: to() }).end(`moved for ${bearer}`);
    else if (path === "/zipped") response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync(echo));
    else if (path === "/br")
      response.writeHead(200, { ...json, "content-encoding": "br" }).end(brotliCompressSync(echo));
    else if (path.startsWith("/u16"))
      response
        .writeHead(200, { "content-type": "text/plain; charset=utf-16le" })
        .end(Buffer.from(path === "/u16" ? echo : echo.replaceAll("+", "\\u002B"), "utf16le"));
    else if (path === "/jis")
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<meta charset=iso-2022-jp>${bearer.slice(0, -15)}\x1b(B${bearer.slice(-15)}`);
    else if (path === "/jis-header")
      response.writeHead(200, { "content-type": "text/plain; charset=iso-2022-jp" }).end("x");
    else if (path === "/log.gz") response.writeHead(200, { "content-type": "application/gzip" }).end(gzipSync(echo));
    else if (path === "/fine.gz") response.writeHead(200, { "content-type": "application/gzip" }).end(gzipSync("x"));
    else if (path === "/file") response.writeHead(200, { "content-type": "application/zip" }).end(`PK ${bearer}`);
    else if (path === "/type") response.writeHead(200, { "content-type": `text/plain; x=${canary}` }).end("x");
    else if (path === "/denied") response.writeHead(401, `no ${bearer}`, json).end(`who is ${bearer}?`);
    else if (path === "/encoded")
      response
        .writeHead(200, json)
        .end(
          [
            encodeURIComponent(bearer),
            ...["hex", "base64", "base64url"].map((as) => encoded(as as BufferEncoding)),
          ].join(" "),
        );
    else if (path === "/pieces") {
      response.writeHead(200, json).write(`a${canary.slice(0, 9)}`);
      setImmediate(() => response.end(`${canary.slice(9)}z`));
    } else response.writeHead(200, json).end(echo);
  }

  function encoded(as: BufferEncoding): string {
    return Buffer.from(`me:${bearer}`).toString(as);
  }

  /** Nothing that comes of a call may hold the value, whatever becomes of it. */
  async function ask(url: string, { secret = "ours" as string | null, role = "member" as Role } = {}) {
    const tool = createWebFetch(createGuardedFetch(loopback), [
      secretFor("ours", "member", [`localhost:${host.port}`]),
      secretFor("mine", "owner", [`localhost:${host.port}`]),
    ]);
    const media = mediaInMemory();
    const input = { url, ...(secret !== null && { secret }) };
    const came = await call(tool, input, contextOf({ ...askedBy(role), media })).catch((error: Error) => error);
    const kept = [...media.kept.values()].map(({ bytes }) => Buffer.from(bytes).toString("latin1"));
    const all = [came instanceof Error ? `${came.message} ${came.stack}` : JSON.stringify(came), ...kept].join("\n");
    for (const one of [canary, encodeURIComponent(canary), Buffer.from(canary).toString("hex"), "Y2FuYXJ5LyttY"])
      assert.ok(!all.includes(one), all);
    if (came instanceof Error) throw came;
    return { ...came, all };
  }
  const sent = ({ asked }: SecretHost) => asked.map(({ headers }) => headers.authorization?.join());

  it("sends it to its host alone, and shows stars where it comes back", async () => {
    const { all, untrusted } = await ask(at("/echo"));
    assert.match(all, /Bearer \*{30}/);
    assert.deepEqual([sent(host), untrusted], [[bearer], true]);
    await ask(at("/echo"), { secret: null });
    assert.deepEqual(sent(host).slice(1), [undefined]);
  });

  for (const path of [
    "/zipped",
    "/u16",
    "/u16-json",
    "/jis",
    "/file",
    "/type",
    "/denied",
    "/encoded",
    "/pieces",
    "/same",
  ])
    it(`shows stars, whatever comes back: ${path}`, async () => {
      assert.match((await ask(at(path))).all.replaceAll("\\u0000", ""), /\*{12}/);
      assert.ok(sent(host).every((one) => one === bearer));
    });

  it("is not packed in a way in which nobody can look", async () => {
    await assert.rejects(ask(at("/br")), /encoded in a way in which nobody can look/);
    assert.deepEqual(host.asked[0]?.headers["accept-encoding"], ["identity"]);
  });

  it("is in no packed file that is kept, and in no charset in which nobody can look", async () => {
    await assert.rejects(ask(at("/log.gz")), /a packed file that holds the secret/);
    await assert.rejects(ask(at("/jis-header")), /in the charset iso-2022-jp, in which nobody can look/);
    assert.match((await ask(at("/fine.gz"))).content, /fine\.gz/);
  });

  it("stays behind where a redirect leads elsewhere, also on the way back, and without encryption", async () => {
    const away = await ask(at("/away"));
    assert.match(away.content, /^\[secret:ours stayed behind: a redirect led to another host\]\n/);
    assert.doesNotMatch((await ask(at("/same"))).content, /stayed behind/);
    host.asked.length = 0;
    other.asked.length = 0;
    await ask(at("/away"));
    assert.deepEqual([sent(host), sent(other)], [[bearer], [undefined]]);
    assert.ok(!JSON.stringify(other.asked).includes("secret-ours"), "nor does the handle go there");
    host.asked.length = 0;
    await ask(at("/away-and-back"));
    assert.deepEqual(sent(host), [bearer, undefined], "another host chose what is asked for");
    await ask(at("/downgrade"));
    assert.deepEqual([plainAsked.length, JSON.stringify(plainAsked).includes("authorization")], [1, false]);
  });

  it("is carried out in no redirect's address", async () => {
    for (const path of ["/carried-out", "/encoded-out"])
      await assert.rejects(ask(at(path)), /redirects to an address that holds the secret/);
    assert.deepEqual(other.asked, []);
  });

  it("is for its own addresses, and for those who may use it", async () => {
    for (const url of [
      elsewhere("/"),
      at("/").replace("https", "http"),
      "https://localhost/",
      "https://api.example.org.evil.org/",
    ])
      await assert.rejects(ask(url), /nothing else may be asked for with it/, url);
    for (const [secret, role] of [
      ["ours", "guest"],
      ["mine", "member"],
      ["ours", "unverified"],
    ] as const)
      await assert.rejects(ask(at("/"), { secret, role }), (error) => isGatewayError(error, "forbidden"));
    for (const secret of ["theirs", "__proto__", "constructor", "", "ours "])
      await assert.rejects(ask(at("/"), { secret }));
    assert.deepEqual([host.asked, other.asked], [[], []]);
  });

  it("is refused for another host by its arguments, before anybody can be asked about the call", () => {
    const { input } = createWebFetch(createGuardedFetch(loopback), [secretFor("ours", "member")]);
    const isTaken = (url: string, secret?: string) => input.safeParse({ url, ...(secret && { secret }) }).success;
    for (const url of ["https://other.example.org/", "http://api.example.org/", "https://api.example.org:8443/", "x"])
      assert.equal(isTaken(url, "ours"), false, url);
    for (const url of ["https://api.example.org/user", "https://api.example.org:443/", "https://API.example.org/"])
      assert.equal(isTaken(url, "ours"), true, url);
    assert.equal(isTaken("https://other.example.org/"), true);
  });

  it("tells policy which, and says nothing of others", () => {
    const tool = createWebFetch(createGuardedFetch(loopback), [secretFor("ours", "member")]);
    const url = "https://api.example.org/";
    assert.deepEqual(tool.targets?.({ url, secret: "ours" }), [
      { kind: "url", url, sendsBody: false },
      { kind: "secret", name: "ours", hosts: ["api.example.org"] },
    ]);
    assert.deepEqual(tool.targets?.({ url }), [{ kind: "url", url, sendsBody: false }]);
  });
});
