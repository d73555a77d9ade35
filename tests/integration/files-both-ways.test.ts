import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { inboxPathOf } from "@talaria/agent";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { callTool, hold, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { DeskFleet, hasWorked } from "../support/desk-fleet.ts";
import type { Desk } from "../support/file-desks.ts";
import type { ModelPlan } from "../support/model-plan.ts";
import { pixel } from "../support/pixel.ts";

const skip = skipWithoutPeers(undefined);
const form = await readFile(new URL("../../packages/documents/src/testing/files/form.pdf", import.meta.url));
const formDigest = createHash("sha256").update(form).digest("hex");
const csv = Buffer.from("month,amount\nMay,12\nJune,\nJuly,30\n");

/** Drops lines without an amount, and draws what a chart would be. */
const work = `set -e
cd inbox/*/
grep -v ',$' sales.csv > ~/clean.csv
printf '%s' '${Buffer.from(pixel).toString("base64")}' | base64 -d > ~/chart.png
wc -l < ~/clean.csv`;
const site = "mkdir -p site && echo '<p>hello</p>' > site/index.html && ls site";

describe("files between people and the workspace, each worker with a folder of its own and killed in the middle", {
  skip,
}, () => {
  let house: DeskFleet;
  let plan: ModelPlan;
  let desks: readonly Desk[];

  before(async () => {
    house = await DeskFleet.start();
    ({ plan, desks } = house);
  });
  after(() => house?.[Symbol.asyncDispose]());

  it("a spreadsheet becomes a chart and a cleaned file", async () => {
    const middle = Promise.withResolvers<void>();
    for (const { name } of desks)
      plan.answer(
        `${name}: draw me a chart`,
        callTool("terminal", { command: work }),
        [...hold(middle.promise), ...say("never said")],
        callTool("send_file", { paths: ["chart.png"] }),
        callTool("terminal", { command: work }),
        callTool("send_file", { paths: ["chart.png", "clean.csv"] }),
        say(`${name}: a chart, and the file without the empty lines.`),
      );
    for (const desk of desks)
      await desk.send(`${desk.name}: draw me a chart`, { bytes: csv, name: "sales.csv", mimeType: "text/csv" });
    await house.killedWhen(hasWorked, "draw me a chart");
    middle.resolve();
    for (const { name, answered, received } of desks) {
      await answered(`${name}: a chart, and the file`);
      assert.deepEqual(await received("chart.png"), Buffer.from(pixel), name);
      assert.equal((await received("clean.csv")).toString(), "month,amount\nMay,12\nJuly,30\n", name);
      const results = house.resultsOf(`${name}: draw me a chart`);
      // The second request died with its worker, the third is the same again.
      assert.match(results[1] ?? "", /\b3\b[\s\S]*exit code 0/, "the first machine had the spreadsheet");
      assert.match(results[3] ?? "", /chart\.png does not exist/, "the second has a folder of its own");
      assert.match(results[4] ?? "", /\b3\b[\s\S]*exit code 0/, "and the spreadsheet again");
    }
  });

  it("a PDF is read, and again by the worker that takes over, from its own inbox", async () => {
    const middle = Promise.withResolvers<void>();
    const path = inboxPathOf({
      ref: brandAs<MediaRef>(`sha256:${formDigest}`),
      name: "form.pdf",
      mimeType: "application/pdf",
    });
    for (const { name } of desks)
      plan.answer(
        `${name}: who has filled it in?`,
        callTool("read_file", { path }),
        [...hold(middle.promise), ...say("never said")],
        callTool("read_file", { path, page: 2 }),
        callTool("terminal", { command: `sha256sum ${path}` }),
        say(`${name}: Ada Lovelace.`),
      );
    for (const desk of desks)
      await desk.send(`${desk.name}: who has filled it in?`, {
        bytes: form,
        name: "form.pdf",
        mimeType: "application/pdf",
      });
    await house.killedWhen(hasWorked, "who has filled it in?");
    middle.resolve();
    for (const { name, answered } of desks) {
      await answered(`${name}: Ada Lovelace.`);
      const results = house.resultsOf(`${name}: who has filled it in?`);
      assert.match(results[1] ?? "", /PDF, 2 pages[\s\S]*\[field Applicant: Ada Lovelace\]/, name);
      assert.match(results[3] ?? "", /PDF, 2 pages/, name);
      assert.ok(results[4]?.includes(formDigest), name);
    }
  });

  it("a photo is seen, also by the worker that takes over, and lies in the inbox", async () => {
    const middle = Promise.withResolvers<void>();
    for (const { name } of desks)
      plan.answer(
        `${name}: what is on it?`,
        [...hold(middle.promise), ...say("never said")],
        callTool("terminal", { command: "ls inbox/*/*" }),
        say(`${name}: a dot.`),
      );
    for (const desk of desks) await desk.photo(`${desk.name}: what is on it?`, Buffer.from(pixel));
    await house.killedWhen((asked) => asked.length > 0, "what is on it?");
    middle.resolve();
    for (const { name, answered } of desks) {
      await answered(`${name}: a dot.`);
      const asked = house.requestsWith(`${name}: what is on it?`);
      for (const { messages } of asked.slice(0, 2)) assert.match(JSON.stringify(messages), /data:image\/png;base64,/);
      assert.match(asked.at(-1)?.toolResults.at(-1) ?? "", /inbox\/[0-9a-f]{8}\/[^\n]+\.png/, name);
    }
  });

  it("a folder comes as an archive", async () => {
    const middle = Promise.withResolvers<void>();
    for (const { name } of desks)
      plan.answer(
        `${name}: pack the site`,
        callTool("terminal", { command: site }),
        [...hold(middle.promise), ...say("never said")],
        callTool("terminal", { command: site }),
        callTool("send_file", { paths: ["site"] }),
        say(`${name}: packed.`),
      );
    for (const desk of desks) await desk.send(`${desk.name}: pack the site`);
    await house.killedWhen(hasWorked, "pack the site");
    middle.resolve();
    for (const { name, answered, received } of desks) {
      await answered(`${name}: packed.`);
      const archive = await received("site.zip");
      assert.equal(archive.toString("latin1", 0, 2), "PK", name);
      assert.ok(archive.includes("site/index.html"), name);
    }
  });

  it("a voice note is read as words and lies in the inbox as sound, also after a new beginning", async () => {
    const { telegram } = house;
    const ada = telegram.user({ first_name: "Ada", id: 4242 });
    const chat = telegram.privateChat(ada);
    const sound = "OggS feed the cat";
    plan.answer("feed the cat", callTool("terminal", { command: "cat inbox/*/*.ogg" }), say("Listened."));
    plan.answer("and later?", callTool("terminal", { command: "cat inbox/*/*.ogg" }), say("Still there."));
    chat.sendVoice(ada, { bytes: Buffer.from(sound) });
    await chat.waitForBotMessage("Listened.", 120_000);
    const [first, second] = house.requestsWith("feed the cat");
    assert.match(
      first?.lastUserText ?? "",
      /<attachment kind="audio" [^>]*voice="true"[^>]* path="inbox\/[0-9a-f]{8}\/[^"]+\.ogg"[^>]*>\nheard: {2}feed the cat\n/,
    );
    assert.ok(second?.toolResults.at(-1)?.includes(sound));
    chat.say(ada, "/new");
    chat.say(ada, "and later?");
    await chat.waitForBotMessage("Still there.", 120_000);
    assert.ok(house.requestsWith("and later?").at(-1)?.toolResults.at(-1)?.includes(sound));
  });
});
