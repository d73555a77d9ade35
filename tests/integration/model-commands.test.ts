import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type DialectServer, startDialectServer, wireCalls, words } from "@talaria/testkit";
import { runTalaria } from "../support/run-talaria.ts";

const key = "sk-0123456789abcdef";

describe("talaria model", () => {
  let home: string;
  let server: DialectServer;
  let text: string;
  const talaria = (...args: readonly string[]) => runTalaria(["model", ...args], { TALARIA_HOME: home });
  const configFile = () => join(home, "config.yaml");

  before(async () => {
    home = await mkdtemp(join(tmpdir(), "talaria-model-"));
    server = await startDialectServer({ dialect: "openai-chat", apiKeys: [key], models: ["real-one", "real-two"] });
    const at = (path: string, model: string, apiKey = key) =>
      `{ provider: openai-chat, baseUrl: "${server.url}${path}", model: ${model}, apiKey: ${apiKey} }`;
    text = `# mine
agent: { name: Hermes, model: good } # who
models:
  good: ${at("/v1", "real-one")}
  keyless: ${at("/v1", "real-one", "sk-wrong-wrong-wrong")}
  claude: { provider: anthropic, model: claude-opus-5, apiKey: ${key}, price: { input: 5, output: 25 }, fallbacks: [good] }
  demo: { provider: demo }
`;
    await writeFile(configFile(), text, { mode: 0o600 });
  });

  after(async () => {
    await server.stop();
    await rm(home, { recursive: true });
  });

  it("lists what is configured, with no key", async () => {
    const { code, stdout } = await talaria("list");
    assert.equal(code, 0);
    assert.match(stdout, /^\* {2}good +127\.0\.0\.1:\d+ +real-one +128,000 tokens +price unknown$/m);
    assert.match(stdout, /^ {3}claude +Anthropic +claude-opus-5 +128,000 tokens +USD 5 in, 25 out +then good$/m);
    assert.match(stdout, /^ {3}demo +offline demo$/m);
    assert.match(stdout, /cost is unknown in `talaria usage`/);
    assert.ok(!stdout.includes(key));
    const { stdout: json } = await talaria("list", "--json");
    const rows = JSON.parse(json) as readonly { readonly name: string; readonly isUsed: boolean }[];
    assert.deepEqual(
      rows.filter(({ isUsed }) => isUsed).map(({ name }) => name),
      ["good"],
    );
    assert.ok(!json.includes(key));
  });

  it("makes another one the agent's, keeps comments, and names a near miss", async () => {
    const wrong = await talaria("use", "cluade");
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /no model "cluade".*did you mean "claude"\?.*setup model --name/);
    assert.equal(await readFile(configFile(), "utf8"), text);
    const { code, stdout, stderr } = await talaria("use", "claude");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /uses claude instead of good/);
    const written = await readFile(configFile(), "utf8");
    assert.ok(written.includes("# mine") && written.includes("# who") && written.includes("model: claude"), written);
    assert.match((await talaria("use", "claude")).stdout, /already/);
    await writeFile(configFile(), text);
  });

  it("tests one for real: a call and an answer", async () => {
    const rounds = [wireCalls(["word_of_the_day", {}]), words("heliotrope")];
    server.respond = () => rounds.shift() ?? [];
    const { code, stdout, stderr } = await talaria("test");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /good works: real-one called the tool and answered: heliotrope/);
  });

  it("says what failed, and what mends it", async () => {
    const cases = [
      ["keyless", /does not work: the provider refuses the key.*models\.keyless\.apiKey.*--name keyless/],
      ["demo", /the offline demo, and no model.*talaria setup model/],
    ] as const;
    for (const [name, said] of cases) {
      const { code, stdout, stderr } = await talaria("test", name);
      assert.equal(code, 1, `${name}: ${stdout}`);
      assert.match(stderr, said, name);
      assert.ok(!(stdout + stderr).includes(key), "no key is shown");
    }
  });
});
