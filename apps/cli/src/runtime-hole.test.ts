import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, createBrotliDecompress, gzipSync } from "node:zlib";
import { hasBrotliHole, runtimeHole } from "./runtime-hole.ts";
import { undiciHole } from "./undici-hole.ts";
import { disableBrotli } from "./without-brotli.ts";

describe("a Node.js with a known hole", () => {
  for (const version of ["24.12.0", "24.21.0", "24.22.0", "25.9.0", "26.12.0", "22.23.3"])
    it(`is named, with the release that mends it: ${version}`, () => {
      assert.match(
        runtimeHole(version) ?? "",
        /^Node\.js \d+\.\d+\.\d+ has known .* install Node\.js (?:22\.23\.4|24\.22\.1|26\.12\.1) /,
      );
    });

  for (const version of ["24.22.1", "24.23.0", "22.23.4", "26.12.1", "27.0.0"])
    it(`is not seen where it is mended: ${version}`, () => assert.equal(runtimeHole(version, "7.30.1"), undefined));

  it("is named with that of the fetch in it, also where that is the only one", () => {
    assert.match(
      runtimeHole("24.21.0", "7.29.1") ?? "",
      /undici 7\.29\.1 \(CVE-.*mended in 7\.30\.1\. .*install Node\.js 24\.22\.1 /,
    );
    assert.match(
      runtimeHole("27.0.0", "8.12.1") ?? "",
      /^the fetch of Node\.js 27\.0\.0 .*undici 8\.12\.1 .*mended in 8\.12\.2\. Install a Node\.js whose /,
    );
    assert.doesNotMatch(runtimeHole("24.21.0", "7.30.1") ?? "", /undici/);
    assert.deepEqual(["24.21.0", "27.0.0"].map(hasBrotliHole), [true, false], "Brotli stays where only fetch has one");
  });
});

describe("an undici with a known hole", () => {
  for (const version of ["5.29.0", "6.29.0", "7.29.1", "7.30.0", "8.9.0", "8.12.1"])
    it(`is named: ${version}`, () =>
      assert.match(undiciHole(version) ?? "", /mended in (6\.29\.1|7\.30\.1|8\.12\.2)$/));

  for (const version of ["6.29.1", "7.30.2", "8.12.4", "8.13.1", "9.0.0"])
    it(`is not seen where it is mended: ${version}`, () => assert.equal(undiciHole(version), undefined));

  it("is none that we install", async () => {
    const lock = JSON.parse(await readFile(new URL("../../../package-lock.json", import.meta.url), "utf8"));
    const entries = Object.entries<{ readonly version: string }>(lock.packages);
    const installed = entries.filter(([path]) => path.endsWith("node_modules/undici"));
    assert.ok(installed.length > 0);
    for (const [path, { version }] of installed) assert.equal(undiciHole(version), undefined, path);
  });
});

describe("without Brotli", () => {
  let asked: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    asked = request.headers;
    const encoding = request.url === "/br" ? "br" : "gzip";
    response.setHeader("content-encoding", encoding);
    response.end(encoding === "br" ? brotliCompressSync("hello") : gzipSync("hello"));
  });
  let url = "";
  before(async () => {
    disableBrotli();
    await once(server.listen(0, "127.0.0.1"), "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it("it is not asked for, and other encodings work", async () => {
    const answer = await fetch(new Request(`${url}/gzip`, { headers: { "x-own": "kept" } }));
    assert.equal(await answer.text(), "hello");
    assert.equal(asked["accept-encoding"], "gzip, deflate");
    assert.equal(asked["x-own"], "kept");
  });

  it("an answer in it is not decoded", async () => {
    await assert.rejects(async () => (await fetch(`${url}/br`)).text(), /terminated/);
  });

  it("no module that imported the decoder has it any more", async () => {
    const decoder = createBrotliDecompress();
    decoder.end(brotliCompressSync("hello"));
    const [error] = await once(decoder, "error");
    assert.match(String(error), /incorrect header check/);
  });
});
