import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressOfCommandHost, commandHostFault, coversHost, opensHost } from "./command-host.ts";

describe("a host that a command asks for", () => {
  it("is a name of several words in small letters, with a port or without", () => {
    const good = ["pypi.org", "files.pythonhosted.org", "a-b.example.org:8443", "xn--bcher-kva.example", "x.y1"];
    for (const host of good) assert.equal(commandHostFault(host), undefined, host);
    const bad = [
      ...["", "localhost", "example", "10.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "::1", "1.2.3.4:80"],
      ...["PyPI.org", "pypi.org.", ".org", "a..b", "-a.org", "a-.org", "a_b.org", "bücher.example", "pypi․org"],
      ...["https://pypi.org", "pypi.org/simple", "*.pypi.org", "u@pypi.org", "pypi.org:0", "pypi.org:65536", "a.org:"],
      ...["a.org\nb.org", "a.org b.org", "a.org#x", `${"a.".repeat(200)}org`, `${"a".repeat(64)}.org`, "a.org:080"],
    ];
    for (const host of bad) assert.notEqual(commandHostFault(host), undefined, host);
  });

  it("means the ports of the web, or the one that it names", () => {
    const cases: readonly (readonly [hosts: readonly string[], name: string, port: number, opens: boolean])[] = [
      [["a.org"], "a.org", 443, true],
      [["a.org"], "a.org", 80, true],
      [["a.org"], "a.org", 22, false],
      [["a.org"], "b.a.org", 443, false],
      [["a.org"], "xa.org", 443, false],
      [["a.org:22"], "a.org", 22, true],
      [["a.org:22"], "a.org", 443, false],
      [["*.a.org"], "b.a.org", 443, true],
      [["*.a.org"], "a.org", 443, false],
      [["*.a.org:8443"], "b.a.org", 443, false],
      [[], "a.org", 443, false],
    ];
    for (const [hosts, name, port, opens] of cases)
      assert.equal(opensHost(hosts, name, port), opens, `${hosts} ${name}`);
    assert.equal(coversHost(["a.org:443"], "a.org"), false);
    assert.equal(coversHost(["a.org:443", "a.org:80"], "a.org"), true);
    assert.equal(coversHost(["*.a.org"], "b.a.org:443"), true);
  });

  it("is an address of https for the policy, unless it names port 80", () => {
    assert.deepEqual(["a.org", "a.org:443", "a.org:80", "a.org:8443"].map(addressOfCommandHost), [
      ...["https://a.org/", "https://a.org/", "http://a.org/", "https://a.org:8443/"],
    ]);
  });
});
