import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { hold, startModelServer } from "@talaria/testkit";
import { skipWithoutPeers } from "../../../../packages/sandbox/src/missing-peers.fixture.ts";
import { Installation } from "../../../../tests/support/installation.ts";
import { runTalaria } from "../../../../tests/support/run-talaria.ts";

const clean = /\nlost +0\nduplicated +0\nreordered +0\n/;
const skip = skipWithoutPeers(undefined);

describe("talaria verify", () => {
  let talaria: Installation;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-workspaces-"));
    await chmod(folder, 0o711);
    talaria = await Installation.start({ config: `sandbox: { backend: sandbox, folder: ${folder} }\n` });
  });
  after(async () => {
    await talaria.remove();
    await rm(folder, { recursive: true, force: true });
  });

  function verify(...options: readonly string[]) {
    return runTalaria(["verify", ...options], { TALARIA_HOME: talaria.home }, 120_000);
  }

  it("kills gateways and workers while people write, and finds nothing lost, doubled or out of order", async () => {
    const { code, stdout, stderr } = await verify("--conversations", "6", "--messages", "12");
    assert.equal(stderr, "");
    assert.match(stdout, /^6 conversations with 72 messages, while processes are killed\n/);
    assert.match(stdout, /killed a gateway \(process \d+\)\n/);
    assert.match(stdout, /killed a worker \(process \d+\)\n/);
    assert.match(stdout, /\nsent +72\nanswered +72\n/);
    assert.match(stdout, clean);
    assert.equal(code, 0);
  });

  it("has the database stop at once twice while commands run, and finds none that ran twice or whose end is not known", {
    skip,
  }, async () => {
    const few = ["--conversations", "6", "--messages", "8", "--blows", "2"];
    const { code, stdout, stderr } = await verify("--commands", ...few, "--dose", "restart-database");
    assert.equal(stderr, "");
    assert.match(stdout, /^6 conversations with 48 messages that ask for a command, while the database stops/);
    assert.match(stdout, /stopped the database at once \(2 of 2\)\n/);
    assert.match(stdout, /\nsent +48\nanswered +48\n/);
    assert.match(stdout, clean);
    assert.match(stdout, /\nran +48\ntwice +0\nunknown +0\nfailed +0\nneedless +0\n/);
    assert.equal(code, 0);
  });

  it("kills nothing when it is told so", async () => {
    const { code, stdout } = await verify("--conversations", "1", "--messages", "2", "--no-kill");
    assert.match(stdout, clean);
    assert.equal(code, 0);
    assert.match(stdout, /^1 conversations with 2 messages, without killing anything\n/);
    assert.doesNotMatch(stdout, /killed/);
  });

  it("refuses what makes no sense in one line", async () => {
    const { code, stderr } = await verify("--messages", "0");
    assert.equal(stderr, "talaria: --messages must be a whole number from 1 to 200\n");
    assert.equal(code, 1);
    const dosed = await verify("--dose", "arsenic");
    assert.match(dosed.stderr, /^talaria: --dose must be one of kill, freeze, [^\n]*\n$/);
    const needy = await verify("--dose", "pause-redis");
    assert.equal(needy.stderr, "talaria: --dose pause-redis needs Redis\n");
  });
});

describe("talaria verify with a real model", () => {
  it("asks before it spends anything, and says so when answers are missing", async () => {
    const forever = Promise.withResolvers<void>();
    await using model = await startModelServer({ respond: () => [...hold(forever.promise)] });
    const models = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: sk-x, model: big } }\n`;
    await using talaria = await Installation.start({ config: models });
    const env = { TALARIA_HOME: talaria.home };
    const small = ["verify", "--conversations", "1", "--messages", "2", "--no-kill"];
    const asked = await runTalaria(small, env);
    assert.match(asked.stderr, /^talaria: this costs up to 2 calls of the model "main".*--yes\n$/);
    assert.equal(asked.code, 1);
    assert.equal(model.requests.length, 0);
    const ran = await runTalaria([...small, "--yes", "--wait", "2"], env);
    assert.match(ran.stdout, /\nsent +2\nanswered +0\nlost +2\n/);
    assert.equal(ran.code, 1);
    forever.resolve();
  });

  it("says that nothing runs when nothing does", async () => {
    const talaria = await Installation.start();
    await talaria.stop();
    const { code, stderr } = await runTalaria(["verify"], { TALARIA_HOME: talaria.home });
    await talaria.remove();
    assert.match(
      stderr,
      /^talaria: Talaria isn't running on \/[^\n]*: start it with `talaria start --home \/[^\n]*`, or choose another folder with --home\n$/,
    );
    assert.equal(code, 1);
  });
});
