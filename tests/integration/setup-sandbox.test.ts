import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { runSetup } from "../support/run-setup.ts";

async function homeWith(test: TestContext, config: (home: string) => string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "talaria-setup-sandbox-"));
  test.after(() => rm(home, { recursive: true, force: true }));
  await chmod(home, 0o711);
  await writeFile(join(home, "config.yaml"), config(home));
  return home;
}

const away = (home: string) => `sandbox: { backend: docker, image: x, socket: ${home}/no.sock }\n`;

describe("talaria setup sandbox", () => {
  it("has nothing to do where all that is switched on works", async (test) => {
    const { ended, state } = runSetup(await homeWith(test, () => "sandbox: { backend: off }\n"), "sandbox");
    assert.equal(await ended, 0);
    assert.match(state.output, /^trying commands, files and browser\ncommands and files off; browser off\n$/);
  });

  for (const [how, answers] of [
    ["somebody says no", ["n"]],
    ["somebody says nothing", [""]],
    ["nobody is there", []],
  ] as const)
    it(`tells what would mend it, and runs nothing where ${how}`, async (test) => {
      const { ended, state, says, type, end } = runSetup(await homeWith(test, away), "sandbox");
      await says("Run it now? [y/N]");
      for (const answer of answers) type(answer);
      end();
      assert.equal(await ended, 1);
      assert.match(state.output, /no commands and files: Docker does not answer at .*; run: .*systemctl start docker;/);
      assert.match(
        state.output,
        /This would mend it:\n\n {2}(sudo )?systemctl start docker\n\n[\s\S]*Nothing was run\.\n$/,
      );
    });

  it("runs it where somebody agrees, and tries again", {
    skip: process.getuid?.() === 0 ? skipWithoutPeers(process.env.CI) : "only root's commands are another account's",
  }, async (test) => {
    const home = await homeWith(test, (own) => `sandbox: { folder: ${own}/closed/w }\n`);
    await mkdir(join(home, "closed"), { mode: 0o700 });
    const { ended, state, says, type } = runSetup(home, "sandbox");
    await says("Run it now? [y/N]");
    assert.equal((await stat(join(home, "closed"))).mode & 0o777, 0o700);
    type("y");
    assert.equal(await ended, 0, state.output);
    assert.match(state.output, / {2}chmod o\+x \S+\/closed\n/);
    assert.match(
      state.output,
      /\ncommands and files work \(bubblewrap, as uid 64917; files in \S+\/closed\/w\); browser off\n/,
    );
  });
});
