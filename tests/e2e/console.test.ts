import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, callTools, hold, type ModelServer, modelFault, say, startModelServer } from "@talaria/testkit";
import { figuresOf } from "../bench/process-tree.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

const phone = { width: 360, height: 640 };

const document = `# A heading

| city | people |
| --- | --- |
| Turin | 850000 |

1. first
2. second

\`\`\`js
const answer = "<b>42</b>";
\`\`\`

Read [the manual](https://example.org/manual) **now**.`;

const hostile = [
  "<script>window.stolen = 1</script>",
  '<img src="x" onerror="window.stolen = 2">',
  '<svg onload="window.stolen = 3"><a xlink:href="javascript:window.stolen=4">a</a></svg>',
  "[click me](javascript:window.stolen=5) [or me](data:text/html,<script>window.stolen=6</script>)",
  '<iframe src="https://example.org/frame"></iframe><object data="https://example.org/o"></object>',
  '<form action="https://example.org/form"><input name="text"><button id="send">Send</button></form>',
  '<style>body { display: none }</style><div id="lines" style="position:fixed;inset:0">over everything</div>',
  "![pixel](https://example.org/pixel.png)",
  "still here",
].join("\n\n");

describe("the console in a real browser", { skip: skipWithoutBrowser }, () => {
  const plan = new ModelPlan();
  let model: ModelServer;
  let talaria: Installation;
  let browser: Browser;

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    const config = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }\nleases: { accountMs: 3000 }\npolicy: { rules: [{ ask: The time is a secret, tool: current_time }] }`;
    talaria = await Installation.start({ config });
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await talaria?.remove();
    await model?.stop();
  });

  const open = (conversation: string, token = talaria.token) =>
    ConsolePage.open(browser.context, `${talaria.url}/console/#conversation=${conversation}&token=${token}`);

  it("shows the history again after a reload, each line once and in order", async () => {
    await using chat = await open("history");
    for (const word of ["one", "two", "three"]) {
      await chat.say(word);
      await chat.answer(new RegExp(`^echo: ${word}$`));
    }
    const said = ["one", "echo: one", "two", "echo: two", "three", "echo: three"];
    assert.deepEqual(await textsOf(chat), said);
    await chat.reload();
    await chat.answer(/three/);
    assert.deepEqual(await textsOf(chat), said);
    assert.deepEqual(chat.faults, []);
  });

  it("shows formulas and every address, what is no formula as it is written, and no half of a tag while an answer grows", async () => {
    const gate = Promise.withResolvers<void>();
    const answer = [
      ...say("So \\(\\frac{a}{b}\\) is [near](docs/a.md), [there](geo:1,2), [here](https://e.test). **bold <b"),
      ...hold(gate.promise),
      ...say(
        ">er</b>** \\(\\unknown{x}\\) \\(\\href{javascript:alert(1)}{x}\\)\n\n\\[\n\\begin{aligned}\na &= \\sqrt{b}\\\\\nc_1 &= \\text{<b>}\n\\end{aligned}\n\\]\n\n$$\n\\unknown{y}\n$$\n\nThat is all.",
      ),
    ];
    plan.answer("formulas", answer);
    await using chat = await open("formulas");
    await chat.say("formulas");
    const whole = "So ab is near (docs/a.md), there (geo:1,2), here. bold";
    await waitFor(async () => (await chat.lines()).at(-1)?.text.trim() === whole, "growth, with the formula");
    gate.resolve();
    await chat.answer(/That is all/);
    const words = chat.page.locator(".line.agent .words").last();
    const block = words.getByRole("region", { name: "Formula" });
    await block.locator("math msqrt").waitFor();
    assert.deepEqual(await words.locator("p > math mfrac").allTextContents(), ["ab"]);
    assert.deepEqual(await block.locator("mtd").allTextContents(), ["a", "=b", "c1", "=<b>"]);
    const padding = (one: {
      ownerDocument: { defaultView: { getComputedStyle(node: unknown): { paddingLeft: string } } };
    }) => one.ownerDocument.defaultView.getComputedStyle(one).paddingLeft;
    assert.equal(
      await block.locator("mtd").first().evaluate(padding),
      "0px",
      "parts of a formula look as they are told",
    );
    await words.getByRole("region", { name: "Code" }).getByText("\\unknown{y}").waitFor();
    assert.deepEqual(await words.locator("code").allTextContents(), [
      "\\unknown{x}",
      "\\href{javascript:alert(1)}{x}",
      "\\unknown{y}",
    ]);
    assert.deepEqual(
      await chat.page.locator("#lines a[href]").evaluateAll((links) => links.map((link) => link.textContent)),
      ["here"],
    );
    assert.deepEqual(chat.faults, []);
  });

  it("survives a gateway that is killed in the middle of an answer", async () => {
    const gate = Promise.withResolvers<void>();
    plan.answer("slowly", [...say("The first half. "), ...hold(gate.promise), ...say("The second half.")]);
    await using chat = await open("killed");
    await chat.say("before");
    await chat.answer(/echo: before/);
    await chat.say("slowly");
    await waitFor(async () => (await chat.lines()).some(({ text }) => text.startsWith("The first half.")), "growth");
    const processes = await figuresOf(talaria.pid, talaria.home);
    const gateway = processes.find(({ name }) => name === "gateway");
    assert.ok(gateway);
    process.kill(gateway.pid, "SIGKILL");
    await chat.page.getByText("connection lost, trying again").waitFor();
    gate.resolve();
    await chat.connected();
    await chat.answer(/^The first half\. The second half\.$/);
    await chat.say("after");
    await chat.answer(/echo: after/);
    const expected = ["before", "echo: before", "slowly", "The first half. The second half.", "after", "echo: after"];
    assert.deepEqual(await textsOf(chat), expected);
    await chat.reload();
    await chat.answer(/echo: after/);
    assert.deepEqual(await textsOf(chat), expected);
  });

  it("keeps the text and says so when a message cannot be sent", async () => {
    await using chat = await open("offline");
    await browser.context.setOffline(true);
    await chat.say("into the void");
    await chat.page
      .getByRole("alert")
      .getByText(/^Not sent/)
      .waitFor();
    assert.equal(await chat.page.getByLabel("Message", { exact: true }).inputValue(), "into the void");
    assert.deepEqual(await textsOf(chat), []);
    await browser.context.setOffline(false);
  });

  it("shows the buttons of a question, and a press of one decides it", async () => {
    plan.answer("what time is it?", callTool("current_time", {}), say("It is late."));
    await using chat = await open("approval");
    await chat.say("what time is it?");
    await chat.answer(/May I /);
    await chat.reload();
    await chat.answer(/May I /);
    await chat.page.getByRole("button", { name: "Approve", exact: true }).click();
    await chat.answer(/^It is late\.$/);
    assert.equal(await chat.page.getByRole("button", { name: "Deny", exact: true }).isDisabled(), true);
    await chat.answer(/^Approved\.$/);
    await chat.page.getByText(/^✓ Approved by /).waitFor();
    plan.answer("what time is it now?", callTool("current_time", {}));
    await chat.say("what time is it now?");
    const later = chat.page.getByRole("button", { name: "Approve", exact: true }).nth(1);
    await later.waitFor();
    assert.equal(await later.isEnabled(), true);
    await chat.say("/stop");
    await chat.page.locator(".ending", { hasText: "Stopped: this was not done." }).waitFor();
    assert.equal(await later.isDisabled(), true, "and without reading the page again");
    assert.deepEqual(chat.faults, []);
  });

  it("decides a list of questions by its buttons after a reload, one and then all, and one question by a word", async () => {
    const calls = [{ timeZone: "UTC" }, { timeZone: "Europe/Rome" }, { timeZone: "Asia/Tokyo" }];
    plan.answer("three times", callTools(...calls.map((input) => ["current_time", input] as const)), say("All told."));
    await using chat = await open("list");
    await chat.say("three times");
    await chat.answer(/May I do these 3 things\?/);
    await chat.reload();
    const button = (name: string) => chat.page.getByRole("button", { name, exact: true });
    await button("Deny 2").click();
    await chat.answer(/^Denied\.$/);
    await waitFor(
      async () => (await button("Approve 2").isDisabled()) && (await button("Approve all").isEnabled()),
      "",
    );
    await chat.reload();
    await waitFor(
      async () => (await button("Approve 2").isDisabled()) && (await button("Approve all").isEnabled()),
      "",
    );
    await button("Approve all").click();
    await chat.answer(/^Approved all 2\.$/);
    await chat.answer(/^All told\.$/);
    assert.equal(await button("Approve all").isDisabled(), true);
    plan.answer("once more", callTool("current_time", {}), say("It is later."));
    await chat.say("once more");
    await chat.answer(/^May I look at the clock\?/);
    await chat.say("approve");
    await chat.answer(/^Approved\.$/);
    await chat.answer(/^It is later\.$/);
    assert.deepEqual(chat.faults, []);
  });

  it("shows what is done while it works, and keeps that folded beside the answer", async () => {
    const gate = Promise.withResolvers<void>();
    const plans = callTool("todo", { steps: [{ id: "a", text: "measure" }] });
    plan.answer("plan it", plans, [...hold(gate.promise), ...say("Planned.")]);
    await using chat = await open("steps");
    await chat.say("plan it");
    const growing = () => chat.lines().then((lines) => lines.find(({ isGrowing }) => isGrowing));
    await waitFor(async () => (await growing())?.steps.includes("updating the plan"), "the step");
    gate.resolve();
    const { steps } = await chat.answer(/^Planned\.$/);
    assert.match(steps, /^1 step/);
    const done = chat.page.locator(".steps li", { hasText: "updating the plan" });
    assert.equal(await done.isVisible(), false);
    await chat.page.locator(".steps > summary").click();
    await done.waitFor();
    assert.deepEqual(chat.faults, []);
  });

  it("shows the steps again after a reload, the failed one by a word, and of each what came of it", async () => {
    const text = '<img src="x" onerror="window.stolen = 7">';
    plan.answer(
      "look back",
      callTool("todo", { steps: [{ id: "a", text }] }),
      callTool("todo", { steps: "none" }),
      say("Done and tried."),
    );
    await using chat = await open("steps-kept");
    await chat.say("look back");
    assert.match((await chat.answer(/^Done and tried\.$/)).steps, /^2 steps.*✗ 1 failed/);
    await chat.reload();
    assert.match((await chat.answer(/^Done and tried\.$/)).steps, /^2 steps✗ 1 failed$/);
    await chat.page.locator(".steps > summary").click();
    const steps = chat.page.locator(".steps li");
    await steps.nth(1).waitFor();
    const labels = await steps.locator("summary").allTextContents();
    assert.deepEqual(labels, ["✓ updating the plan", "✗ using todofailed"]);
    const result = steps.first().locator("pre");
    assert.equal(await result.isVisible(), false);
    await steps.first().locator("summary").click();
    await result.waitFor();
    assert.ok((await result.innerText()).includes(text), await result.innerText());
    await steps.last().locator("summary").click();
    assert.match(await steps.last().locator("pre").innerText(), /steps/);
    assert.equal(await chat.page.evaluate(() => (globalThis as { stolen?: unknown }).stolen), undefined);
    assert.deepEqual(chat.faults, []);
  });

  it("begins another conversation, and keeps the first one as it was", async () => {
    await using chat = await open("first");
    await chat.say("in the first");
    await chat.answer(/echo: in the first/);
    const first = chat.page.url();
    await chat.page.getByRole("button", { name: "New conversation" }).click();
    await chat.page.getByText("Write a message.").waitFor();
    await chat.say("in the second");
    await chat.answer(/echo: in the second/);
    assert.deepEqual(await textsOf(chat), ["in the second", "echo: in the second"]);
    assert.notEqual(chat.page.url(), first);
    await chat.page.goBack();
    assert.equal(chat.page.url(), first);
    await chat.answer(/echo: in the first/);
    assert.deepEqual(await textsOf(chat), ["in the first", "echo: in the first"]);
  });

  it("shows one conversation in two tabs at once", async () => {
    await using one = await open("shared");
    await using two = await open("shared");
    await one.say("hello from the first tab");
    for (const tab of [one, two]) {
      await tab.answer(/echo: hello/);
      assert.deepEqual(await textsOf(tab), ["hello from the first tab", "echo: hello from the first tab"]);
    }
  });

  it("asks for the token when there is none or a wrong one", async () => {
    await using other = await openBrowser();
    const page = await other.context.newPage();
    await page.goto(`${talaria.url}/console/`);
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    assert.match(
      (await dialog.textContent()) ?? "",
      /talaria open prints an address .*talaria token show the token alone/s,
    );
    await dialog.getByLabel("Token").fill("x".repeat(43));
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("does not know the token").waitFor();
    await dialog.getByLabel("Token").fill(talaria.token);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await page
      .locator("#connection")
      .filter({ hasText: /^\s*connected\b/ })
      .waitFor();
  });

  it("renders Markdown: headings, tables, lists, code, links that lead away safely", async () => {
    plan.answer("a document", say(document));
    await using chat = await open("markdown");
    await chat.say("a document");
    await chat.answer(/A heading/);
    const answer = chat.page.locator(".line.agent").last();
    assert.deepEqual(await answer.locator("table td").allTextContents(), ["Turin", "850000"]);
    assert.deepEqual(await answer.locator("ol > li").allTextContents(), ["first", "second"]);
    assert.match(await answer.locator("pre > code").innerText(), /^const answer = "<b>42<\/b>";/);
    assert.equal(await answer.locator("h1").innerText(), "A heading");
    const link = answer.getByRole("link", { name: "the manual" });
    assert.equal(await link.getAttribute("href"), "https://example.org/manual");
    assert.match((await link.getAttribute("rel")) ?? "", /\bnoopener\b.*\bnoreferrer\b/);
    assert.equal(await link.getAttribute("target"), "_blank");
  });

  it("turns what is read from the right, and leaves code and numbers as they are", async () => {
    const arabic =
      "npm يثبت الحزمة.\n\n1. أولا\n2. second\n\n| المدينة | السكان |\n| --- | --- |\n| القاهرة | 42 |\n\n```\nكود\n```\n\nPlain.";
    plan.answer("in Arabic", say(arabic));
    await using chat = await open("arabic");
    await chat.say("in Arabic");
    await chat.answer(/Plain\./);
    const answer = chat.page.locator(".line.agent").last();
    const directions = await answer
      .locator("p, ol, li, table, th, td, pre")
      .evaluateAll((nodes) => nodes.map((node) => `${node.tagName} ${node.matches(":dir(rtl)") ? "rtl" : "ltr"}`));
    assert.deepEqual(directions, [
      ...["P rtl", "OL ltr", "LI rtl", "LI ltr", "TABLE rtl", "TH rtl", "TH rtl", "TD rtl", "TD rtl"],
      ...["PRE ltr", "P ltr"],
    ]);
  });

  it("shows words that look like tags", async () => {
    const words = "Replace <name> with yours, use List<String> or Map<K, V>, press <Enter>; if a<b and b>c then stop.";
    plan.answer("placeholders", say(words));
    await using chat = await open("placeholders");
    await chat.say("placeholders");
    await chat.answer(/then stop/);
    assert.equal((await chat.page.locator(".line.agent p").last().innerText()).trim(), words);
  });

  it("lets nothing in an answer run, fetch, or look like a part of the page", async () => {
    plan.answer("an attack", say(hostile));
    await using chat = await open("hostile");
    const outside: string[] = [];
    chat.page.on("request", (request) => {
      if (!request.url().startsWith(talaria.url)) outside.push(request.url());
    });
    await chat.say("an attack");
    await chat.answer(/still here/);
    const answer = chat.page.locator(".line.agent .words").last();
    assert.equal(await answer.locator("script, img, iframe, object, form, input, button, style").count(), 0);
    assert.equal(await answer.locator("[onerror], [onload], [style], [id], [class]").count(), 0);
    assert.equal(await answer.locator('[href^="javascript"], [href^="data"]').count(), 0);
    for (const link of await answer.getByText(/click me|or me/).all()) await link.click();
    assert.equal(await chat.page.evaluate(() => (globalThis as { stolen?: unknown }).stolen), undefined);
    assert.deepEqual(outside, []);
    assert.ok(await chat.page.getByRole("button", { name: "Send" }).isVisible());
  });

  it("shows what a person wrote as it is, markup and all", async () => {
    await using chat = await open("person");
    const text = '<b onclick="x">**bold**</b> & [link](https://example.org)';
    await chat.say(text);
    await chat.answer(/echo/);
    assert.equal((await textsOf(chat))[0], text);
  });

  it("shows a huge answer whole, and can go on afterwards", async () => {
    const huge = Array.from({ length: 1_500 }, (_, line) => `line ${line} with **some** text`).join("\n");
    plan.answer("a huge one", say(huge, { pieces: 20, delayMs: 10 }));
    await using chat = await open("huge");
    await chat.say("a huge one");
    await chat.answer(/line 1000 /);
    const toEnd = () =>
      chat.page.locator("main").evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight);
    await waitFor(async () => (await toEnd()) < 2, "the end of the answer is seen, in the next frame at the latest");
    await chat.page.locator("main").evaluate((view) => view.scrollTo(0, 0));
    await talaria.say("huge", "from somewhere else");
    await chat.answer(/echo: from somewhere else/);
    assert.ok((await toEnd()) > 1_000, "who reads further up is left there");
    await chat.say("and now?");
    await chat.answer(/echo: and now\?/);
  });

  it("shows a failed answer as one", async () => {
    plan.answer("fail now", modelFault.unauthorized(), modelFault.unauthorized());
    await using chat = await open("failed");
    await chat.say("fail now");
    const line = await chat.answer(/./);
    assert.ok(line.isFailed, JSON.stringify(line));
    assert.doesNotMatch(line.text, /sk-|Bearer|stack|undefined/);
    await chat.reload();
    assert.ok((await chat.answer(/./)).isFailed, "also after a reload");
  });

  it("answers /help and the other commands at once", async () => {
    await using chat = await open("commands");
    await chat.say("/help");
    const { text } = await chat.answer(/\/help/);
    for (const command of ["/new", "/stop", "/status", "/whoami"]) assert.ok(text.includes(command), text);
    await chat.say("/status");
    await chat.answer(/no conversation here yet|idle/);
    assert.equal(
      model.requests.some(({ lastUserText }) => lastUserText.startsWith("/")),
      false,
    );
  });

  it("fits a phone: nothing scrolls sideways, everything can be reached", async () => {
    const wide = `${document}\n\n\`\`\`\n${"wide ".repeat(100)}\n\`\`\`\n\n| ${"column | ".repeat(12)}\n|${" --- |".repeat(12)}\n\n${"unbroken".repeat(60)}`;
    plan.answer("a wide one", say(wide));
    await using other = await openBrowser({ viewport: phone });
    await using chat = await ConsolePage.open(
      other.context,
      `${talaria.url}/console/#conversation=phone&token=${talaria.token}`,
    );
    await chat.say("a wide one");
    await chat.answer(/unbroken/);
    const parts = ["html", "body", "main"].map((name) => chat.page.locator(name));
    const heads = await chat.page.locator("th").evaluateAll((cells) =>
      cells.map((cell) => {
        const words = cell.ownerDocument.createRange();
        words.selectNodeContents(cell);
        return words.getClientRects().length;
      }),
    );
    assert.ok(heads.length > 0 && heads.every((lines) => lines === 1), `a heading breaks: ${heads}`);
    const widths = await Promise.all(parts.map((part) => part.evaluate(({ scrollWidth }) => scrollWidth)));
    for (const width of widths) assert.ok(width <= phone.width, `${widths.join(", ")} of ${phone.width}`);
    assert.ok(await chat.page.getByRole("button", { name: "Send" }).isVisible());
    assert.ok(await chat.page.getByRole("button", { name: "New conversation" }).isVisible());
  });
});

async function textsOf(chat: ConsolePage): Promise<readonly string[]> {
  return (await chat.lines()).map(({ text }) => text);
}
