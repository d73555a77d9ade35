import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { firstTurn, scenes } from "../../scripts/prompts/first-turn.ts";
import { promptsPage } from "../../scripts/prompts/page.ts";
import { root } from "./repository.ts";

/** Tokens of what an owner's first message in private costs, by any model's prompt. */
const limits = { prompt: 930, withTools: 2_450 };
const models = ["gpt-5.6", "openai/o4-mini", "claude-opus-5", "gemini-3-pro", "qwen/qwen4", "my-deployment"];

describe("what the model reads with a first message", () => {
  it("is what docs/building/prompts.md shows", async () => {
    const page = readFileSync(new URL("docs/building/prompts.md", root), "utf8");
    assert.ok(
      page === (await promptsPage()),
      "docs/building/prompts.md is out of date: run node scripts/print-prompts.ts",
    );
  });

  it("stays within its limits, whoever writes where, and whatever the model", async (test) => {
    for (const scene of scenes)
      for (const model of models) {
        const { system, tools } = (await firstTurn(scene, model)).tokens;
        test.diagnostic(`${scene.title}, ${model}: ${system} + ${tools}`);
        assert.ok(system <= limits.prompt, `${scene.title}, ${model}: the prompt has ${system} tokens`);
        assert.ok(system + tools <= limits.withTools, `${scene.title}, ${model}: ${system + tools} tokens with tools`);
      }
  });

  it("names no tool that the one who writes has not", async () => {
    for (const scene of scenes) {
      const { system, specs } = await firstTurn(scene, "gpt-5.6");
      const names = new Set(specs.map(({ name }) => name));
      const named = [...system.matchAll(/\b[a-z]+_[a-z]+\b/g)].map(([name]) => name);
      assert.deepEqual(
        named.filter((name) => !names.has(name)),
        [],
        scene.title,
      );
    }
  });
});
