import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { callTool, type ModelServer, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { pixel } from "../support/pixel.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

const csv = { name: "sales <b>.csv", mimeType: "text/csv", buffer: Buffer.from("month,amount\nMay,12\n") };
const dot = { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(pixel) };

describe("files in the console", { skip: skipWithoutBrowser }, () => {
  const plan = new ModelPlan();
  let model: ModelServer;
  let talaria: Installation;
  let browser: Browser;

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    const config = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }\nsandbox: { backend: "off" }\nmedia: { maxBytes: 2000000 }`;
    talaria = await Installation.start({ config });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await talaria?.remove();
    await model?.stop();
  });

  const open = (conversation: string) =>
    ConsolePage.open(browser.context, `${talaria.url}/console/#conversation=${conversation}&token=${talaria.token}`);

  it("go along with a message, several at once, and stand below it after a reload", async () => {
    await using chat = await open("sent");
    await chat.attach(csv, dot);
    const chosen = chat.page.getByRole("list", { name: "Files of the message" }).getByRole("listitem");
    assert.deepEqual(await chosen.locator("span").allTextContents(), [
      "sales <b>.csv (20 bytes)",
      "dot.png (70 bytes)",
    ]);
    await chat.say("what is this?");
    await chat.answer(/^echo: /);
    const asked = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(asked, /name=\\"sales &lt;b&gt;\.csv\\"|name=\\"sales [^"]*b[^"]*\.csv\\"/);
    assert.match(asked, /dot\.png/);
    assert.equal(await chosen.count(), 0);
    await chat.reload();
    const line = chat.page.locator(".line.person").first();
    await line.getByRole("img", { name: "dot.png" }).waitFor();
    await line.getByRole("button", { name: "sales <b>.csv (20 bytes)" }).waitFor();
    assert.deepEqual(chat.faults, []);
  });

  it("may come without words, and one by one", async () => {
    await using chat = await open("wordless");
    await chat.attach(csv);
    await chat.attach(dot);
    await chat.page.getByRole("button", { name: "Remove dot.png" }).click();
    await chat.page.getByRole("button", { name: "Send" }).click();
    await chat.answer(/./);
    const asked = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(asked, /\.csv/);
    assert.doesNotMatch(asked, /dot\.png/);
  });

  it("of the agent are shown, if they are pictures, and kept under their names", async () => {
    await using chat = await open("received");
    await chat.attach(dot);
    plan.answer(
      "send it back",
      callTool("send_file", {
        attachment: createHash("sha256").update(pixel).digest("hex").slice(0, 12),
        name: "chart.png",
      }),
      callTool("send_file", { name: "notes of <May>.txt", content: "all is well" }),
      say("Both."),
    );
    await chat.say("send it back");
    await chat.answer(/^Both\./);
    for (const reload of [false, true]) {
      if (reload) await chat.reload();
      const line = chat.page.locator(".line.agent").last();
      const picture = line.getByRole("img", { name: "chart.png" });
      await picture.waitFor();
      const width = () => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth);
      await waitFor(async () => (await width()) === 1, "the picture is there");
      const download = chat.page.waitForEvent("download");
      await line.getByRole("button", { name: /notes of _May_\.txt/ }).click();
      const path = await (await download).path();
      assert.equal(await readFile(path, "utf8"), "all is well");
      assert.equal((await download).suggestedFilename(), "notes of _May_.txt");
    }
    assert.deepEqual(chat.faults, []);
  });

  it("above the limit are refused before anything is sent, with the limit, and the others stay", async () => {
    await using chat = await open("large");
    await chat.attach({ name: "film.mp4", mimeType: "video/mp4", buffer: randomBytes(2_000_001) }, csv);
    const problem = chat.page.getByRole("alert").getByText(/^Not attached/);
    assert.equal(await problem.innerText(), "Not attached: film.mp4 has 1.9 MB, and at most 1.9 MB can be sent");
    await chat.attach(...Array.from({ length: 10 }, (_, n) => ({ ...csv, name: `${n}.csv` })));
    assert.match(await problem.innerText(), /9\.csv: a message takes 10 files/);
    assert.equal(await chat.page.locator("#chosen li").count(), 10);
  });

  it("that could not be sent stay, and are sent once the connection is there again", async () => {
    await using chat = await open("offline");
    await chat.attach(csv);
    await browser.context.setOffline(true);
    await chat.say("read this");
    await chat.page
      .getByRole("alert")
      .getByText(/^Not sent: the connection was lost/)
      .waitFor();
    await browser.context.setOffline(false);
    await chat.page.getByRole("button", { name: "Send" }).click();
    await chat.answer(/^echo: [\s\S]*read this/);
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), /\.csv/);
    assert.equal(await chat.page.locator("#chosen li").count(), 0);
  });
});
