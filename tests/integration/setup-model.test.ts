import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type DialectServer, startDialectServer, wireCalls, words } from "@talaria/testkit";
import { runSetup } from "../support/run-setup.ts";
import { runTalaria } from "../support/run-talaria.ts";

const key = "sk-ant-0123456789abcdef";

describe("talaria setup model", () => {
  let folder: string;
  let server: DialectServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-setup-model-"));
    server = await startDialectServer({ dialect: "anthropic", apiKeys: [key], models: ["claude-one", "claude-two"] });
  });

  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const newHome = () => mkdtemp(join(folder, "home-"));

  it("asks for provider and key, shows the offer, proves a call and an answer, and writes an entry that is valid", async () => {
    const home = await newHome();
    const rounds = [wireCalls(["word_of_the_day", {}]), words("heliotrope")];
    server.respond = () => rounds.shift() ?? words("too late");
    const run = runSetup(home, "model");
    for (const [question, answer] of [
      ["API (", "anthropic"],
      ["Base URL", server.url],
      ["API key", key],
      ["The server offers: claude-one, claude-two", "claude-two"],
    ] as const) {
      await run.says(question);
      run.type(answer);
    }
    assert.equal(await run.ended, 0, run.state.output);
    assert.match(run.state.output, /claude-two called the tool and answered: heliotrope/);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    assert.match(text, /provider: anthropic/);
    assert.ok(!text.includes(key) && !run.state.output.includes(key), "the key is not shown");
    const file = join(home, "secrets", "model-main-apiKey");
    assert.equal(await readFile(file, "utf8"), `${key}\n`);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const checked = await runTalaria(["check"], { TALARIA_HOME: home });
    assert.equal(checked.code, 0, checked.stdout);
  });

  it("writes nothing when the key is refused, or the model does not call tools", async () => {
    const home = await newHome();
    const set = (apiKey: string) => `provider=anthropic,baseUrl=${server.url},apiKey=${apiKey}`;
    const refused = runSetup(home, "model", "--set", set("wrong"));
    assert.notEqual(await refused.ended, 0);
    assert.match(refused.state.output, /refused the API key/);
    server.respond = () => words("I only talk");
    const talker = runSetup(home, "model", "--set", `${set(key)},model=claude-one`);
    assert.notEqual(await talker.ended, 0);
    assert.match(talker.state.output, /did not call the tool/);
    await assert.rejects(readFile(join(home, "config.yaml")), { code: "ENOENT" });
  });

  it("adds a second model and hands the agent over to it, and asks before it replaces one", async () => {
    const home = await newHome();
    const set = `provider=anthropic,baseUrl=${server.url},apiKey=${key},model=claude-one`;
    const first = runSetup(home, "model", "--no-proof", "--set", set);
    assert.equal(await first.ended, 0, first.state.output);
    const second = runSetup(home, "model", "--name", "second", "--no-proof", "--set", set);
    await second.says("Shall it use second");
    second.type("y");
    assert.equal(await second.ended, 0, second.state.output);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    assert.match(text, /agent:\n {2}model: second/);
    const again = runSetup(home, "model", "--no-proof", "--set", set);
    await again.says("There is a model main already");
    again.type("n");
    assert.notEqual(await again.ended, 0);
    assert.equal(await readFile(join(home, "config.yaml"), "utf8"), text);
  });
});
