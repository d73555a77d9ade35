import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import type { Fault } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const mark = "(Sent again: ";
const page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";

interface Outage {
  readonly fault: Fault;
  /** What does not work meanwhile. */
  readonly methods: readonly string[];
  readonly copies: 1 | 2;
}

const outages: Readonly<Record<string, Outage>> = {
  "answers posts with a page of 502": {
    fault: { kind: "answer", code: 502, body: page, effect: "none" },
    methods: ["sendMessage"],
    copies: 1,
  },
  "answers posts with 502 as JSON": {
    fault: { kind: "answer", code: 502, effect: "none" },
    methods: ["sendMessage"],
    copies: 1,
  },
  "answers everything in chats with 502": {
    fault: { kind: "answer", code: 502, body: page, effect: "none" },
    methods: ["sendMessage", "sendMessageDraft", "sendChatAction"],
    copies: 1,
  },
  "closes connections before anything happens": {
    fault: { kind: "drop", effect: "none" },
    methods: ["sendMessage", "sendMessageDraft", "sendChatAction"],
    copies: 1,
  },
  "closes connections when everything has happened": {
    fault: { kind: "drop", effect: "done" },
    methods: ["sendMessage", "sendMessageDraft", "sendChatAction"],
    copies: 2,
  },
};

describe("while Telegram has an outage", () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      config: ({ apiRoot, bots }) => `
accounts:
  main: { platform: telegram, token: "${bots[0]?.token}", apiRoot: "${apiRoot}", access: { direct: open } }
`,
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  for (const [what, { fault, methods, copies }] of Object.entries(outages))
    it(`no answer is lost when it ${what}`, async () => {
      const { telegram } = world;
      const posts = () => telegram.calls.count("sendMessage");
      const { possibleDuplicates } = await backlog();
      const begun = posts();
      for (const method of methods) telegram.fail(method, fault, Number.POSITIVE_INFINITY);
      const talks = ["oak", "elm", "ash", "fir"].map((name) => new Talk(world, `${what} ${name}`));
      await waitFor(() => posts() >= begun + talks.length, "a post of every answer");
      await waitFor(async () => (await backlog()).pendingDeliveries === talks.length, "all answers to wait");
      telegram.faults.clear();
      await waitFor(async () => (await backlog()).pendingDeliveries === 0, "every answer", 120_000);
      for (const { chat, answer, texts } of talks) {
        const shown = texts();
        assert.equal(shown.length, copies, chat.describe());
        if (copies === 2) assert.equal(shown[0], answer);
        assert.ok(shown.at(-1)?.startsWith(mark) && shown.at(-1)?.endsWith(answer), chat.describe());
      }
      const then = await backlog();
      assert.equal(then.failedDeliveries, 0);
      assert.ok(then.possibleDuplicates >= possibleDuplicates + talks.length);
    });

  it("an answer that was given up is told, listed, and sent again by `talaria retry`", async () => {
    const refused = {
      kind: "answer",
      code: 400,
      description: "Bad Request: message text is empty",
      effect: "none",
    } as const;
    world.telegram.fail("sendMessage", refused, 1, ({ text }) => String(text).includes("a birch"));
    const { chat, answer, texts } = new Talk(world, "a birch");
    await chat.waitForBotMessage("An answer may not have arrived here.");
    chat.say(chat.person, "and then");
    await chat.waitForBotMessage(/<note>Your words that begin with "echo: a birch" did not arrive here.*and then$/s);
    const shown = await world.talaria.talaria("status");
    const [, command = "", key = ""] = /(talaria retry) '(.+?)'\)/.exec(shown) ?? [];
    assert.equal(command, "talaria retry", shown);
    assert.match(await world.talaria.talaria("retry", key), /1 answer is sent again/);
    await chat.waitForBotMessage(({ text }) => text === answer);
    assert.equal(texts().length, 3, chat.describe());
    assert.doesNotMatch(await world.talaria.talaria("status"), /talaria retry/);
  });

  async function backlog(): Promise<
    Readonly<Record<"failedDeliveries" | "pendingDeliveries" | "possibleDuplicates", number>>
  > {
    return JSON.parse(await world.talaria.talaria("status", "--json")).backlog;
  }
});

/** A person who asks, and what they see of the answer. */
class Talk {
  readonly chat: PrivateChat;
  readonly answer: string;

  constructor({ telegram }: World, words: string) {
    const person = telegram.user({ first_name: "Ada" });
    this.chat = telegram.privateChat(person);
    this.answer = `echo: ${words}`;
    this.chat.say(person, words);
  }

  readonly texts = () => this.chat.botMessages().map(({ text }) => text);
}
