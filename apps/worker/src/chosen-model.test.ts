import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loadConfig } from "@talaria/config";
import { createChosenModel } from "./chosen-model.ts";
import { createModelPort, unitPriceOf } from "./create-model-port.ts";
import { createTestStore, ScriptedModel, says, Talk, type TestStore, TestWorker } from "./worker.fixture.ts";

const models = `models:
  main: { provider: demo, price: { input: 2, output: 10 } }
  large: { provider: openai-chat, model: big, apiKey: k, contextTokens: 400000, maxOutputTokens: 9000, effort: high }
  tiny: { provider: demo }
`;

function configOf(agent: string) {
  return loadConfig(`${models}agent: { ${agent} }\n`, { file: "test", env: {} }).config;
}

describe("the model that was chosen for a conversation", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("answers from the next turn on, in every worker, and the agent's own elsewhere", async () => {
    const ports = new Map<string, ScriptedModel>();
    const connect = (name: string, effort: string | undefined) => {
      const port = new ScriptedModel(says(`${name} ${effort ?? "as it is"}`));
      ports.set(`${name} ${effort}`, port);
      return port;
    };
    const options = () => ({ chosenModel: createChosenModel(configOf("memberModels: [tiny]"), connect) });
    const [talk, other] = [new Talk(test), new Talk(test)];
    const answered = async (one: Talk) => {
      await one.say("hello");
      const worker = await TestWorker.start(test, new ScriptedModel(says("never")), options());
      await worker.run(one.key);
      return (await one.texts()).at(-1);
    };
    assert.equal(await answered(talk), "main as it is");
    await talk.choose("model", "tiny", "member");
    assert.equal(await answered(talk), "tiny as it is");
    await talk.choose("effort", "low", "owner");
    assert.equal(await answered(talk), "tiny low");
    assert.equal(await answered(other), "main as it is");
    await talk.choose("model", "large", "member");
    assert.equal(await answered(talk), "main low", "a member may not have that one");
    await talk.choose("model", "gone", "owner");
    assert.equal(await answered(talk), "main low", "it is not configured any more");
    await talk.choose("model", "large", "owner");
    await talk.choose("effort", "high", "owner");
    assert.equal(await answered(talk), "large as it is");
    await talk.control("reset");
    assert.equal(await answered(talk), "large as it is", "also after /new");
    await talk.choose("model");
    assert.equal(await answered(talk), "main high");
  });

  it("has its own window and price, which counts in the tokens of the agent's", () => {
    const config = configOf("model: main");
    const chosen = createChosenModel(config, () => new ScriptedModel());
    const large = chosen({ model: { name: "large", role: "owner" } });
    assert.deepEqual(large.limits, { windowTokens: 400_000, answerTokens: 9_000 });
    assert.equal(chosen({ model: { name: "large", role: "owner" } }), large);
    assert.equal(unitPriceOf(config), 2);
    assert.throws(() => createModelPort(config, {} as never, "gone"), /models\.gone is not configured/);
  });

  it("is refused in the configuration where a list names one that is not there", () => {
    assert.throws(
      () => configOf("memberModels: [tiny, larg]"),
      /agent\.memberModels\[?\.?1\]?.*there is no entry "larg" in models/s,
    );
  });
});
