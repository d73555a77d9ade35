import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addModel, hasModel, useModel } from "./add-model.ts";
import { loadConfig } from "./load-config.ts";

const entry = { provider: "anthropic", model: "m", apiKey: { file: "./key" } };
const add = (text: string, name = "main", isUsed = false) => addModel(text, "config.yaml", { name, entry, isUsed });

describe("a new model", () => {
  it("joins the others, and everything else stays", () => {
    const text = add("# mine\nmodels:\n  old: { provider: demo } # offline\n", "second");
    assert.ok(text.includes("# mine") && text.includes("# offline"));
    assert.ok(hasModel(text, "old") && hasModel(text, "second"));
    assert.ok(!hasModel(text, "third"));
  });

  it("is written into an empty file, into empty sections, and becomes the agent's", () => {
    for (const before of ["", "models:\n", "models: {}\nagent:\n", "agent: { name: Hermes }\n"]) {
      const text = add(before, "second", true);
      const { config } = loadConfig(text, { file: "c", env: {}, readSecret: () => "sk-1" });
      assert.equal(config.agent.model, "second", before);
      assert.equal(config.models.second?.provider, "anthropic");
    }
  });

  it("takes the place of an entry with its name", () => {
    const text = add("models: { main: { provider: demo, images: false } }\n");
    assert.doesNotMatch(text, /demo|images/);
  });

  it("is refused by a file that is no mapping", () => {
    assert.throws(() => add("- a\n"), /not valid YAML/);
  });
});

describe("another model for the agent", () => {
  it("is used from now on, and everything else stays, comments too", () => {
    for (const before of [
      "# mine\nmodels: { a: { provider: demo } } # two\nagent: { name: Hermes } # who\n",
      "# mine\nmodels:\n  a: { provider: demo }\nagent:\n",
    ]) {
      const text = useModel(before, "c", "a");
      assert.equal(loadConfig(text, { file: "c", env: {} }).config.agent.model, "a", text);
      for (const kept of before.match(/#.*/g) ?? []) assert.ok(text.includes(kept), text);
    }
    assert.throws(() => useModel("- a\n", "c", "a"), /not valid YAML/);
  });
});
