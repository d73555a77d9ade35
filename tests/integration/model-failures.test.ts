import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { callTool, type ModelScript, modelFault } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

interface Failure {
  readonly what: string;
  readonly fault: () => ModelScript;
  readonly notice: RegExp;
  /** Requests that the model gets before the person is told. */
  readonly requests: number;
}

const failures: readonly Failure[] = [
  { what: "answers 500", fault: () => modelFault.serverError(), notice: /its server reports an error/, requests: 3 },
  {
    what: "answers a proxy's page",
    fault: modelFault.badGatewayPage,
    notice: /its server reports an error/,
    requests: 3,
  },
  { what: "is silent from the start", fault: modelFault.silent, notice: /stopped answering/, requests: 2 },
  { what: "falls silent", fault: () => modelFault.stallAfter("Half"), notice: /stopped answering/, requests: 2 },
  { what: "ends early", fault: () => modelFault.cutAfter("Half", "end"), notice: /broke before/, requests: 3 },
  { what: "is cut off", fault: () => modelFault.cutAfter("Half", "reset"), notice: /can't reach/, requests: 3 },
  { what: "says nothing", fault: modelFault.empty, notice: /empty answer/, requests: 2 },
  {
    what: "refuses the key",
    fault: modelFault.unauthorized,
    notice: /access to the language model was refused/,
    requests: 1,
  },
  { what: "has no budget left", fault: modelFault.quotaExceeded, notice: /credit for my language model/, requests: 1 },
  { what: "is unknown", fault: modelFault.modelNotFound, notice: /language model I was given/, requests: 1 },
  { what: "says to wait long", fault: () => modelFault.rateLimited(120), notice: /too many requests/, requests: 1 },
];

describe("a model that fails", { concurrency: true }, () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      modelKeys: "firstChunkMs: 10000, idleMs: 10000",
      config: ({ token, apiRoot }) =>
        `accounts: { main: { platform: telegram, token: "${token}", apiRoot: "${apiRoot}", access: { direct: open } } }`,
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  for (const { what, fault, notice, requests } of failures) {
    it(`and ${what}: the person is told once, and the next message is answered`, async () => {
      const ada = world.telegram.user({ first_name: "Ada" });
      const chat = world.telegram.privateChat(ada);
      const words = `please, ${what}`;
      world.plan.answer(words, ...Array.from({ length: requests }, fault));
      chat.say(ada, words);
      await chat.waitForBotMessage(notice, 120_000);
      chat.say(ada, `thanks, ${chat.id}`);
      await chat.waitForBotMessage(`thanks, ${chat.id}`, 120_000);
      assert.equal(chat.botMessages().length, 2, chat.describe());
      const asked = world.model.requests.filter(({ lastUserText }) => lastUserText === words);
      assert.equal(asked.length, requests);
    });
  }
});

it("shows what is no text in a model's words and arguments as U+FFFD, and stores nothing that breaks", async () => {
  await using world = await startWorld({
    config: ({ token, apiRoot }) =>
      `accounts: { main: { platform: telegram, token: "${token}", apiRoot: "${apiRoot}", access: { direct: open } } }`,
  });
  const ada = world.telegram.user({ first_name: "Ada" });
  const chat = world.telegram.privateChat(ada);
  const odd = "NUL \0, halves \ud800 and \udc00";
  const [before = "", after = ""] = JSON.stringify({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "test-model",
    choices: [{ index: 0, delta: { content: "Bytes |, " }, finish_reason: null }],
  }).split("|");
  const line = Buffer.concat([Buffer.from(`data: ${before}`), Buffer.from([0xff, 0x21]), Buffer.from(after)]);
  const call = callTool("current_time", { timeZone: `Europe/${odd}`, [odd]: odd });
  world.plan.answer("what is no text?", call, [
    { kind: "raw", line },
    { kind: "text", text: odd },
  ]);
  chat.say(ada, "what is no text?");
  const answer = await chat.waitForBotMessage("halves", 120_000);
  assert.equal(answer.text, "Bytes \ufffd!, NUL \ufffd, halves \ufffd and \ufffd");
  chat.say(ada, "and now?");
  await chat.waitForBotMessage("and now?", 120_000);
  const told = world.model.requests.at(-1)?.messages ?? [];
  const by = (wanted: string) => told.filter(({ role }) => role === wanted).map(({ content }) => content);
  assert.deepEqual(by("assistant"), [null, answer.text]);
  assert.match(String(by("tool")), /"NUL \ufffd, halves \ufffd and \ufffd"/);
  assert.equal(chat.botMessages().length, 2, chat.describe());
});

it("answers with a plainly labelled demo model as long as none is configured", async () => {
  await using telegram = await startTelegramServer();
  await using talaria = await Installation.start({
    database: "shared",
    config: `accounts: { main: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } } }`,
  });
  assert.match(
    talaria.output,
    /no model is configured: the offline demo model answers\. Run `talaria setup model`, which needs no restart/,
  );
  const ada = telegram.user({ first_name: "Ada" });
  const chat = telegram.privateChat(ada);
  chat.say(ada, "is anybody there?");
  const answer = await chat.waitForBotMessage("You said: is anybody there?");
  assert.match(answer.text, /offline demo model/);
  chat.say(ada, "who is here?");
  await chat.waitForBotMessage(`telegram:user:${ada.id}`);
  await talaria.say("first", "hello");
  await talaria.waitForLine("first", /offline demo model[\s\S]*You said: hello/);
  await waitFor(async () => (await talaria.history("first")).length === 2, "one line each");
});
