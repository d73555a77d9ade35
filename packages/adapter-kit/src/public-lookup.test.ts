import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { fetchPublic } from "./fetch-public.ts";
import { publicLookup } from "./public-lookup.ts";

const { signal } = new AbortController();

/** What a name resolves to, by the guarded look-up. */
function lookedUp(addresses: readonly string[], all: boolean): Promise<unknown> {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const lookup = publicLookup((_name, _options, done) => done(null, found));
  return new Promise((resolve, reject) => {
    lookup("files.example.org", { all }, (error, address) => (error ? reject(error) : resolve(address)));
  });
}

describe("the look-up of a name", () => {
  it("gives public addresses, one or all", async () => {
    assert.equal(await lookedUp(["1.1.1.1", "8.8.8.8"], false), "1.1.1.1");
    assert.deepEqual(await lookedUp(["1.1.1.1", "2606:4700::1111"], true), [
      { address: "1.1.1.1", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
  });

  for (const addresses of [["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["2606:4700::1111", "::1"], []])
    it(`F04 refuses a name that leads to ${addresses.join(" and ") || "nothing"}`, async () => {
      for (const all of [true, false])
        await assert.rejects(lookedUp(addresses, all), (error) => isGatewayError(error, "forbidden"));
    });

  it("passes on why a name cannot be resolved", async () => {
    const lookup = publicLookup((_name, _options, done) => done(new Error("ENOTFOUND"), []));
    await assert.rejects(fetchPublic(new URL("https://files.example.org/x"), { signal, lookup }), /ENOTFOUND/);
  });
});

describe("fetching from a public address", () => {
  it("F04 does not connect to this machine, by number or by a name for it", async () => {
    const visits: string[] = [];
    const server = createServer(({ url = "" }, response) => response.end(visits.push(url))).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::ffff:127.0.0.1]:${port}`])
      await assert.rejects(fetchPublic(new URL(`http://${host}/x`), { signal }), (error) =>
        isGatewayError(error, "forbidden"),
      );
    assert.deepEqual(visits, []);
    const own = publicLookup((_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]));
    await assert.rejects(fetchPublic(new URL(`http://files.example.org:${port}/x`), { signal, lookup: own }));
    assert.deepEqual(visits, []);
    server.close();
  });

  it("hands the answer over as it comes, redirects included", async () => {
    const server = createServer(({ url, headers }, response) => {
      if (url === "/moved") response.writeHead(302, { location: "/x" }).end();
      else if (url === "/empty") response.writeHead(204).end();
      else response.writeHead(200, { "content-type": "image/png" }).end(headers.authorization ?? "no token");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const lookup: ReturnType<typeof publicLookup> = (_name, options, done) =>
      options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);
    const get = (path: string) => fetchPublic(new URL(`http://files.example.org:${port}${path}`), { signal, lookup });
    const file = await get("/x");
    assert.deepEqual(
      [file.status, file.headers.get("content-type"), await file.text()],
      [200, "image/png", "no token"],
    );
    const moved = await get("/moved");
    assert.deepEqual([moved.status, moved.headers.get("location")], [302, "/x"]);
    await moved.body?.cancel();
    assert.equal((await get("/empty")).body, null);
    server.close();
  });
});
