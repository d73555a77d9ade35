import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { hold, type ModelServer, modelFault, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

describe("answers in the console", { skip: skipWithoutBrowser }, () => {
  const plan = new ModelPlan();
  let model: ModelServer;
  let talaria: Installation;
  let browser: Browser;

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    const config = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }`;
    talaria = await Installation.start({ config, database: "shared" });
    browser = await openBrowser();
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: talaria.url });
  });
  after(async () => {
    await browser?.close();
    await talaria?.remove();
    await model?.stop();
  });

  const open = (conversation: string) =>
    ConsolePage.open(browser.context, `${talaria.url}/console/#conversation=${conversation}&token=${talaria.token}`);
  const clipboardOf = ({ page }: ConsolePage) =>
    page.evaluate(() =>
      (
        globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
      ).navigator.clipboard.readText(),
    );

  it("are stopped by a button that stands there while they run, and only then", async () => {
    const gate = Promise.withResolvers<void>();
    plan.answer("count to a million", [...say("One, two, "), ...hold(gate.promise), ...say("three.")]);
    await using chat = await open("stop");
    const button = (name: string) => chat.page.getByRole("button", { name, exact: true });
    assert.equal(await button("Stop").count(), 0);
    await chat.say("count to a million");
    await button("Stop").waitFor();
    assert.equal(await button("Send").count(), 0);
    await chat.page.getByLabel("Message", { exact: true }).fill("and something else");
    await button("Send").waitFor();
    await chat.page.getByLabel("Message", { exact: true }).fill("");
    await waitFor(async () => (await chat.lines()).some(({ text }) => text.startsWith("One, two")), "growth");
    await button("Stop").click();
    await chat.answer(/^Stopped/);
    await button("Send").waitFor();
    assert.equal(await button("Stop").count(), 0);
    gate.resolve();
    assert.deepEqual(chat.faults, []);
  });

  it("that failed are asked for again by a button, as long as they are the newest", async () => {
    plan.answer("try this", modelFault.unauthorized());
    await using chat = await open("retry");
    await chat.say("try this");
    await waitFor(async () => (await chat.lines()).some(({ isFailed }) => isFailed), "the failure");
    await chat.reload();
    const retry = chat.page.getByRole("button", { name: "Retry", exact: true });
    await retry.click();
    await chat.answer(/^echo: [\s\S]*try this/);
    await waitFor(async () => (await retry.count()) === 0, "nothing is left to retry");
    assert.deepEqual(chat.faults, []);
  });

  it("that nobody gets are said at the top, with what mends it, until people get them again", async () => {
    await using chat = await open("trouble");
    const dot = chat.page.locator("#connection");
    const trouble = chat.page.locator("#trouble");
    await chat.say("is all well?");
    await chat.answer(/^echo: is all well/);
    await chat.page.locator("#connection.sound").waitFor();
    assert.equal(await trouble.count(), 0);
    plan.answer("and now?", modelFault.unauthorized());
    await chat.say("and now?");
    await trouble.filter({ hasText: /^model main: .* since \d\d:\d\d .*talaria/ }).waitFor();
    assert.equal(await dot.getAttribute("class"), "troubled");
    assert.equal(await dot.getAttribute("title"), "people get no answers");
    assert.equal((await dot.textContent())?.trim(), "connected, people get no answers");
    await using other = await openBrowser({ viewport: { width: 390, height: 844 } });
    await using phone = await ConsolePage.open(
      other.context,
      `${talaria.url}/console/#conversation=trouble&token=${talaria.token}`,
    );
    await phone.page.locator("#trouble").waitFor();
    assert.ok((await phone.page.locator("html").evaluate(({ scrollWidth }) => scrollWidth)) <= 390);
    await chat.say("better?");
    await chat.answer(/^echo: [\s\S]*better\?/);
    await chat.page.locator("#connection.sound").waitFor();
    assert.equal(await trouble.count(), 0);
  });

  it("are copied as they were written, and so is each block of code in them", async () => {
    const answer = "Run **this**:\n\n```sh\nnpm test -- <file>\n```\n";
    plan.answer("how do I test?", say(answer));
    await using chat = await open("copy");
    await chat.say("how do I test?");
    await chat.answer(/Run this/);
    const line = chat.page.locator(".line.agent").last();
    await line.getByRole("button", { name: "Copy code" }).click();
    await line.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await clipboardOf(chat), "npm test -- <file>");
    await line.getByRole("button", { name: "Copy answer" }).click();
    await waitFor(async () => (await clipboardOf(chat)).trim() === answer.trim(), "the answer is copied");
    assert.deepEqual(chat.faults, []);
  });

  it("have code in colours that stays word for word what it was, and lists of tasks with their boxes", async () => {
    const code = 'const words = "<b>"; // said\n';
    plan.answer(
      "some code",
      say(`- [x] written\n- [ ] read\n\n\`\`\`javascript\n${code}\`\`\`\n\n\`\`\`klingon\nqapla\n\`\`\``),
    );
    await using chat = await open("code");
    await chat.say("some code");
    await chat.answer(/written/);
    const words = chat.page.locator(".line.agent .words").last();
    await words.locator(".code-kwd", { hasText: "const" }).waitFor();
    assert.equal(await words.locator(".code-str").textContent(), '"<b>"');
    assert.equal(await words.locator("pre").first().textContent(), code);
    assert.equal(await words.locator("pre").last().innerHTML(), "<code>qapla\n</code>");
    assert.deepEqual(await words.locator("li").allInnerTexts(), ["☑ written", "☐ read"]);
    assert.deepEqual(chat.faults, []);
  });

  it("are shown as they were written where they are nested too deeply, and never with a handler", async () => {
    plan.answer("nest", say(`${">".repeat(3_000)} end of it`));
    plan.answer("tasks", say('- [ ] <b onclick="alert(1)">press</b>\n- [x] done <i onmouseover="alert(2)">here</i>'));
    await using chat = await open("nested");
    await chat.say("nest");
    await chat.answer(/>{3000} end of it/);
    await chat.say("tasks");
    await chat.answer(/press/);
    assert.equal(await chat.page.locator("[onclick], [onmouseover]").count(), 0);
    assert.deepEqual(chat.faults, []);
  });

  it("have tables whose words stay whole on a phone, and scroll in a part that the keyboard reaches", async () => {
    const row = (...cells: readonly string[]) => `| ${cells.join(" | ")} |`;
    const table = [
      row("Service", "Database", "Operating system", "What it is for"),
      row("---", "---:", "---", "---"),
      row(
        "Identification",
        "PostgreSQL",
        "Linux",
        "Keeps whatever has been said by anybody, in the order in which it was said",
      ),
    ].join("\n");
    plan.answer("a table", say(table));
    await using other = await openBrowser({ viewport: { width: 390, height: 844 } });
    await using chat = await ConsolePage.open(
      other.context,
      `${talaria.url}/console/#conversation=tables&token=${talaria.token}`,
    );
    await chat.say("a table");
    await chat.answer(/Service/);
    const rows = await chat.page.locator("td, th").evaluateAll((cells) =>
      cells.map((cell) => {
        const words = cell.ownerDocument.createRange();
        words.selectNodeContents(cell);
        const tops = new Set([...words.getClientRects()].map(({ top }) => Math.round(top)));
        return { text: cell.textContent ?? "", rows: tops.size };
      }),
    );
    for (const { text, rows: lines } of rows) {
      const words = text.split(" ").length;
      assert.ok(lines <= (text.length > 40 ? words / 2 : words), `"${text}" stands in ${lines} lines`);
    }
    const sides = await chat.page
      .locator("td")
      .evaluateAll((cells) => cells.map((cell) => cell.ownerDocument.defaultView?.getComputedStyle(cell).textAlign));
    assert.match(sides.join(" "), /^start (?:-webkit-)?right start start$/);
    const region = chat.page.getByRole("region", { name: "Table" });
    assert.equal(await region.getAttribute("tabindex"), "0");
    assert.ok(await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth));
    assert.ok((await chat.page.locator("main").evaluate(({ scrollWidth }) => scrollWidth)) <= 390);
  });
});
