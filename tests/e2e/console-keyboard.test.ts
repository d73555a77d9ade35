import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, type ModelServer, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { longestWaitMs, waitFor } from "../support/wait-for.ts";
import { openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

/** Of a search for what isn't there, the last so many: more than a page of these tests has. */
const shownStops = 60;

describe("the console by the keyboard alone", { skip: skipWithoutBrowser }, () => {
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

  for (const [width, height] of [
    [390, 844],
    [820, 1180],
    [1440, 900],
  ] as const)
    it(`does everything at ${width} pixels, and the focus is never lost`, async () => {
      await using browser = await openBrowser({ viewport: { width, height } });
      await using chat = await ConsolePage.open(
        browser.context,
        `${talaria.url}/console/#conversation=keys${width}&token=${talaria.token}`,
      );
      const { page } = chat;
      const hasDrawer = width < 768;
      const asked = `what time is it at ${width}?`;
      plan.answer(asked, callTool("current_time", {}), say("Late. `code`"));

      /** What has the focus, and whether a person sees where that is. */
      const focused = () =>
        page.evaluate(() => {
          const { document, getComputedStyle } = globalThis as unknown as PageGlobals;
          const { activeElement: element } = document;
          const name = element.getAttribute("aria-label") ?? element.textContent ?? "";
          const { top, height, width: across } = element.getBoundingClientRect();
          const isShown = height > 0 && across > 0 && top >= 0 && top < document.documentElement.clientHeight;
          return {
            tag: element.tagName,
            name: name.trim(),
            isMarked: isShown && getComputedStyle(element).outlineStyle !== "none",
          };
        });
      const tabTo = async (wanted: RegExp, key: "Tab" | "Shift+Tab" = "Tab") => {
        const seen: string[] = [];
        for (const until = performance.now() + longestWaitMs; performance.now() < until; ) {
          await page.keyboard.press(key);
          const { tag, name, isMarked } = await focused();
          if (tag !== "BODY") assert.ok(isMarked, `the focus can't be seen at ${tag} ${name}`);
          if (wanted.test(name)) return;
          seen.push(`${tag} ${name}`);
        }
        assert.fail(`${wanted} isn't reached, but ${seen.slice(-shownStops).join(", ")}`);
      };
      const press = async (wanted: RegExp, key: "Enter" | "Space" = "Enter") => {
        await tabTo(wanted);
        await page.keyboard.press(key);
      };
      const keepsFocus = (what: string) =>
        waitFor(async () => (await focused()).tag !== "BODY", `the focus to be somewhere after ${what}`);
      const openDrawer = async () => {
        if (!hasDrawer) return;
        await press(/^Conversations$/);
        await waitFor(async () => (await focused()).name === "Close", "the drawer to have the focus");
      };

      await page.keyboard.type(asked);
      await page.keyboard.press("Enter");
      await chat.answer(/May I /);
      await press(/^Approve/);
      await chat.answer(/^Late/);
      await keepsFocus("a decision");
      await press(/step/);
      await page.locator(".steps[open]").first().waitFor();
      await press(/^Copy answer$/, "Space");
      await keepsFocus("a copy");

      await press(/^Rename or delete$/);
      await page.getByRole("dialog").waitFor();
      assert.equal((await focused()).tag, "INPUT", "the title is where one types");
      await page.keyboard.type(`Clock ${width}`);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: `Clock ${width}` }).waitFor();
      await keepsFocus("a rename");
      assert.equal((await focused()).name, "Rename or delete", "where one was before the dialog");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await waitFor(async () => (await focused()).name === "Rename or delete", "the focus after Escape");

      await openDrawer();
      await tabTo(/^Search conversations$/);
      await page.keyboard.type(`Clock ${width}`);
      await waitFor(async () => (await page.locator("#conversations a").count()) === 1, "what was searched for");
      if (hasDrawer) {
        await page.keyboard.press("Escape");
        await waitFor(async () => (await focused()).name === "Conversations", "the focus where it was");
        await page.keyboard.press("Enter");
      }
      await press(/^New conversation$/);
      await waitFor(async () => (await focused()).name === "Message", "the field to have the focus");
      await openDrawer();
      await press(new RegExp(`^Clock ${width}`));
      await waitFor(async () => (await focused()).name === "Message", "the field to have the focus again");
      await chat.answer(/^Late/);

      await page.keyboard.type("/hel");
      await page.getByRole("listbox").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await chat.answer(/\/new/);

      // What is deleted may be noted as read just then, which the gateway refuses and the page passes over.
      assert.deepEqual(chat.faults, []);
      await press(/^Rename or delete$/);
      await press(/^Delete …$/);
      await press(/^Delete it for good$/);
      await waitFor(() => !page.url().includes(`keys${width}`), "its address is left");
      await keepsFocus("a deletion");
    });
});

interface PageGlobals {
  readonly document: {
    readonly activeElement: {
      readonly tagName: string;
      readonly textContent: string | null;
      getAttribute(name: string): string | null;
      getBoundingClientRect(): { readonly top: number; readonly height: number; readonly width: number };
    };
    readonly documentElement: { readonly clientHeight: number };
  };
  getComputedStyle(element: unknown): { readonly outlineStyle: string };
}
