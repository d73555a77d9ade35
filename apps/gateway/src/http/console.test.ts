import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loadConsole } from "@talaria/app-console";
import { exchange, type Served, serveRoutes } from "./testing/served.ts";

describe("the console's files", () => {
  let served: Served;
  before(async () => {
    served = await serveRoutes([]);
  });
  after(() => served.stop());

  it("are served with their type, and may run and call only what is ours", async () => {
    for (const [name, { type }] of (await loadConsole()).files) {
      const response = await fetch(`${served.url}/console/${name}`);
      assert.equal(response.status, 200, name);
      assert.equal(response.headers.get("content-type"), type);
      const policy = response.headers.get("content-security-policy") ?? "";
      for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
        assert.ok(policy.includes(rule), rule);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      assert.equal(response.headers.get("referrer-policy"), "no-referrer");
      await response.body?.cancel();
    }
  });

  it("are sent packed to whoever takes it, and not again as long as they stay the same", async () => {
    const get = (headers: string) =>
      exchange(served.port, `GET /console/page.css HTTP/1.1\nHost: localhost\n${headers}`);
    const headerOf = ({ head }: { readonly head: string }, name: string) =>
      new RegExp(`^${name}: (.*)$`, "m").exec(head)?.[1]?.trim();
    const plain = await get("Accept-Encoding: identity");
    const packed = await get("Accept-Encoding: br, gzip;q=0.8");
    assert.equal(headerOf(plain, "content-encoding"), undefined);
    assert.equal(headerOf(packed, "content-encoding"), "gzip");
    assert.equal(headerOf(packed, "vary"), "accept-encoding");
    assert.ok(Number(headerOf(packed, "content-length")) < Number(headerOf(plain, "content-length")));
    assert.equal(headerOf(await get("Accept-Encoding: gzip;q=0"), "content-encoding"), undefined);
    const tag = (await fetch(`${served.url}/console/page.css`)).headers.get("etag") ?? "";
    assert.match(tag, /^"[\w-]{22}"$/);
    assert.equal((await get(`If-None-Match: ${tag}`)).status, 304);
    assert.equal((await get('If-None-Match: "other"')).status, 200);
  });

  it("are kept by browsers for good in the folder of their version, and in no other one", async () => {
    const { version } = await loadConsole();
    const page = await (await fetch(`${served.url}/console/`)).text();
    assert.ok(page.includes(`src="${version}/console.js"`));
    for (const [folder, cache] of [
      [`${version}/`, "public, max-age=31536000, immutable"],
      [`v-${"0".repeat(16)}/`, "no-cache"],
      ["", "no-cache"],
    ] as const) {
      const response = await fetch(`${served.url}/console/${folder}highlight-worker.js`);
      assert.deepEqual([response.status, response.headers.get("cache-control")], [200, cache]);
      assert.match(await response.text(), /postMessage/);
    }
    assert.equal((await fetch(`${served.url}/console/v-0/highlight-worker.js`)).status, 404);
  });

  it("have the commands that people may write", async () => {
    const response = await fetch(`${served.url}/console/commands.json`);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    const listed = (await response.json()) as readonly { readonly name: string; readonly text: string }[];
    assert.ok(listed.some(({ name, text }) => name === "stop" && text.startsWith("stop my work")));
  });

  it("begin at the root of the gateway", async () => {
    for (const path of ["/", "/console", "/console/", "/console/?x=1"]) {
      const response = await fetch(`${served.url}${path}`);
      assert.equal(new URL(response.url).pathname, "/console/");
      assert.match(await response.text(), /<title>Talaria<\/title>/);
    }
  });

  it("are all there is", async () => {
    for (const path of [
      "nothing.js",
      "../package.json",
      "%2e%2e/package.json",
      "console.js/",
      "CONSOLE.JS",
      "__proto__",
    ]) {
      const { status } = await exchange(served.port, `GET /console/${path} HTTP/1.1\nHost: localhost`);
      assert.equal(status, 404, path);
    }
  });

  it("are not served under a rebound name or to foreign pages", async () => {
    for (const extra of [
      "Host: evil.example",
      "Host: localhost\nOrigin: null",
      "Host: localhost\nOrigin: http://evil.example",
    ])
      assert.equal((await exchange(served.port, `GET /console/ HTTP/1.1\n${extra}`)).status, 403, extra);
  });
});
