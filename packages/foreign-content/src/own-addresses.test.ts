import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import os, { networkInterfaces } from "node:os";
import { it, type TestContext } from "node:test";
import { setImmediate as turnOver } from "node:timers/promises";
import { createAddressGuard } from "./address-guard.ts";
import { isElsewhere, isOwnAddress } from "./own-addresses.ts";

/** As on a server whose interface has public addresses. */
function withAddresses(test: TestContext, ...addresses: readonly string[]): void {
  const mac = "00:00:00:00:00:00";
  const eth0 = addresses.map((address) => {
    const rest = { address, mac, internal: false, cidr: null };
    return address.includes(":")
      ? { ...rest, family: "IPv6" as const, netmask: "ffff::", scopeid: 0 }
      : { ...rest, family: "IPv4" as const, netmask: "255.255.255.0" };
  });
  setAddresses(test, () => ({ eth0, gone: undefined }));
}

function setAddresses(test: TestContext, interfaces: typeof os.networkInterfaces): void {
  test.mock.method(os, "networkInterfaces", interfaces);
  syncBuiltinESMExports();
  test.after(() => {
    test.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

it("every address of this machine is its own, and none elsewhere", () => {
  const all = Object.values(networkInterfaces()).flatMap((some) => some?.map(({ address }) => address) ?? []);
  for (const address of [...all, "127.0.0.1", "127.0.1.1", "::1", "::ffff:127.0.0.1"]) {
    assert.deepEqual([isOwnAddress(address), isElsewhere(address)], [true, false], address);
  }
  assert.deepEqual([isOwnAddress("9.9.9.9"), isElsewhere("9.9.9.9")], [false, true]);
  assert.deepEqual([isOwnAddress("example.org"), isElsewhere("example.org")], [false, false]);
});

it("a public address of an interface is refused by number, by name and in every spelling", async (test) => {
  await turnOver();
  withAddresses(test, "93.184.216.1", "2606:2800:220:1::1");
  const guard = createAddressGuard({ resolve: async (name) => [{ address: name.slice(4), family: 4 }] });
  const own = ["93.184.216.1", "[2606:2800:220:1::1]", "[2606:2800:0220:0001:0:0:0:1]", "2606:2800:220:1::0.0.0.1"];
  for (const address of own) {
    await assert.rejects(guard.check(address), { code: "forbidden" }, address);
    const name = `own.${address.replace(/[[\]]/g, "")}`;
    await new Promise<void>((done) => {
      guard.lookup(name, { all: true }, (error) => {
        assert.equal((error as { code?: string } | null)?.code, "forbidden", name);
        done();
      });
    });
  }
  await guard.check("93.184.216.2");
  await guard.check("[2606:2800:220:1::2]");
});

it("an address that the machine gets later is refused from then on", async (test) => {
  await turnOver();
  assert.equal(isElsewhere("93.184.216.1"), true);
  await turnOver();
  withAddresses(test, "93.184.216.1");
  assert.equal(isElsewhere("93.184.216.1"), false);
});

it("a long answer of a resolver asks the system once", async (test) => {
  await turnOver();
  let asked = 0;
  setAddresses(test, () => {
    asked += 1;
    return {};
  });
  const resolve = async () => Array.from({ length: 250 }, (_, last) => ({ address: `93.184.216.${last}`, family: 4 }));
  const guard = createAddressGuard({ resolve });
  await new Promise<void>((done) => {
    guard.lookup("many.example.org", { all: true }, (error) => {
      assert.equal(error, null);
      done();
    });
  });
  assert.equal(asked, 1);
});

it("where the system tells nobody its addresses, the public internet is reached all the same", async (test) => {
  await turnOver();
  setAddresses(test, () => {
    throw new Error("EACCES");
  });
  assert.deepEqual([isElsewhere("93.184.216.1"), isElsewhere("10.0.0.1")], [true, false]);
});
