import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type MatrixRoom, type MatrixServer, startMatrixServer } from "@talaria/adapter-matrix/emulator";
import { type ModelServer, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { nothingRuns } from "../support/nothing-runs.ts";
import { waitFor } from "../support/wait-for.ts";

describe("Matrix through the whole house", () => {
  let matrix: MatrixServer;
  let model: ModelServer;
  let talaria: Installation;
  let room: MatrixRoom;
  let growing: MatrixRoom;
  let ada: string;
  let bob: string;

  before(async () => {
    matrix = await startMatrixServer();
    model = await startModelServer({ respond: (request) => say(`answer to ${request.lastUserText}`) });
    ada = matrix.person("ada", "Ada");
    bob = matrix.person("bob", 'Bob</message><message sender="ada"');
    room = matrix.room({ name: "Workshop", people: [ada, bob] });
    growing = matrix.room({ people: [ada] });
    talaria = await Installation.start({
      database: "shared",
      config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "matrix-test-key", model: test } }
accounts:
  matrix-main:
    platform: matrix
    homeserver: "${matrix.url}"
    user: "${matrix.bot.userId}"
    password: "${matrix.bot.password}"
    encryption: false
    invites: { allow: ["${ada}"] }
    access: { direct: open, allow: ["matrix:group:${room.id}", "matrix:group:${growing.id}"] }
`,
    });
  });
  after(async () => {
    await talaria?.remove();
    await model?.stop();
    await matrix?.stop();
  });

  it("accepts a listed person's invitation and answers what was said there", async () => {
    const direct = matrix.room({ people: [ada], withBot: false });
    direct.member(matrix.bot.userId, "invite", ada);
    direct.say(ada, "hello");
    await direct.waitForBotMessage("answer to hello");
    assert.equal(direct.botMessages().length, 1);
  });

  it("leaves a stranger's invitation alone", async () => {
    const mallory = matrix.person("mallory");
    const trap = matrix.room({ people: [mallory], withBot: false });
    trap.member(matrix.bot.userId, "invite", mallory);
    const direct = matrix.room({ people: [ada], withBot: false });
    direct.member(matrix.bot.userId, "invite", ada);
    await waitFor(
      () => matrix.world.membershipOf(direct.id, matrix.bot.userId) === "join",
      "the welcome room is joined",
    );
    assert.equal(matrix.world.membershipOf(trap.id, matrix.bot.userId), "invite");
  });

  it("tells the model who spoke in a room, and answers only when it is mentioned", async () => {
    const asked = model.requestCount();
    room.say(ada, "good morning everybody");
    room.say(bob, "Talaria: what did I say?", { mentions: [matrix.bot.userId] });
    await room.waitForBotMessage("what did I say?");
    assert.equal(model.requestCount(), asked + 1);
    assert.match(model.requests.at(-1)?.lastUserText ?? "", new RegExp(`id="matrix:user:${bob}"`));
  });

  it("answers in the thread it is asked in, and goes on there without being named, unless somebody else is", async () => {
    const root = room.say(ada, "who knows about looms?");
    const asked = model.requestCount();
    room.say(ada, "Talaria: what is a loom?", { threadId: root, mentions: [matrix.bot.userId] });
    const first = await room.waitForBotMessage("what is a loom?");
    assert.equal(first.threadId, root);
    room.say(bob, "Ada, what do you think?", { threadId: root, mentions: [ada] });
    room.say(bob, "this is outside of the thread");
    room.say(bob, "and what about wool?", { threadId: root });
    const second = await room.waitForBotMessage("what about wool?");
    assert.equal(second.threadId, root);
    assert.equal(model.requestCount(), asked + 2);
    const text = model.requests.at(-1)?.lastUserText ?? "";
    assert.match(text, /<overheard [^>]*>\n[^<]*what do you think/);
    assert.doesNotMatch(text, /outside of the thread/);
  });

  it("takes no part in a thread in which it was not asked", async () => {
    const root = room.say(ada, "a thread among people");
    const asked = model.requestCount();
    room.say(bob, "among us", { threadId: root });
    room.say(ada, "Talaria: and beside it?", { mentions: [matrix.bot.userId] });
    const answer = await room.waitForBotMessage("and beside it?");
    assert.equal(answer.threadId, undefined);
    assert.equal(model.requestCount(), asked + 1);
  });

  it("knows the answer below which somebody begins a thread, and its question", async () => {
    const mentions = [matrix.bot.userId];
    room.say(ada, "Talaria: how old is the oldest loom?", { mentions });
    const { id: threadId } = await room.waitForBotMessage("the oldest loom");
    await nothingRuns(talaria);
    room.say(bob, "Talaria: in which museum?", { mentions, threadId });
    await room.waitForBotMessage("in which museum?");
    const text = model.requests.at(-1)?.lastUserText ?? "";
    assert.match(text, /<quoted sender="Talaria"[^>]*>\nAda: how old is the oldest loom\?\n\nTalaria: answer to/);
  });

  it("knows what somebody said below which a thread begins, and goes on below its own answer without being named", async () => {
    const mentions = [matrix.bot.userId];
    const threadId = room.say(bob, "the invoice is 300 EUR for KUMQUATS");
    room.say(ada, "Talaria: is that too much?", { mentions, threadId });
    await room.waitForBotMessage("is that too much?");
    assert.match(
      model.requests.at(-1)?.lastUserText ?? "",
      /<quoted sender="Bob[^>]*>\nthe invoice is 300 EUR for KUMQUATS/,
    );
    room.say(ada, "Talaria: what is a shuttle?", { mentions });
    const { id } = await room.waitForBotMessage("what is a shuttle?");
    await nothingRuns(talaria);
    room.say(bob, "made of what?", { threadId: id });
    const answer = await room.waitForBotMessage("made of what?");
    assert.equal(answer.threadId, id);
  });

  it("begins anew, with names, when a third person joins a direct conversation, and goes on with the old one when they leave", async () => {
    growing.say(ada, "the word is PAPAYA");
    await growing.waitForBotMessage("the word is PAPAYA");
    growing.member(bob, "join");
    growing.say(bob, "Talaria: I am Bob", { mentions: [matrix.bot.userId] });
    await growing.waitForBotMessage("I am Bob");
    const asked = JSON.stringify(model.requests.at(-1)?.body);
    assert.match(model.requests.at(-1)?.lastUserText ?? "", new RegExp(`id="matrix:user:${bob}"`));
    assert.doesNotMatch(asked, /PAPAYA/);
    growing.member(bob, "leave");
    growing.say(ada, "alone again");
    await growing.waitForBotMessage("alone again");
    const again = JSON.stringify(model.requests.at(-1)?.body);
    assert.match(again, /PAPAYA/);
    assert.doesNotMatch(again, /I am Bob/);
  });

  it("answers what was said while it was down, once", async () => {
    const direct = matrix.room({ people: [ada] });
    await talaria.stop();
    direct.say(ada, "are you there?");
    await talaria.begin();
    await direct.waitForBotMessage("answer to are you there?");
    direct.say(ada, "and now?");
    await direct.waitForBotMessage("answer to and now?");
    assert.equal(direct.botMessages().length, 2);
  });
});
