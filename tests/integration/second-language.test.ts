import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, modelFault, say } from "@talaria/testkit";
import { english } from "@talaria/words";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:languages";
/** What the model says, and where people's own words and the operator's stand in texts of ours. */
const ofOthers = [
  "Fine.",
  "It is late.",
  "The time is a secret",
  "Here it is.",
  "Once more: echo me",
  "echo me",
  "https://192.0.2.1/",
];
/** They answer nothing by themselves, or end what the test goes on with. */
const unasked = new Set(["help", "memory", "retry", "new", "branch", "undo"]);

describe("an installation with a second language, for people whose apps are in it", () => {
  let world: World;
  let ada: ReturnType<World["telegram"]["user"]>;
  let chat: PrivateChat;
  /** Messages that were looked at. */
  let seen = 0;

  before(async () => {
    const language = new URL("../support/second-language.ts", import.meta.url);
    world = await startWorld({
      telegram: { bots: [{ token }] },
      env: { NODE_OPTIONS: `--import=${language}` },
      config: (telegram) => {
        ada = telegram.user({ first_name: "Ada", language_code: "tlh-Latn" });
        chat = telegram.privateChat(ada);
        return `
owners: ["telegram:user:${ada.id}"]
policy: { rules: [{ ask: The time is a secret, tool: current_time }, { ask: The time is a secret, tool: web_fetch }] }
accounts:
  bot:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: pairing }
`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    seen = chat.botMessages().length;
  });

  const news = () => chat.botMessages().slice(seen);
  const told = async (what: string) => {
    await waitFor(() => news().length > 0, `an answer to ${what}`);
    checkAll(news());
    return news();
  };

  it("greets them, and takes their first message", async () => {
    chat.say(ada, "/start");
    await told("/start");
    world.plan.answer("hello", say("Fine."));
    chat.say(ada, "hello");
    await chat.waitForBotMessage("Fine.");
    checkAll(news());
  });

  for (const command of ["/help", "/memory", "/statsu", "/model nothing-such", "/lift nobody"])
    it(`answers ${command}`, async () => {
      chat.say(ada, command);
      await told(command);
    });

  it("tells a stranger at the door, and whoever decides, in the language of each", async () => {
    const grace = world.telegram.user({ first_name: "Grace", language_code: "tlh" });
    const door = world.telegram.privateChat(grace);
    door.say(grace, "let me in");
    await waitFor(() => door.botMessages().length === 1, "the stranger is told");
    checkAll(door.botMessages());
    const [question] = await told("the stranger");
    const [add] = question?.buttons.flat() ?? [];
    assert.ok(question && add);
    await chat.press(ada, question.id, add.text).answer;
    await waitFor(() => door.botMessages().length > 1, "the stranger is let in");
    await waitFor(
      () =>
        (chat.message(question.id)?.text ?? "").includes(english.deliveryNotices.aboutPerson("approved", undefined)),
      "the question is closed",
    );
    checkAll(door.botMessages().filter(({ text }) => !text.includes("let me in")));
    const count = door.botMessages().length;
    door.say(grace, "/people");
    await waitFor(() => door.botMessages().length > count, "the command is refused");
    checkAll(door.botMessages().slice(count));
    checkAll([chat.message(question.id) ?? assert.fail(), await chat.waitForBotMessage(/can talk to me now/)]);
  });

  it("asks for an approval, says what stands open, and what was decided", async () => {
    world.plan.answer("what time is it", callTool("current_time", {}), say("It is late."));
    chat.say(ada, "what time is it");
    const question = await chat.waitForBotMessage(/⟦May I ⟦look at the clock⟧\?⟧/, 60_000);
    chat.say(ada, "/approvals");
    await waitFor(() => news().length > 1, "the list of what waits");
    checkAll(news());
    const [approve] = question.buttons.flat();
    await chat.press(ada, question.id, approve?.text ?? "").answer;
    await chat.waitForBotMessage("It is late.");
    await waitFor(() => (chat.message(question.id)?.text ?? "").includes("✓"), "the question is closed");
    checkAll([...news(), chat.message(question.id) ?? assert.fail()]);
  });

  it("says what it leaves out of a call, and what else can be agreed to", async () => {
    const url = (digits: number) => `https://192.0.2.1/${"1".repeat(digits)}`;
    world.plan.answer("read it all", callTool("web_fetch", { url: url(3_000) }), say("Fine."));
    chat.say(ada, "read it all");
    const long = await chat.waitForBotMessage(/⟦\d,\d{3} characters are not shown⟧/, 60_000);
    checkAll([long]);
    await chat.press(ada, long.id, long.buttons.flat()[1]?.text ?? "").answer;
    await waitFor(() => (chat.message(long.id)?.text ?? "").includes("✗"), "the long question is closed");
    world.plan.answer("read a part", callTool("web_fetch", { url: url(3) }), say("Fine."));
    chat.say(ada, "read a part");
    const short = await chat.waitForBotMessage(/⟦Later calls of web_fetch|Later calls of web_fetch/, 60_000);
    const grant = short.buttons.flat().find(({ text }) => text.includes(english.approvalNotices.grants.session));
    await chat.press(ada, short.id, grant?.text ?? "").answer;
    await waitFor(() => (chat.message(short.id)?.text ?? "").includes("✓"), "the short question is closed");
    const count = chat.botMessages().length;
    chat.say(ada, "/approvals");
    await waitFor(
      () =>
        chat
          .botMessages()
          .slice(count)
          .some(({ text }) => text.includes("/revoke")),
      "the agreement",
    );
    checkAll([...news(), chat.message(short.id) ?? assert.fail()]);
  });

  it("says that a file is too large for the platform", async () => {
    world.telegram.fail("sendDocument", { kind: "answer", code: 413, effect: "none" });
    world.plan.answer("the numbers", callTool("send_file", { name: "numbers.csv", content: "1" }), say("Here it is."));
    chat.say(ada, "the numbers");
    await waitFor(
      () => news().some(({ text }) => text.includes(english.deliveryNotices.tooLarge)),
      "the line for the file",
    );
    checkAll(news());
  });

  it("says that the model is down", async () => {
    world.plan.answer("are you there", modelFault.unauthorized());
    chat.say(ada, "are you there");
    await told("a model that is down");
  });

  for (const command of Object.keys(english.commandLines).filter((name) => !unasked.has(name)))
    it(`answers /${command} alone`, async () => {
      chat.say(ada, `/${command}`);
      await told(`/${command}`);
    });

  it("tells owners at home what has to be mended, and that it is over", async () => {
    const trouble = await chat.waitForBotMessage(
      /⟦model main\. Its provider refuses the key or login, since \d\d:\d\d UTC/,
    );
    assert.match(trouble.text, /^⟦People get no answers from me/);
    world.plan.answer("and now", say("Fine."));
    chat.say(ada, "and now");
    const over = await chat.waitForBotMessage(/It's over: model main answers again/);
    checkAll([trouble, over]);
  });
});

function checkAll(messages: ReturnType<PrivateChat["botMessages"]>): void {
  for (const { text, buttons } of messages)
    for (const said of [text, ...buttons.flat().map((button) => button.text)]) assert.equal(unmarked(said), "", said);
}

/** What of a text is neither in the second language nor somebody else's: letters outside of all marks, and what stands around them. */
function unmarked(text: string): string {
  let depth = 0;
  let rest = "";
  for (const character of ofOthers.reduce((left, words) => left.replaceAll(words, ""), text)) {
    if (character === "⟦") depth += 1;
    else if (character === "⟧") depth -= 1;
    else if (depth === 0) rest += character;
  }
  return /\p{L}/u.test(rest) ? rest.trim() : "";
}
