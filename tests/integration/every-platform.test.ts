import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Platform } from "@talaria/protocol";
import {
  callTool,
  hold,
  type ModelServer,
  modelFault,
  type Place,
  type PlatformStage,
  type SeenAnswer,
  say,
  startModelServer,
} from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { pixel } from "../support/pixel.ts";
import { stages } from "../support/platforms/stages.ts";
import { waitFor } from "../support/wait-for.ts";

/** One conversation, the same words on every platform, through real gateway and worker processes. */
describe("a conversation on every platform", { concurrency: 2 }, () => {
  for (const [name, start] of stages) describeOn(name, start);
});

function describeOn(name: Platform, start: () => Promise<PlatformStage>): void {
  describe(name, { concurrency: 1 }, () => {
    const plan = new ModelPlan();
    let stage: PlatformStage;
    let model: ModelServer;
    let talaria: Installation;

    before(async () => {
      stage = await start();
      model = await startModelServer({ respond: plan.respond });
      const port = await freePort();
      const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "test-key", model: "test" } };
      const accounts = { main: { groups: { activation: "mention" }, ...stage.account } };
      await stage.reachedAt(`http://127.0.0.1:${port}`);
      const config = `leases: { sessionMs: 2000, accountMs: 2000 }\nmodels: ${JSON.stringify(models)}\naccounts: ${JSON.stringify(accounts)}\n`;
      talaria = await Installation.start({ config, port, database: "shared" });
      await waitFor(async () => (await talaria.connectionOf("main")) === "connected", "the first connection");
    });

    after(async () => {
      await talaria?.remove();
      await model?.stop();
      await stage?.[Symbol.asyncDispose]();
    });

    it("answers in a direct chat", async () => {
      await stage.direct.say("ada", "good morning");
      await shown(stage.direct, /good morning/);
      assert.equal(stage.direct.answers().length, 1);
    });

    it("tells three people apart in a group and answers who addresses it", async (test) => {
      const { group } = stage;
      if (group === undefined) return test.skip(`an agent can't be in a group on ${name}`);
      const asked = model.requestCount();
      await group.say("ada", "my favourite colour is amber");
      await group.say("bob", "which colour did Ada name?", { mention: true });
      await shown(group, /which colour did Ada name/);
      await group.say("cleo", "and who am I?", { mention: true });
      await shown(group, /and who am I/);
      assert.equal(model.requestCount(), asked + 2, "what was not said to the agent began no turn");
      const [bobs, cleos] = model.requests.slice(-2).map(({ lastUserText }) => lastUserText);
      assert.match(bobs ?? "", /<overheard [^>]*sender="[^"]*Ada[^"]*"[^>]*>[\s\S]*amber[\s\S]*<\/overheard>/i);
      assert.equal(bobs?.match(/<message /g)?.length, 1, bobs);
      assert.doesNotMatch(cleos ?? "", /amber/, "what was overheard is told once");
      const senders = [bobs, cleos].map((text) => /<message [^>]*id="([^"]+)"/.exec(text ?? "")?.[1]);
      assert.ok(senders[0] !== undefined && senders[0] !== senders[1], String(senders));
    });

    it("shows a long answer with a table and code whole and in order", async () => {
      plan.answer("explain it all", say(longAnswer, { pieces: 40 }));
      const before = stage.direct.answers().length;
      await stage.direct.say("ada", "explain it all");
      // A preview of a long answer shows its end alone: only the whole answer has both.
      const answers = await shownAfter(stage.direct, before, /cellnorth[\s\S]*the very end/);
      const text = answers.map((answer) => answer.text).join("\n");
      const places = landmarks.map((words) => text.indexOf(words));
      assert.deepEqual(
        landmarks.filter((words, n) => (places[n] ?? -1) < 0 || text.split(words).length !== 2),
        [],
        text,
      );
      assert.deepEqual(
        places,
        [...places].sort((one, other) => one - other),
      );
    });

    it("shows the model a picture that came in", async (test) => {
      if (!stage.files) return test.skip(`nobody can send a file on ${name}`);
      await stage.direct.say("ada", "what is on this picture", { picture: pixel });
      await shown(stage.direct, /what is on this picture/);
      const request = model.requests.findLast(({ lastUserText }) => lastUserText.includes("what is on this picture"));
      assert.ok(JSON.stringify(request?.body).includes(Buffer.from(pixel).toString("base64")));
    });

    it("sends a file that the model made", async (test) => {
      if (!stage.files) return test.skip(`nobody can send a file on ${name}`);
      const content = "one,two\n1,2\n";
      plan.answer("make me a file", callTool("send_file", { name: "numbers.csv", content }), say("Here it is."));
      const before = stage.direct.answers().length;
      await stage.direct.say("ada", "make me a file");
      await waitFor(() => filesOf(stage.direct.answers().slice(before)).length > 0, `a file:\n${talaria.output}`);
      const answers = await shownAfter(stage.direct, before, /Here it is\./);
      assert.deepEqual(filesOf(answers), [{ name: "numbers.csv", content }]);
    });

    it("stops in the middle of an answer", async () => {
      const gate = Promise.withResolvers<void>();
      plan.answer("count to a million", [...say("One, two, "), ...hold(gate.promise), ...say("one million.")]);
      await stage.direct.say("ada", "count to a million");
      const request = await model.waitForRequest(
        ({ lastUserText }) => lastUserText.includes("count to a million"),
        20_000,
      );
      if (stage.progress !== "none") await waitFor(() => stage.direct.glance().includes("One, two"), "the beginning");
      await stage.direct.say("ada", "/stop");
      await shown(stage.direct, /stopped/i);
      await waitFor(() => request.hungUp.aborted, "the call to the model to end");
      gate.resolve();
      await stage.direct.say("ada", "what next");
      await shown(stage.direct, /what next/);
      assert.doesNotMatch(textOf(stage.direct.answers()), /one million/);
    });

    it("finishes an answer once although everything was killed in its middle", async () => {
      plan.answer("tell me a story", modelFault.stallAfter("Once upon "), say("Once upon a time, the end."));
      const before = stage.direct.answers().length;
      await stage.direct.say("ada", "tell me a story");
      await model.waitForRequest(({ lastUserText }) => lastUserText.includes("tell me a story"));
      if (stage.progress !== "none") await waitFor(() => stage.direct.glance().includes("Once upon"), "the beginning");
      await talaria.stop("SIGKILL");
      await talaria.begin();
      const answers = await shownAfter(stage.direct, before, /a time, the end/);
      assert.equal(answers.filter(({ text }) => text.includes("a time, the end")).length, 1, textOf(answers));
    });

    it("asks before it does what needs an approval, and does it once it is approved, although everything was killed", async () => {
      const begin = stage.direct.answers().length;
      await stage.direct.say("ada", "/whoami");
      const told = textOf(await shownAfter(stage.direct, begin, /[a-z]+:user:/));
      const owner = /[a-z]+:user:[^\s`,]+/.exec(told)?.[0];
      await talaria.stop();
      const file = join(talaria.home, "config.yaml");
      const policy = { rules: [{ ask: "The time is a secret", tool: "current_time" }] };
      const rules = `owners: ${JSON.stringify([owner])}\npolicy: ${JSON.stringify(policy)}\n`;
      await writeFile(file, `${await readFile(file, "utf8")}\n${rules}`);
      await talaria.begin();
      plan.answer("what time is it", callTool("current_time", {}), say("It is late."));
      const before = stage.direct.answers().length;
      await stage.direct.say("ada", "what time is it");
      await shownAfter(stage.direct, before, /The time is a secret/);
      await talaria.stop("SIGKILL");
      await talaria.begin();
      await stage.direct.say("ada", "/approve");
      await shownAfter(stage.direct, before, /It is late/);
      const request = model.requests.findLast(({ lastUserText }) => lastUserText.includes("what time is it"));
      assert.equal(request?.toolResults.length, 1);
      assert.match(request?.toolResults[0] ?? "", /UTC: 20/);
    });
  });
}

/** Resolves with the agent's messages from number `from` on, once their text matches. */
async function shownAfter(place: Place, from: number, words: RegExp): Promise<readonly SeenAnswer[]> {
  const look = () => place.answers().slice(from);
  await waitFor(
    () => words.test(textOf(look())),
    `${words} to be shown, not ${textOf(place.answers()).slice(-2000)}`,
    45_000,
  );
  return look();
}

async function shown(place: Place, words: RegExp): Promise<void> {
  await shownAfter(place, 0, words);
}

function textOf(answers: readonly SeenAnswer[]): string {
  return answers.map(({ text }) => text).join("\n");
}

function filesOf(answers: readonly SeenAnswer[]) {
  return answers.flatMap(({ files }) =>
    files.map(({ name, bytes }) => ({ name, content: Buffer.from(bytes).toString("utf8") })),
  );
}

const chapters = Array.from({ length: 12 }, (_, n) => `chapter${n + 1}begins`);

/** Words that stand once each in the long answer, in this order. */
const landmarks = ["cellnorth", "cellsouth", "const answer = 42;", ...chapters, "the very end"];

const longAnswer = `# Everything

| place | value |
| --- | --- |
| cellnorth | 1 |
| cellsouth | 2 |

\`\`\`ts
const answer = 42;
\`\`\`

${chapters.map((chapter) => `**${chapter}** ${"and so on with *many* more words ".repeat(20)}`).join("\n\n")}

And this is the very end.`;
