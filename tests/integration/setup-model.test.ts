import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type DialectServer, startDialectServer, startOllamaServer, wireCalls, words } from "@talaria/testkit";
import { runSetup } from "../support/run-setup.ts";
import { runTalaria } from "../support/run-talaria.ts";

const key = "sk-ant-0123456789abcdef";

/** Calls the tool of the proof, and answers with what it gave. */
function proving() {
  return ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
    JSON.stringify(body).includes("heliotrope") ? words("heliotrope") : wireCalls(["word_of_the_day", {}]);
}

describe("talaria setup model", () => {
  let folder: string;
  let server: DialectServer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-setup-model-"));
    const models = ["claude-opus-5", "claude-two"];
    server = await startDialectServer({ dialect: "anthropic", apiKeys: [key], models });
  });

  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const newHome = () => mkdtemp(join(folder, "home-"));
  const configOf = (home: string) => readFile(join(home, "config.yaml"), "utf8");

  it("asks whose model it is and for the key, takes a number from the offer, proves it, and knows window and price", async () => {
    const home = await newHome();
    server.respond = proving();
    const run = runSetup(home, "model", "--set", `baseUrl=${server.url}`);
    for (const [question, answer] of [
      ["Whose model? Number or name: ", "1"],
      ["API key: ", key],
      ["2  claude-two", "1"],
    ] as const) {
      await run.says(question);
      run.type(answer);
    }
    assert.equal(await run.ended, 0, run.state.output);
    const { output } = run.state;
    assert.match(output, /claude-opus-5 called the tool and answered: heliotrope/);
    assert.match(output, /Anthropic lets no other program use a Claude subscription/);
    assert.match(output, /Next:\n {2}1\. Start it: `npm start`\n {2}2\. .*setup telegram.*\n {2}3\. .*talaria open/);
    const text = await configOf(home);
    for (const line of ["provider: anthropic", "contextTokens: 200000", "input: 5", "cachedInput: 0.5"])
      assert.ok(text.includes(line), text);
    assert.ok(!text.includes(key) && !output.includes(key), "the key is not shown");
    const file = join(home, "secrets", "model-main-apiKey");
    assert.ok(output.includes(`It is kept in ${file}, which this account alone can read`), output);
    assert.equal(await readFile(file, "utf8"), `${key}\n`);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const checked = await runTalaria(["check"], { TALARIA_HOME: home });
    assert.equal(checked.code, 0, checked.stdout);
  });

  it("writes nothing when the key is refused, the model calls no tools, or nobody is called so", async () => {
    const home = await newHome();
    const set = (apiKey: string) => `provider=anthropic,baseUrl=${server.url},apiKey=${apiKey}`;
    const refused = runSetup(home, "model", "--set", set("wrong"));
    assert.notEqual(await refused.ended, 0);
    assert.match(refused.state.output, /refused the API key/);
    server.respond = () => words("I only talk");
    const talker = runSetup(home, "model", "--set", `${set(key)},model=claude-two`);
    assert.notEqual(await talker.ended, 0);
    assert.match(talker.state.output, /called no tool.*choose a model that can call tools/);
    const nobody = runSetup(home, "model", "--set", "provider=olama");
    assert.notEqual(await nobody.ended, 0);
    assert.match(nobody.state.output, /"olama" is none of these: did you mean "ollama"\?/);
    await assert.rejects(configOf(home), { code: "ENOENT" });
  });

  it("adds a second model and hands the agent over to it, and asks before it replaces one", async () => {
    const home = await newHome();
    const set = `provider=anthropic,baseUrl=${server.url},apiKey=${key},model=claude-one,effort=high,price.input=0.5,price.output=2,contextTokens=64000`;
    const first = runSetup(home, "model", "--no-proof", "--set", set);
    assert.equal(await first.ended, 0, first.state.output);
    const second = runSetup(home, "model", "--name", "second", "--no-proof", "--set", set);
    await second.says("Shall it use second");
    second.type("y");
    assert.equal(await second.ended, 0, second.state.output);
    const text = await configOf(home);
    assert.match(text, /agent:\n {2}model: second/);
    assert.match(text, /effort: high\n {4}price:\n {6}input: 0.5\n {6}output: 2\n {4}contextTokens: 64000/);
    const again = runSetup(home, "model", "--no-proof", "--set", set);
    await again.says("There is a model main already");
    again.type("n");
    assert.notEqual(await again.ended, 0);
    assert.equal(await configOf(home), text);
  });

  it("finds an Ollama, adds /v1, and says that its window is small and what mends it", async () => {
    const home = await newHome();
    const models = {
      "gemma:2b": { hasTools: false, longestTokens: 8_192 },
      "qwen3:8b": { hasTools: true, longestTokens: 40_960 },
    };
    await using ollama = await startOllamaServer({ models, respond: proving() });
    process.env.OLLAMA_HOST = ollama.url;
    try {
      const run = runSetup(home, "model");
      await run.says("Ollama on this machine   found, with 2 models");
      run.type("ollama");
      await run.says("2  qwen3:8b");
      run.type("qwen");
      run.type("2");
      assert.equal(await run.ended, 0, run.state.output);
      assert.match(run.state.output, /a window of 4,096 tokens, and cuts what is longer/);
      assert.match(run.state.output, /OLLAMA_CONTEXT_LENGTH=32768 ollama serve/);
      const text = await configOf(home);
      assert.match(
        text,
        new RegExp(`baseUrl: ${ollama.url}/v1\\n.*model: qwen3:8b\\n.*contextTokens: 4096\\n.*price:\\n.*input: 0`),
      );
      assert.doesNotMatch(text, /apiKey/);
      const tools = runSetup(home, "model", "--name", "other", "--set", "provider=8,model=gemma:2b");
      tools.type("y");
      assert.equal(await tools.ended, 1);
      assert.match(tools.state.output, /gemma:2b can't call tools, as Ollama says/);
    } finally {
      delete process.env.OLLAMA_HOST;
    }
  });

  it("finds the /v1 of a server whose address was typed without it, and the window that LM Studio has loaded", async () => {
    const home = await newHome();
    await using other = await startDialectServer({
      dialect: "openai-chat",
      models: ["local-one"],
      respond: proving(),
      beside: async ({ url }, response) => {
        const listed = { id: "local-one", type: "llm", max_context_length: 131_072, loaded_context_length: 8_192 };
        if (url !== "/api/v0/models") return false;
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: [listed] }));
        return true;
      },
    });
    const run = runSetup(home, "model", "--set", "provider=10,apiKey=");
    await run.says("Its address (base URL): ");
    run.type(other.url);
    await run.says("1  local-one");
    run.type("local-one");
    assert.equal(await run.ended, 0, run.state.output);
    assert.ok(run.state.output.includes(`It answers at ${other.url}/v1.`), run.state.output);
    assert.match(
      await configOf(home),
      new RegExp(`baseUrl: ${other.url}/v1\n.*model: local-one\n.*contextTokens: 128000`),
    );
    const set = `provider=lmstudio,baseUrl=${other.url},apiKey=,model=local-one`;
    const studio = runSetup(home, "model", "--name", "studio", "--set", set);
    studio.type("n");
    assert.equal(await studio.ended, 0, studio.state.output);
    assert.match(await configOf(home), /studio:\n.*\n.*\/v1\n.*\n.*contextTokens: 8192\n.*price:\n.*input: 0/);
  });
});
