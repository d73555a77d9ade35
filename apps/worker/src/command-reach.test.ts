import assert from "node:assert/strict";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { closedHosts, commandReach } from "./command-reach.ts";

const ssh = `{ host: h, user: u, hostKey: "SHA256:${"x".repeat(43)}", key: "-----BEGIN RSA PRIVATE KEY-----\\nAA\\n-----END RSA PRIVATE KEY-----" }`;

const cases: readonly (readonly [config: string, reach: object | undefined])[] = [
  ["{ backend: off }", undefined],
  ["{ backend: sandbox }", { isSandboxed: true, hasNetwork: false }],
  [
    "{ backend: sandbox, network: [example.org] }",
    { isSandboxed: true, hasNetwork: false, openHosts: ["example.org"] },
  ],
  ["{ backend: docker, image: x }", { isSandboxed: true, hasNetwork: false }],
  [`{ backend: ssh, folder: /w, ssh: ${ssh} }`, { isSandboxed: true, hasNetwork: true }],
  ["{ backend: e2b, e2b: { apiKey: e2b_0123 } }", { isSandboxed: true, hasNetwork: false }],
  ["{ backend: modal, modal: { tokenId: ak-01, tokenSecret: as-01 } }", { isSandboxed: true, hasNetwork: false }],
  ["{ backend: local, unsafe: true }", { isSandboxed: false, hasNetwork: true }],
];

for (const [text, reach] of cases)
  it(`tells the policy what a command reaches with ${text.slice(0, 30)}`, () => {
    const { sandbox } = loadConfig(`sandbox: ${text}\n`, { file: "c.yaml", env: {} }).config;
    assert.deepEqual(commandReach(sandbox), reach);
  });

it("a host that leads inside is refused before anybody is asked, unless the operator has opened it", async () => {
  const isClosedIn = async (text: string, host: string) =>
    await closedHosts(loadConfig(`sandbox: ${text}\n`, { file: "c.yaml", env: {} }).config.sandbox).isClosedHost?.(
      host,
    );
  for (const host of ["me.localhost", "me.localhost:8443"])
    assert.equal(await isClosedIn("{ backend: sandbox, network: [git.localhost] }", host), true, host);
  for (const host of ["git.localhost", "git.localhost:8443", "example.org"])
    assert.equal(await isClosedIn("{ backend: sandbox, network: ['git.localhost:443'] }", host), false, host);
  // Another machine knows other names.
  assert.equal(await isClosedIn("{ backend: e2b, e2b: { apiKey: e2b_0123 } }", "me.localhost"), undefined);
});
