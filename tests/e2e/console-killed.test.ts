import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, type ModelServer, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

describe("the console whose gateway is killed while it has a request", { skip: skipWithoutBrowser }, () => {
  const plan = new ModelPlan();
  let model: ModelServer;
  let talaria: Installation;
  let browser: Browser;

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    const config = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }\npolicy: { rules: [{ ask: The time is a secret, tool: current_time }] }`;
    talaria = await Installation.start({ config, database: "shared" });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await talaria?.remove();
    await model?.stop();
  });

  const open = (conversation: string) =>
    ConsolePage.open(browser.context, `${talaria.url}/console/#conversation=${conversation}&token=${talaria.token}`);
  const textsOf = async (chat: ConsolePage) => (await chat.lines()).map(({ text }) => text);
  const field = ({ page }: ConsolePage) => page.getByLabel("Message", { exact: true });
  const alert = ({ page }: ConsolePage) => page.getByRole("alert").getByText(/^Not (?:sent|done)/);

  /** The gateway has the request, for which it does nothing any more, and dies. Resolves when another one serves. */
  async function killWith(chat: ConsolePage, method: string, act: () => Promise<unknown>): Promise<void> {
    const { page } = chat;
    const gateway = (await talaria.processes()).find(({ kind }) => kind === "gateway");
    assert.ok(gateway);
    process.kill(gateway.pid, "SIGSTOP");
    const asked = page.waitForRequest((request) => request.method() === method);
    await act();
    await asked;
    process.kill(gateway.pid, "SIGKILL");
    await page.getByText("connection lost, trying again").waitFor();
    await chat.connected();
  }

  it("keeps a message, which goes out once", async () => {
    await using chat = await open("message");
    await killWith(chat, "POST", () => chat.say("into the gap"));
    await alert(chat).waitFor();
    assert.equal(await field(chat).inputValue(), "into the gap");
    await field(chat).press("Enter");
    await chat.answer(/echo: into the gap/);
    await chat.reload();
    await chat.answer(/echo: into the gap/);
    assert.deepEqual(await textsOf(chat), ["into the gap", "echo: into the gap"]);
  });

  it("keeps a file beside its words", async () => {
    await using chat = await open("file");
    await chat.attach({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from("a;b\n1;2\n") });
    await killWith(chat, "POST", () => chat.say("read this"));
    await alert(chat).waitFor();
    assert.equal(await field(chat).inputValue(), "read this");
    assert.equal(await chat.page.locator("#chosen li").count(), 1);
    await field(chat).press("Enter");
    await chat.answer(/echo: [\s\S]*read this/);
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), /list\.csv/);
    assert.equal((await chat.lines()).filter(({ from }) => from === "person").length, 1);
  });

  it("lets a button be pressed again, and what it allows happens once", async () => {
    plan.answer("what time is it?", callTool("current_time", {}), say("It is late."));
    await using chat = await open("press");
    await chat.say("what time is it?");
    await chat.answer(/May I /);
    const approve = chat.page.getByRole("button", { name: "Approve", exact: true });
    await killWith(chat, "POST", () => approve.click());
    await alert(chat).waitFor();
    await approve.click();
    await chat.answer(/^It is late\.$/);
    const texts = await textsOf(chat);
    assert.equal(texts.filter((text) => text === "It is late.").length, 1, texts.join("\n"));
  });

  it("keeps a title that was typed", async () => {
    await using chat = await open("title");
    await chat.say("name me");
    await chat.answer(/echo: name me/);
    await chat.page.getByRole("button", { name: "Rename or delete" }).click();
    const title = chat.page.getByLabel("Title");
    await title.fill("After the gap");
    await killWith(chat, "PATCH", () => title.press("Enter"));
    await alert(chat).waitFor();
    assert.equal(await title.inputValue(), "After the gap");
    await title.press("Enter");
    await chat.page.getByRole("heading", { name: "After the gap" }).waitFor();
    assert.equal(await chat.page.getByRole("dialog").count(), 0);
  });

  it("shows what was said elsewhere meanwhile, once", async () => {
    await using chat = await open("meanwhile");
    await chat.say("first");
    await chat.answer(/echo: first/);
    await killWith(chat, "POST", () => chat.say("second"));
    await talaria.say("meanwhile", "third");
    await chat.answer(/echo: third/);
    await waitFor(async () => (await field(chat).inputValue()) === "second", "the words that were not sent");
    await field(chat).press("Enter");
    await chat.answer(/echo: second/);
    const expected = ["first", "echo: first", "third", "echo: third", "second", "echo: second"];
    assert.deepEqual(await textsOf(chat), expected);
    await chat.reload();
    await chat.answer(/echo: second/);
    assert.deepEqual(await textsOf(chat), expected);
  });
});
