import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";
import { FreshClone, missingForClone } from "./fresh-clone.ts";

const missing = missingForClone();
const skip = skipWithoutBrowser || (process.env.CI === "true" ? false : missing);
const longText = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ");

describe("the first run: a clone, a Node.js of the system, an empty home", { skip }, () => {
  let clone: FreshClone;
  let browser: Browser;
  let chat: ConsolePage;
  let firstStartMs = 0;

  before(async () => {
    assert.equal(missing, false);
    clone = await FreshClone.make();
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await clone?.[Symbol.asyncDispose]();
  });

  it("brings the runtime and the dependencies and says where the console is", async () => {
    const { address, tookMs } = await clone.start();
    firstStartMs = tookMs;
    assert.match(clone.output, /^Installing the dependencies/m);
    assert.match(clone.output, /no model is configured: the offline demo model answers/);
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/console\/#token=[\w-]{43}$/);
    assert.ok(existsSync(join(clone.folder, "home", ".talaria", "token")));
    chat = await ConsolePage.open(browser.context, address);
    assert.doesNotMatch(chat.page.url(), /token/, "the token does not stay in the address");
  });

  it("answers while one watches, by a model that says that it is a demo", async () => {
    const growth = await chat.watchGrowth();
    await chat.say("Good morning, is anybody here?");
    const answer = await chat.answer(/Good morning/);
    assert.match(answer.text, /offline demo model/);
    const lengths = await growth.lengths();
    assert.ok(lengths.length >= 2, `lengths of the growing reply: ${lengths.join(", ")}`);
  });

  it("finishes the answer that is being written when Ctrl-C is pressed, and leaves nothing running", async () => {
    await chat.say(longText);
    await waitFor(
      async () => (await chat.lines()).some(({ isGrowing, text }) => isGrowing && /word1\b/.test(text)),
      "growth",
    );
    assert.ok(clone.leftovers().length >= 4, "npm, the supervisor, a gateway and a worker are seen while they run");
    await clone.pressCtrlC();
    assert.match(clone.output, /^stopping: finishing what is being answered/m);
    assert.match(clone.output, /^stopped$/m);
    assert.deepEqual(clone.leftovers(), []);
  });

  it("starts faster the second time, and shows the whole history after a reload", async () => {
    const { tookMs } = await clone.start();
    assert.ok(tookMs < firstStartMs, `first ${firstStartMs} ms, second ${tookMs} ms`);
    assert.doesNotMatch(clone.output, /Fetching|Installing/);
    await chat.reload();
    await chat.answer(/word199$/);
    const lines = await chat.lines();
    assert.deepEqual(
      lines.map(({ from, text }) => `${from}: ${text.slice(0, 20)}`),
      [
        "person: Good morning, is any",
        "agent: I am Talaria's offli",
        "person: word0 word1 word2 wo",
        "agent: (offline demo) You s",
      ],
    );
    assert.deepEqual(
      chat.faults.filter((fault) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(fault)),
      [],
    );
  });

  it("leaves nothing running at the end", async () => {
    await clone.pressCtrlC();
    assert.deepEqual(clone.leftovers(), []);
  });
});
