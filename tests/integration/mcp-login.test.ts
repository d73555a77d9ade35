import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { loadConfig } from "@talaria/config";
import { type LoginTerminal, logIn } from "../../apps/cli/src/mcp/log-in.ts";
import { oauthPeer } from "../../packages/mcp/src/testing/oauth-peer.ts";
import { waitFor } from "../support/wait-for.ts";

async function setUp(test: TestContext, isTerminal: boolean) {
  const peer = await oauthPeer({ isApart: true });
  test.after(() => peer.stop());
  const { config } = loadConfig(
    `mcp: { servers: { notes: { url: "${peer.url}/mcp", oauth: { redirectUrl: "https://talaria.example/back" } } } }`,
    { file: "c.yaml", env: {} },
  );
  const entry = config.mcp.servers.notes;
  assert.ok(entry?.oauth);
  const texts = new Map<string, string>();
  const said: string[] = [];
  const input = new PassThrough();
  const terminal: LoginTerminal = { input, isTerminal, say: (text) => void said.push(text) };
  const store = {
    load: async (_: string, issuer: string) => texts.get(issuer),
    save: async (_: string, issuer: string, secret: string) => void texts.set(issuer, secret),
    forget: async (_: string, issuer: string) => void texts.delete(issuer),
  };
  return {
    peer,
    said,
    texts,
    login: logIn("notes", { ...entry, oauth: entry.oauth }, store, { terminal }),
    type: (line: string) => input.write(`${line}\n`),
    printed: (pattern: RegExp) => waitFor(() => pattern.exec(said.join("\n"))?.[0], `${pattern} in ${said}`),
  };
}

describe("a login at an origin that is not configured", () => {
  it("goes on when somebody at the terminal trusts it, and says what to configure", async (test) => {
    const { peer, said, login, type, printed } = await setUp(test, true);
    await printed(/The login to notes goes to \S+\. Trust this origin for logins\? \[y\/N\]/);
    assert.ok(said.join().includes(`goes to ${peer.issuer}. Trust`));
    type("y");
    const address = await printed(/^http\S+$/m);
    type((await peer.agree(address)).href);
    await login;
    assert.ok(said.join("\n").includes(`  mcp.servers.notes.oauth.origins: ["${peer.issuer}"]`));
    assert.match(said.at(-1) ?? "", /^notes: logged in, \d+ tools/);
    assert.equal(said.join().split("Trust this origin").length, 2);
  });

  for (const [title, isTerminal, answer] of [
    ["somebody at the terminal says no", true, "n"],
    ["somebody pastes something else", true, "https://talaria.example/back?code=1"],
    ["nobody is there to be asked", false, undefined],
  ] as const)
    it(`goes nowhere where ${title}`, async (test) => {
      const { peer, said, texts, login, type, printed } = await setUp(test, isTerminal);
      const refused = assert.rejects(login, /named http:\S+, which is not configured.*oauth\.origins/);
      if (answer !== undefined) {
        await printed(/Trust this origin/);
        type(answer);
      }
      await refused;
      assert.equal(said.length, isTerminal ? 1 : 0);
      assert.deepEqual([peer.seen.registrations, [...texts.keys()].includes(peer.issuer)], [0, false]);
    });
});
