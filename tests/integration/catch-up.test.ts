import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { BotAccount, PrivateChat } from "@talaria/adapter-telegram/emulator";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const bots = ["700000001:told", "700000002:quiet"].map((token) => ({ token }));
const day = 24 * 3_600;

describe("after a long downtime", () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      telegram: { bots },
      config: (telegram) => `
accounts:
  told: { platform: telegram, token: "${bots[0]?.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
  quiet:
    platform: telegram
    token: "${bots[1]?.token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: open }
    catchUp: { maxAgeMs: 3600000, notice: false }
`,
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  it("tells a person once how much was not answered, and answers what is young enough", async () => {
    const { ada, chat, late } = newChat(0);
    const ids = [1, 2, 3].map((n) => late(`forgotten ${n}`, 3 * day));
    late("from this morning", 3_600);
    chat.say(ada, "from now");
    await chat.waitForBotMessage("from now");
    const notice = await chat.waitForBotMessage("not answered");
    assert.match(notice.text, /^3 messages sent more than 24 hours ago were not answered/);
    const asked = JSON.stringify(world.model.requests);
    assert.match(asked, /from this morning/);
    assert.doesNotMatch(asked, /forgotten/);
    assert.match(await world.talaria.talaria("trace", `u${ids[0]}`), /ignored .*too_old/);
    chat.say(ada, "still there");
    await chat.waitForBotMessage("still there");
    assert.equal(chat.botMessages().filter(({ text }) => text.includes("not answered")).length, 1);
  });

  it("is silent where nobody is to be told, by the account's own limit", async () => {
    const { ada, chat, late } = newChat(1);
    late("two hours ago", 2 * 3_600);
    chat.say(ada, "from now");
    await chat.waitForBotMessage("from now");
    await waitFor(
      () => world.telegram.bots.every((bot) => world.telegram.pendingUpdates(bot) === 0),
      "all to be taken",
    );
    assert.equal(chat.botMessages().length, 1);
    assert.doesNotMatch(JSON.stringify(world.model.requests), /two hours ago/);
  });

  it("takes a message whose time lies far in the future", async () => {
    const { chat, late } = newChat(0);
    late("from tomorrow", -400 * day);
    await chat.waitForBotMessage("from tomorrow");
  });

  /** A person's chat, and a way to say things there at another time. */
  function newChat(bot: number) {
    const ada = world.telegram.user({ first_name: "Ada" });
    const account = world.telegram.bots[bot] as BotAccount;
    const chat: PrivateChat = world.telegram.privateChat(ada, account);
    let messageId = 10_000;
    const late = (text: string, ageSeconds: number): number => {
      messageId += 1;
      const date = Math.floor(Date.now() / 1_000) - ageSeconds;
      const { id, first_name } = ada;
      const message = {
        message_id: messageId,
        date,
        text,
        from: { id, is_bot: false, first_name },
        chat: { id, type: "private", first_name },
      };
      return world.telegram.raw({ message }, account);
    };
    return { ada, chat, late };
  }
});
