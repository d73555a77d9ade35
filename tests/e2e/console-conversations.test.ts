import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, hold, type ModelServer, say, startModelServer } from "@talaria/testkit";
import pg from "pg";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { pixel } from "../support/pixel.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

describe("conversations in the console", { skip: skipWithoutBrowser }, () => {
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

  const open = (conversation: string, { context } = browser) =>
    ConsolePage.open(context, `${talaria.url}/console/#conversation=${conversation}&token=${talaria.token}`);
  const listOf = ({ page }: ConsolePage) => page.getByRole("navigation", { name: "Conversations" });
  const rowOf = (chat: ConsolePage, title: string) => listOf(chat).getByRole("link").filter({ hasText: title });

  it("stand in a list, newest first, with what is unread, and are gone to from there", async () => {
    await using chat = await open("bread");
    await chat.say("how do I bake bread?");
    await chat.answer(/echo: how do I bake/);
    await talaria.say("tea", 'which "tea" is best & <3?');
    await rowOf(chat, 'which "tea" is best & <3?').getByRole("img", { name: "1 unread" }).waitFor();
    const titles = await listOf(chat).locator(".title").allTextContents();
    assert.deepEqual(titles.slice(0, 2), ['which "tea" is best & <3?', "how do I bake bread?"]);
    await rowOf(chat, 'which "tea"').click();
    await chat.answer(/echo: which "tea"/);
    await rowOf(chat, 'which "tea"').and(chat.page.locator("[aria-current=page]")).waitFor();
    await waitFor(
      async () =>
        (await listOf(chat)
          .getByRole("img", { name: /unread/ })
          .count()) === 0,
      "all is read",
    );
    assert.match(chat.page.url(), /#conversation=tea$/);
    assert.deepEqual(chat.faults, []);
  });

  it("are told of as they change, without anybody asking for the list again and again", async () => {
    await using chat = await open("told");
    await chat.page.addInitScript(() => {
      (globalThis as { setInterval: unknown }).setInterval = () => 0;
    });
    await chat.reload();
    await talaria.say("news", "what is new?");
    await rowOf(chat, "what is new?").getByRole("img", { name: "1 unread" }).waitFor();
    await talaria.fetch("/api/conversations/news", { method: "PATCH", body: JSON.stringify({ title: "Renamed" }) });
    await rowOf(chat, "Renamed").waitFor();
    assert.deepEqual(chat.faults, []);
  });

  it("are searched, renamed, and deleted once that is said twice", async () => {
    await using chat = await open("plants");
    await chat.say("when do tomatoes ripen?");
    await chat.answer(/echo: when do tomatoes/);
    await chat.page.getByRole("searchbox", { name: "Search conversations" }).fill("tomatoes");
    await waitFor(async () => (await listOf(chat).getByRole("link").count()) === 1, "only what was searched for");
    await chat.page.getByRole("button", { name: "Rename or delete" }).click();
    await chat.page.getByLabel("Title").fill("The garden");
    await talaria.say("weeds", "and what of tomatoes?");
    await rowOf(chat, "and what of tomatoes?").waitFor();
    assert.equal(await chat.page.getByLabel("Title").inputValue(), "The garden", "news leaves it as it was typed");
    await chat.page.getByRole("button", { name: "Rename", exact: true }).click();
    await chat.page.getByRole("heading", { name: "The garden" }).waitFor();
    await rowOf(chat, "The garden").waitFor();
    await chat.page.getByRole("button", { name: "Rename or delete" }).click();
    await chat.page.getByRole("button", { name: "Delete …" }).click();
    await chat.page.getByRole("button", { name: "Delete it for good" }).click();
    await waitFor(async () => (await rowOf(chat, "The garden").count()) === 0, "it has left the list");
    // The list hears of it by its own way, which may be faster than the answer to the page.
    await waitFor(() => !chat.page.url().includes("plants"), "its address is left");
    await using again = await open("plants");
    assert.deepEqual(await again.lines(), []);
    assert.deepEqual(chat.faults, []);
  });

  it("are left once they are deleted, also where the list hears of it before the page", async () => {
    await using chat = await open("early");
    await chat.say("to be deleted");
    await chat.answer(/echo: to be deleted/);
    await rowOf(chat, "to be deleted").waitFor();
    await chat.page.route("**/api/conversations/early", async (route) => {
      const response = await route.fetch();
      await rowOf(chat, "to be deleted").waitFor({ state: "detached" });
      await route.fulfill({ response });
    });
    await chat.page.getByRole("button", { name: "Rename or delete" }).click();
    await chat.page.getByRole("button", { name: "Delete …" }).click();
    await chat.page.getByRole("button", { name: "Delete it for good" }).click();
    await waitFor(() => !chat.page.url().includes("early"), "its address is left");
    await chat.page.locator("#text:focus").waitFor();
    await chat.say("the next one");
    await chat.answer(/echo: the next one/);
    await rowOf(chat, "the next one").waitFor();
    assert.equal(
      await chat.page.getByRole("dialog", { name: "Conversation" }).count(),
      0,
      "nothing of it is asked again",
    );
  });

  it("are a drawer on a phone, which closes once one is chosen", async () => {
    await using phone = await openBrowser({ viewport: { width: 390, height: 844 } });
    await using chat = await open("drawer", phone);
    await chat.say("open the drawer");
    await chat.answer(/echo: open the drawer/);
    assert.equal(await listOf(chat).count(), 0, "nothing of it is reached while it is closed");
    await chat.page.getByRole("button", { name: "Conversations", exact: true }).click();
    await rowOf(chat, "open the drawer").waitFor();
    await chat.page.keyboard.press("Escape");
    await waitFor(async () => (await listOf(chat).count()) === 0, "it is closed");
    await chat.page.getByRole("button", { name: "Conversations", exact: true }).click();
    await rowOf(chat, "open the drawer").click();
    await waitFor(async () => (await listOf(chat).count()) === 0, "it is closed again");
  });

  it("show an answer in progress after a reload, and go on with it", async () => {
    const gate = Promise.withResolvers<void>();
    const first = say("The first half. ", { pieces: 8, delayMs: 300 });
    plan.answer("in two halves", [...first, ...hold(gate.promise), ...say("The second half.")]);
    await using chat = await open("halves");
    await chat.say("in two halves");
    const isSeen = async () =>
      (await chat.lines()).some(({ from, text }) => from === "agent" && text.startsWith("The fir"));
    await waitFor(async () => (await chat.lines()).some(({ text }) => text.startsWith("The first half.")), "growth");
    await chat.reload();
    await waitFor(isSeen, "what had grown before the reload, as far as it is stored");
    await chat.page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    gate.resolve();
    await chat.answer(/^The first half\. The second half\.$/);
    assert.equal((await chat.lines()).length, 2);
  });

  it("of any length show a part of their lines, and all the way back to the first when somebody scrolls up", async () => {
    await talaria.say("long", "message 0");
    await using first = await open("long");
    await first.answer(/echo: message 0/);
    const database = new pg.Client({ connectionString: talaria.databaseUrl });
    await database.connect();
    try {
      await database.query("set search_path to talaria");
      const { rowCount } = await database.query(
        `insert into inbox select (jsonb_populate_record(inbox, jsonb_build_object(
             'event_id', 'long.' || n, 'seq', 1000 + n, 'recorded_at', inbox.recorded_at + n * interval '1 millisecond',
             'body', jsonb_set(body, '{message,markdown}', to_jsonb('message ' || n))))).*
           from inbox cross join generate_series(1, 1000) as n
          where conversation_id = 'long' and body -> 'message' ->> 'markdown' = 'message 0'`,
      );
      assert.equal(rowCount, 1_000);
    } finally {
      await database.end();
    }
    await using chat = await open("long");
    const textsNow = () => chat.page.locator("#lines > .person").allTextContents();
    await waitFor(async () => (await textsNow()).at(-1) === "message 1000", "the newest line");
    const { mostAdded, movedPx } = await watchFilling(chat);
    assert.ok(mostAdded > 0 && mostAdded <= 10, `${mostAdded} lines in one frame: the page can't answer meanwhile`);
    assert.ok(movedPx < 2, `what is read moved by ${movedPx} pixels`);
    const seen = new Set<string>();
    let most = 0;
    await waitFor(async () => {
      const texts = await textsNow();
      most = Math.max(most, texts.length);
      const numbers = texts.map((text) => Number(text.split(" ")[1]));
      assert.deepEqual(
        numbers,
        [...numbers].sort((one, other) => one - other),
      );
      for (const text of texts) seen.add(text);
      await chat.page.locator("main").evaluate((view) => view.scrollTo(0, 0));
      return texts[0] === "message 0";
    }, "the first line");
    assert.equal(seen.size, 1_001, "no line is left out");
    assert.ok(most <= 200, `${most} lines at once`);
    await chat.page.getByRole("button", { name: "To the newest" }).click();
    await waitFor(async () => (await textsNow()).at(-1) === "message 1000", "the newest line again");
    assert.deepEqual(chat.faults, []);
  });

  it("that take place elsewhere are read there, and nothing can be written", async () => {
    await using writer = await open("abroad");
    plan.answer(
      "said elsewhere",
      callTool("todo", { steps: [{ id: "a", text: "measure" }] }),
      say("echo: said elsewhere"),
    );
    await writer.attach({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(pixel) });
    await writer.say("said elsewhere");
    await writer.answer(/echo: said elsewhere/);
    plan.answer("and decide", callTool("current_time", {}));
    await writer.say("and decide");
    await writer.answer(/May I /);
    const address = await rowOf(writer, "said elsewhere").getAttribute("href");
    assert.equal(address, "#conversation=abroad");
    const headers = { authorization: `Bearer ${talaria.token}` };
    const response = await fetch(`${talaria.url}/api/conversations?platform=all&query=elsewhere`, { headers });
    const { conversations } = (await response.json()) as {
      readonly conversations: readonly { readonly key: string }[];
    };
    await using chat = await ConsolePage.open(
      browser.context,
      `${talaria.url}/console/#elsewhere=${conversations[0]?.key}&token=${talaria.token}`,
    );
    await chat.answer(/echo: said elsewhere/);
    await chat.page.getByText("Read only: answer it where it takes place.").waitFor();
    await chat.page.getByRole("img", { name: "dot.png" }).waitFor();
    const download = chat.page.waitForEvent("download");
    await chat.page.getByRole("button", { name: /^dot\.png/ }).click();
    assert.equal((await download).suggestedFilename(), "dot.png");
    await chat.page.locator(".steps > summary").first().click();
    await chat.page.locator(".steps li", { hasText: "updating the plan" }).waitFor();
    await chat.answer(/May I /);
    assert.equal(await chat.page.getByRole("button", { name: "Approve" }).count(), 0, "nothing is decided from here");
    assert.equal(await chat.page.getByLabel("Message", { exact: true }).count(), 0);
    await chat.page.getByLabel("All platforms").check();
    await rowOf(chat, "said elsewhere").waitFor();
    assert.deepEqual(chat.faults, []);
  });

  it("keep commands, pressed buttons and the state of a question after a reload", async () => {
    plan.answer("tell the time", callTool("current_time", {}), say("It is late."));
    await using chat = await open("kept");
    await chat.say("/status");
    await chat.answer(/idle|no conversation here yet|Ready/i);
    await chat.say("tell the time");
    await chat.answer(/May I /);
    await chat.reload();
    const card = chat.page.locator(".line.question");
    await card.getByText(/^Waits for your answer until /).waitFor();
    await card.getByRole("button", { name: "Approve", exact: true }).click();
    await chat.answer(/^It is late\.$/);
    await chat.reload();
    await card.getByText(/^✓ Approved by /).waitFor();
    await card.getByText(/^Decided: /).waitFor();
    assert.equal(await card.getByRole("button", { name: "Approve", exact: true }).isDisabled(), true);
    const own = (await chat.lines()).filter(({ from }) => from === "person").map(({ text }) => text);
    assert.deepEqual(own, ["/status", "tell the time", "Approve"]);
    assert.deepEqual(chat.faults, []);
  });

  it("ask about long and wide things in words that are read whole on a phone", async () => {
    const steps = [{ id: "a", text: "x".repeat(300) }];
    plan.answer("a wide question", callTool("current_time", { timeZone: JSON.stringify(steps) }));
    await using phone = await openBrowser({ viewport: { width: 390, height: 844 } });
    await using chat = await open("wide", phone);
    await chat.say("a wide question");
    await chat.answer(/May I /);
    const widths = await chat.page
      .locator(".line.question, .line.question pre")
      .evaluateAll((parts) => parts.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    assert.ok(widths.length > 1 && widths.every((hidden) => hidden <= 0), `${widths} pixels are hidden`);
    await chat.say("/stop");
  });
});

/** Scrolls up to where earlier lines are drawn, and looks at each frame until no more come: how many lines it added, and how far what is read moved. */
function watchFilling({ page }: ConsolePage): Promise<{ readonly mostAdded: number; readonly movedPx: number }> {
  return page.locator("main").evaluate(async (view) => {
    const lines = () => [...view.querySelectorAll<typeof view>("#lines > .line")];
    view.scrollTo(0, 300);
    const topOf = (part: typeof view | undefined) => part?.getBoundingClientRect().top ?? Number.NaN;
    const read = lines().find((line) => line.getBoundingClientRect().bottom > topOf(view));
    const readAt = () => topOf(read) - topOf(view);
    const top = readAt();
    let [count, mostAdded, movedPx] = [lines().length, 0, 0];
    for (let quietFrames = 0; quietFrames < 10; quietFrames += 1) {
      await new Promise((resolve) => view.ownerDocument.defaultView?.requestAnimationFrame(resolve));
      const added = lines().length - count;
      if (added > 0) quietFrames = 0;
      count += added;
      mostAdded = Math.max(mostAdded, added);
      movedPx = Math.max(movedPx, Math.abs(readAt() - top));
    }
    return { mostAdded, movedPx };
  });
}
