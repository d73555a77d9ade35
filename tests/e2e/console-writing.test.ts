import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ModelServer, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

describe("writing in the console", { skip: skipWithoutBrowser }, () => {
  const plan = new ModelPlan();
  let model: ModelServer;
  let talaria: Installation;
  let browser: Browser;

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    const config = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }`;
    talaria = await Installation.start({ config, database: "shared" });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await talaria?.remove();
    await model?.stop();
  });

  const open = (conversation: string, { context } = browser) =>
    ConsolePage.open(context, `${talaria.url}/console/#conversation=${conversation}&token=${talaria.token}`);
  const fieldOf = ({ page }: ConsolePage) => page.getByLabel("Message", { exact: true });

  it("begins at once: the field has the focus, also in another conversation", async () => {
    await using chat = await open("focus");
    await chat.page.keyboard.type("typed without a click");
    assert.equal(await fieldOf(chat).inputValue(), "typed without a click");
    await chat.page.keyboard.press("Enter");
    await chat.answer(/^echo: typed without a click$/);
    await chat.page.getByRole("button", { name: "New conversation" }).click();
    await chat.page.getByText("Write a message.").waitFor();
    await waitFor(() => fieldOf(chat).evaluate((field) => field.matches(":focus")), "the focus");
  });

  it("goes up to the last words in an empty field, and leaves others alone", async () => {
    await using chat = await open("again");
    await chat.say("first\nof two lines");
    await chat.answer(/^echo: first/);
    await fieldOf(chat).press("ArrowUp");
    assert.equal(await fieldOf(chat).inputValue(), "first\nof two lines");
    await fieldOf(chat).fill("other words");
    await fieldOf(chat).press("ArrowUp");
    assert.equal(await fieldOf(chat).inputValue(), "other words");
  });

  it("lists the commands behind a slash, by the mouse and by the keyboard", async () => {
    await using chat = await open("commands");
    const list = chat.page.getByRole("listbox", { name: "Commands" });
    const names = async () => (await list.getByRole("option").allInnerTexts()).map((text) => text.split(" ")[0]);
    await fieldOf(chat).fill("/st");
    await list.waitFor();
    assert.deepEqual(await names(), ["/stop", "/status"]);
    await fieldOf(chat).press("ArrowDown");
    await fieldOf(chat).press("ArrowDown");
    assert.equal(await list.getByRole("option", { selected: true }).count(), 1);
    await fieldOf(chat).press("Enter");
    assert.equal(await fieldOf(chat).inputValue(), "/status ");
    assert.equal(await list.count(), 0);
    await fieldOf(chat).fill("/wh");
    await list.getByRole("option", { name: /whoami/ }).click();
    assert.equal(await fieldOf(chat).inputValue(), "/whoami ");
    await fieldOf(chat).press("Enter");
    await chat.answer(/operator/i);
    await fieldOf(chat).fill("/nothing");
    assert.equal(await list.count(), 0);
    assert.deepEqual(chat.faults, []);
  });

  it("makes a new line with Enter where there are fingers, and sends by the button", async () => {
    await using phone = await openBrowser({ viewport: { width: 390, height: 844 }, isTouched: true });
    await using chat = await open("phone", phone);
    assert.equal(
      await fieldOf(chat).evaluate((field) => field.matches(":focus")),
      false,
      "no keyboard before it is wanted",
    );
    await fieldOf(chat).tap();
    await chat.page.keyboard.type("one");
    await chat.page.keyboard.press("Enter");
    await chat.page.keyboard.type("two");
    assert.equal(await fieldOf(chat).inputValue(), "one\ntwo");
    await chat.page.getByRole("button", { name: "Send" }).tap();
    await chat.answer(/^echo: one\s*two$/);
  });

  it("takes files that are dropped on the page and that are pasted", async () => {
    await using chat = await open("drops");
    const give = (type: "drop" | "paste", name: string) =>
      chat.page.evaluate(
        ([kind = "", fileName = ""]) => {
          const window = globalThis as unknown as {
            DataTransfer: new () => { items: { add(file: File): void } };
            DragEvent: new (type: string, init: object) => Event;
            ClipboardEvent: new (type: string, init: object) => Event;
            document: { body: EventTarget };
          };
          const data = new window.DataTransfer();
          data.items.add(new File(["a,b"], fileName, { type: "text/csv" }));
          const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
          const event = kind === "drop" ? new window.DragEvent(kind, init) : new window.ClipboardEvent(kind, init);
          return window.document.body.dispatchEvent(event);
        },
        [type, name],
      );
    assert.equal(await give("drop", "dropped.csv"), false, "the browser does not open it");
    assert.equal(await give("paste", "pasted.csv"), false);
    const chosen = chat.page.getByRole("list", { name: "Files of the message" }).getByRole("listitem");
    assert.deepEqual(await chosen.locator("span").allTextContents(), ["dropped.csv (3 bytes)", "pasted.csv (3 bytes)"]);
    await chat.say("both");
    await chat.answer(/^echo: /);
    const asked = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(asked, /dropped\.csv[\s\S]*pasted\.csv/);
  });
});
