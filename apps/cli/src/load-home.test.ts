import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadHome } from "./load-home.ts";

describe("the configuration of a home", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  async function load(name: string, text: string, env: Readonly<Record<string, string>> = {}) {
    const config = join(folder, `${name}.yaml`);
    await writeFile(config, text);
    return await loadHome({ home: folder, config }, env);
  }

  it("is the default one without a file", async () => {
    const { config, problems } = await loadHome({ home: join(folder, "empty") }, {});
    assert.equal(config.gateway.port, 7420);
    assert.deepEqual(problems, []);
  });

  it("checks each account with the schema of its platform", async () => {
    const { config, problems } = await load(
      "accounts",
      `accounts:\n  good: { platform: telegram, token: "\${TOKEN}" }\n  bad: { platform: telegram, token: "1:a", mode: pigeon }\n`,
      { TOKEN: "123456:canary-token-canary-token-canary-1" },
    );
    assert.deepEqual(Object.keys(config.accounts), ["good"]);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /accounts\.yaml:3:\d+ accounts\.bad\.mode: /);
    assert.doesNotMatch(problems.join(), /canary/);
  });

  it("names its secrets, so that no log shows them", async () => {
    const token = "123456:canary-token-canary-token-canary-1";
    const { secrets } = await load("secrets", `accounts: { a: { platform: telegram, token: "\${TOKEN}" } }\n`, {
      TOKEN: token,
    });
    assert.ok(secrets.includes(token));
  });

  it("throws every problem of a file at once", async () => {
    await assert.rejects(load("wrong", "workers: 3\ngatway: {}\n"), (error: Error) => {
      assert.match(error.message, /workers: /);
      assert.match(error.message, /gatway: unknown key; did you mean "gateway"/);
      return true;
    });
  });

  it("is read from the copy that runs, and still belongs to its file", async () => {
    const copy = join(folder, "running-config.yaml");
    await writeFile(copy, "auth: { token: { file: secret.txt } }\nagent: { name: Copy }\n");
    await writeFile(join(folder, "secret.txt"), "a-long-secret-beside-the-file");
    await chmod(join(folder, "secret.txt"), 0o600);
    const { config } = await load("file", "this: is wrong", { TALARIA_RUNNING_CONFIG: copy });
    assert.equal(config.agent.name, "Copy");
    assert.equal(config.auth.token?.reveal(), "a-long-secret-beside-the-file");
  });
});
