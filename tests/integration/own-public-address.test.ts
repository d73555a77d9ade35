import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { fetchPublic } from "@talaria/adapter-kit";
import { createAddressGuard } from "@talaria/foreign-content";
import { isGatewayError } from "@talaria/protocol";
import { createGuardedFetch } from "@talaria/tools";
import { createGuardedProxy } from "../../packages/tools/src/browser/guarded-proxy.ts";
import { isInOwnNetwork, passInOwnNetwork, skipWithoutNetworks } from "../support/own-network.ts";

const run = promisify(execFile);
const [own4, own6] = ["9.8.7.1", "2a00:1450:1::1"];
const names = { "own4.example.org": own4, "own6.example.org": own6 };
const isForbidden = (error: unknown) => isGatewayError(error, "forbidden");

if (!isInOwnNetwork)
  it("a public address of this machine", { skip: skipWithoutNetworks }, ({ signal }) =>
    passInOwnNetwork(import.meta.filename, names, signal),
  );
else
  describe("what listens on a public address of this machine", () => {
    const visits: string[] = [];
    const server = createServer(({ url = "" }, response) => response.end(`${visits.push(url)} for the operator alone`));
    const addresses: string[] = [];
    const proxy = createGuardedProxy(createAddressGuard());

    before(async () => {
      await run("ip", ["address", "add", `${own4}/32`, "dev", "lo"]);
      await run("ip", ["-6", "address", "add", `${own6}/128`, "dev", "lo", "nodad"]);
      await once(server.listen(0, "::"), "listening");
      const { port } = server.address() as AddressInfo;
      for (const host of [own4, `[${own6}]`, "[2a00:1450:0001:0:0::1]", "own4.example.org", "own6.example.org"])
        addresses.push(`http://${host}:${port}/admin`);
    });
    after(() => {
      for (const one of [server, proxy.server]) {
        one.close();
        one.closeAllConnections();
      }
      proxy.cut();
    });

    it("is there for this machine's own programs", async () => {
      for (const address of addresses) assert.match(await (await fetch(address)).text(), /for the operator alone/);
      visits.length = 0;
    });

    it("is closed to web_fetch, to pages in the browser and to addresses from messages", async ({ signal }) => {
      const fetchPage = createGuardedFetch();
      await once(proxy.server.listen(0, "127.0.0.1"), "listening");
      const { port } = proxy.server.address() as AddressInfo;
      for (const address of addresses) {
        await assert.rejects(fetchPage(address, { signal, timeoutMs: 120_000, maxBytes: 1_000 }), isForbidden, address);
        await assert.rejects(fetchPublic(new URL(address), { signal }), isForbidden, address);
        const asked = get({ host: "127.0.0.1", port, path: address, agent: false });
        const [answer] = await once(asked, "response");
        answer.resume();
        assert.equal(answer.statusCode, 403, address);
      }
      assert.deepEqual(visits, []);
    });
  });
