import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { callTool, type ModelServer, say, startModelServer } from "@talaria/testkit";
import { type ApprovalScene, approvalScenes, waitForText } from "../support/approval-scenes.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { waitFor } from "../support/wait-for.ts";

const asks = "{ ask: The time is a secret, tool: current_time }";
const denies = "{ deny: Nobody may know the time., tool: current_time }";

for (const [name, startScene] of Object.entries(approvalScenes))
  describe(`a rule that denies what waits for approval, on ${name}`, () => {
    const plan = new ModelPlan();
    let scene: ApprovalScene;
    let model: ModelServer;
    let talaria: Installation;

    before(async () => {
      scene = await startScene(() => talaria);
      model = await startModelServer({ respond: plan.respond });
      const models = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test } }`;
      const config = `${models}\npolicy:\n  rules:\n    - ${asks}\n${scene.config}`;
      talaria = await Installation.start({ database: "shared", config });
      await connected();
    });
    after(async () => {
      await talaria?.remove();
      await model?.stop();
      await scene?.stop();
    });

    const connected = async () => {
      if (scene.config !== "")
        await waitFor(async () => (await talaria.connectionOf("main")) === "connected", "the connection");
    };

    it("closes the question once it is in force, and the turn goes on with that", async () => {
      const { direct } = scene;
      plan.answer("what time is it?", callTool("current_time", {}), say("I may not look at the clock any more."));
      await direct.say("owner", "what time is it?");
      const question = await waitForText(direct, /May I /);
      await talaria.stop();
      const file = join(talaria.home, "config.yaml");
      const before = await readFile(file, "utf8");
      await writeFile(file, before.replace(asks, denies));
      await talaria.begin();
      await connected();
      await waitForText(direct, /✗ Denied: the operator's rules forbid this now\./);
      await waitForText(direct, /I may not look at the clock any more\./);
      assert.match(
        model.requests.at(-1)?.toolResults[0] ?? "",
        /^DENIED by the operator's rules.* Nobody may know the time\./,
      );
      const press = direct.press("owner", question, "Approve");
      if (scene.spendsButtons) await assert.rejects(press, /nobody can press/);
      else await waitForText(direct, /That was already denied\./);
      assert.equal(model.requestCount(), 2);
    });
  });
