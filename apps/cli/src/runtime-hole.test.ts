import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, createBrotliDecompress, gzipSync } from "node:zlib";
import { runtimeHole } from "./runtime-hole.ts";
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
    it(`is not seen where it is mended: ${version}`, () => assert.equal(runtimeHole(version), undefined));
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
