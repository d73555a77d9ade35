import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { createStore } from "@talaria/store";
import {
  callTool,
  type ModelRequest,
  type ModelServer,
  type PlatformStage,
  type SaidWith,
  say,
  startModelServer,
} from "@talaria/testkit";
import { type LinkedStage, startLinkedStage } from "../../packages/adapters/whatsapp/src/testing/linked-stage.ts";
import { webHosts } from "../../packages/adapters/whatsapp/src/testing/tls-door.ts";
import { makeCertificates } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { pixel } from "../support/pixel.ts";
import { stages } from "../support/platforms/stages.ts";
import { waitFor } from "../support/wait-for.ts";

const budget = { name: "budget.txt", bytes: Buffer.from("rent: 1200\n") };
const forward = "PAPAYA is ripe";
const certificates = await makeCertificates(webHosts);

/** Where people are with the agent, and what has to be done before they reach it. */
type Stage = Pick<PlatformStage, "account" | "direct" | "group" | "reachedAt"> &
  AsyncDisposable &
  Partial<Pick<LinkedStage, "env" | "scan">>;

/** What people see beside the words that are said to the agent, through real gateway and worker processes. */
describe("what the agent sees of other people's messages", { concurrency: 2 }, () => {
  for (const [name, start] of stages) describeOn(name, start);
  describeOn("whatsapp on a linked device", linkedStage, certificates === undefined && "needs openssl");
});

async function linkedStage(): Promise<Stage> {
  const { authority, known } = certificates ?? assert.fail("there are no certificates");
  return startLinkedStage(authority, known);
}

function describeOn(name: string, start: () => Promise<Stage>, skip: string | false = false): void {
  describe(name, { concurrency: 1, skip }, () => {
    const plan = new ModelPlan();
    let stage: Stage;
    let model: ModelServer;
    let talaria: Installation;

    before(async () => {
      stage = await start();
      model = await startModelServer({ respond: plan.respond });
      const port = await freePort();
      const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "test-key", model: "test" } };
      const accounts = { main: { groups: { activation: "mention" }, ...stage.account } };
      await stage.reachedAt(`http://127.0.0.1:${port}`);
      const config = `models: ${JSON.stringify(models)}\naccounts: ${JSON.stringify(accounts)}\n`;
      talaria = await Installation.start({ config, port, database: "shared", env: stage.env ?? {} });
      await stage.scan?.(await linkCodeOf(talaria));
      await waitFor(async () => (await talaria.connectionOf("main")) === "connected", "the first connection");
    });

    after(async () => {
      await talaria?.remove();
      await model?.stop();
      await stage?.[Symbol.asyncDispose]();
    });

    /** Somebody asks, and the request that reaches the model first. */
    async function asked(words: string, options: SaidWith = {}): Promise<ModelRequest> {
      const { group = stage.direct } = stage;
      await group.say("ada", words, { mention: true, ...options });
      return await model.waitForRequest(({ lastUserText }) => lastUserText.includes(words));
    }

    /** What the tool gives for this file, and the request that holds it. */
    async function opened(id: string, words: string): Promise<ModelRequest> {
      plan.answer(words, callTool("read_attachment", { id }), say(`seen: ${words}`));
      await asked(words);
      return await model.waitForRequest(
        ({ lastUserText, toolResults, messages }) =>
          toolResults.length > 0 && (lastUserText.includes(words) || JSON.stringify(messages).includes(words)),
        30_000,
      );
    }

    it("names what was posted before without a word to the agent, and opens it when it is told to", async (test) => {
      const { group } = stage;
      if (group === undefined) return test.skip(`an agent can't be in a group on ${name}`);
      await group.say("bob", "", { picture: pixel });
      await group.say("bob", "", { file: budget });
      await group.say("cleo", forward, { isForward: true });
      const { lastUserText, images } = await asked("what did they post?");
      const blocks = [...lastUserText.matchAll(/<overheard [\s\S]*?<\/overheard>/g)].map(([block]) => block);
      assert.equal(blocks.length, 3, lastUserText);
      const [picture = "", file = "", passedOn = ""] = blocks;
      assert.match(
        picture,
        /sender="[^"]*Bob[^"]*"[\s\S]*<attachment kind="image" [^>]*id="\w{12}" opened="false"\/>/i,
      );
      assert.match(file, /<attachment kind="file" name="budget\.txt" [^>]*id="\w{12}" opened="false"\/>/);
      assert.match(passedOn, /PAPAYA is ripe/);
      assert.equal(images.length, 0, "nothing is shown before it is opened");
      const read = await opened(idIn(file), "read me the file");
      assert.match(read.toolResults.join("\n"), /<untrusted>\n[\s\S]*rent: 1200/);
      const seen = await opened(idIn(picture), "and look at the picture");
      assert.ok(seen.images.some((image) => Buffer.from(pixel).equals(image)));
    });

    it("sees the picture that a question answers, and can open the file and read the forward", async () => {
      const { group = stage.direct } = stage;
      const seenBy = ["ada"] as const;
      const pictureId = await group.say("bob", "", { picture: pixel, seenBy });
      const fileId = await group.say("bob", "", { file: budget, seenBy });
      const forwardId = await group.say("cleo", forward, { isForward: true, seenBy });
      const aboutPicture = await asked("what is on this one?", { replyTo: pictureId });
      assert.ok(aboutPicture.images.some((image) => Buffer.from(pixel).equals(image)));
      assert.match(quoteIn(aboutPicture, "what is on this one?"), /<attachment kind="image" [^>]*id="\w{12}"\/>/);
      const aboutFile = await asked("what does this one say?", { replyTo: fileId });
      const line = quoteIn(aboutFile, "what does this one say?");
      assert.match(line, /<attachment kind="file" name="budget\.txt" [^>]*id="\w{12}"/);
      const read = await opened(idIn(line), "then read it to me");
      assert.match(read.toolResults.join("\n"), /<untrusted>\n[\s\S]*rent: 1200/);
      const aboutForward = await asked("is it true?", { replyTo: forwardId });
      assert.match(quoteIn(aboutForward, "is it true?"), /PAPAYA is ripe/);
      const isTold = () => group.answers().some(({ text }) => text.includes("seen: then read it to me"));
      await waitFor(isTold, "the answer where people see it");
    });
  });
}

/** The QR code as a phone reads it. */
async function linkCodeOf({ databaseUrl = "" }: Installation): Promise<string> {
  const store = createStore({ url: databaseUrl, log: silentLog, clock: systemClock, maxConnections: 1 });
  const code = async () => (await store.operations.accounts())[0]?.connection.value;
  return String(await waitFor(code, "the code to link with").finally(() => store.close()));
}

function idIn(text: string): string {
  return / id="(\w{12})"/.exec(text.slice(text.indexOf("<attachment")))?.[1] ?? assert.fail(text);
}

/** The block that stands before the words of a message. */
function quoteIn({ lastUserText }: ModelRequest, words: string): string {
  const before = lastUserText.slice(0, lastUserText.lastIndexOf(words));
  return before.slice(before.lastIndexOf("<quoted"));
}
