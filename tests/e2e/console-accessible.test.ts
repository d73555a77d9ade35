import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { callTool, type ModelServer, say, startModelServer } from "@talaria/testkit";
import type { AxeResults } from "axe-core";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

const answer = `# Report

| ${"column | ".repeat(12)}
|${" --- |".repeat(12)}
| ${"cell | ".repeat(12)}

\`\`\`js
// a comment
const words = "said " + 42 + ${"wide".repeat(60)};
\`\`\`

- [x] done

> quoted \`code\` and [a link](https://example.org)`;

describe("the console for people who see or type otherwise", { skip: skipWithoutBrowser }, () => {
  const plan = new ModelPlan();
  let model: ModelServer;
  let talaria: Installation;

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    const config = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }\npolicy: { rules: [{ ask: The time is a secret, tool: current_time }] }`;
    talaria = await Installation.start({ config, database: "shared" });
  });
  after(async () => {
    await talaria?.remove();
    await model?.stop();
  });

  async function findingsOf({ page }: ConsolePage): Promise<readonly string[]> {
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
    const results = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
    );
    return results.violations.map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`,
    );
  }

  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const)
    it(`has nothing that axe finds, light and dark, at ${width} pixels`, async () => {
      await using browser: Browser = await openBrowser({ viewport: { width, height } });
      plan.answer("show me all", callTool("todo", { steps: [{ id: "a", text: "look" }] }), say(answer));
      plan.answer("what time is it?", callTool("current_time", {}), say("Late."));
      await using chat = await ConsolePage.open(
        browser.context,
        `${talaria.url}/console/#conversation=axe${width}&token=${talaria.token}`,
      );
      await chat.say("show me all");
      await chat.answer(/Report/);
      await chat.page.locator(".code-cmnt").waitFor();
      await chat.page.locator(".steps > summary").last().click();
      await chat.say("what time is it?");
      await chat.answer(/May I /);
      for (const colorScheme of ["light", "dark"] as const) {
        await chat.page.emulateMedia({ colorScheme });
        assert.deepEqual(await findingsOf(chat), [], colorScheme);
      }
      await chat.page.getByLabel("Message", { exact: true }).fill("/");
      await chat.page.getByRole("listbox").waitFor();
      if (width < 768) await chat.page.getByRole("button", { name: "Conversations", exact: true }).click();
      assert.deepEqual(await findingsOf(chat), [], "with menu and drawer");
      await chat.page.keyboard.press("Escape");
      await chat.say("/stop");
    });
});
