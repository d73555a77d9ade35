import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { systemClock } from "@talaria/protocol";
import { callTool, say } from "@talaria/testkit";
import { type BookingServer, startBookingServer } from "../../packages/mcp/src/booking-server.fixture.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:questions";

interface Talk {
  readonly user: ReturnType<World["telegram"]["user"]>;
  readonly chat: PrivateChat;
}

describe("an MCP server that asks people in the middle of a call", () => {
  let world: World;
  let desk: BookingServer;
  let talks: readonly Talk[];

  before(async () => {
    desk = await startBookingServer();
    world = await startWorld({
      telegram: { bots: [{ token }] },
      config: (telegram) => {
        talks = ["Ada", "Grace", "Mary"].map((name) => {
          const user = telegram.user({ first_name: name });
          return { user, chat: telegram.privateChat(user) };
        });
        return `
owners: [${talks.map(({ user }) => `"telegram:user:${user.id}"`).join(", ")}]
leases: { sessionMs: 3000, accountMs: 3000 }
mcp: { servers: { desk: { url: "${desk.url}", timeoutMs: 3000 } } }
policy: { trusted: ["${desk.url}"], rules: [{ allow: our own desk, tool: "mcp_desk_*" }] }
accounts:
  bot: { platform: telegram, token: "${token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await desk?.stop();
  });

  const result = () => world.model.requests.at(-1)?.toolResults?.at(-1) ?? "";
  const book = (n: number, text: string, end: string): Talk => {
    const talk = talks[n];
    assert.ok(talk);
    world.plan.answer(text, callTool("mcp_desk_book", {}), say(end));
    talk.chat.say(talk.user, text);
    return talk;
  };

  it("has the answers of whoever asked, in words and by buttons, checked, after they saw them all", async () => {
    const { user: ada, chat } = book(0, "book a table", "It is booked.");
    const first = await chat.waitForBotMessage(/asks, while I call book[\s\S]*For whom is the table\?/);
    assert.match(first.text, /Your next words here are the answer/);
    const asked = world.model.requests.length;
    chat.say(ada, "Ada Lovelace");
    await chat.waitForBotMessage(/asks, 2 of 2[\s\S]*Write a whole number from 1 to 8/);
    chat.say(ada, "nine");
    await chat.waitForBotMessage(/That can't be sent: Write a whole number from 1 to 8/);
    chat.say(ada, "4");
    const review = await chat.waitForBotMessage(/This goes to the MCP server desk/);
    assert.match(review.text, /name: Ada Lovelace[\s\S]*people: 4/);
    await chat.press(ada, review.id, "Send").answer;
    await chat.waitForBotMessage("It is booked.");
    assert.match(result(), /booked for 4 in the name of Ada Lovelace/);
    assert.equal(world.model.requests.length, asked + 1, "no word of it went to the model");
  });

  it("is told of a person's no, and nothing is left of a question after /stop", async () => {
    const { user, chat } = book(1, "book another", "It is not booked.");
    const question = await chat.waitForBotMessage(/For whom is the table\?/);
    await chat.press(user, question.id, "Decline").answer;
    await chat.waitForBotMessage("It is not booked.");
    assert.match(result(), /nothing was booked/);
    const asked = world.model.requests.length;
    book(1, "book a third", "never");
    await waitFor(async () => (world.model.requests.length > asked ? true : undefined), "the third call");
    await systemClock.sleep(1_000);
    chat.say(user, "/stop");
    await chat.waitForBotMessage("Stopped.");
    world.plan.answer("Grace Hopper", say("Hello, Grace."));
    chat.say(user, "Grace Hopper");
    await chat.waitForBotMessage("Hello, Grace.");
  });

  it("gets no answer from a worker that died, and the next words are for the agent again", async () => {
    const { user, chat } = book(2, "book a fourth", "I don't know.");
    await chat.waitForBotMessage(/For whom is the table\?/);
    const worker = (await world.talaria.processes()).find(({ kind }) => kind === "worker");
    assert.ok(worker);
    process.kill(worker.pid, "SIGKILL");
    await chat.waitForBotMessage("I don't know.");
    assert.match(result(), /UNKNOWN: interrupted while it waited for people to answer/);
    await chat.waitForBotMessage(/^A question that waited here is void/);
    world.plan.answer("Mary Somerville", say("Hello, Mary."));
    chat.say(user, "Mary Somerville");
    await chat.waitForBotMessage("Hello, Mary.");
  });
});
