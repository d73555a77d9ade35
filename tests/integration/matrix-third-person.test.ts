import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type MatrixRoom, type MatrixServer, startMatrixServer } from "@talaria/adapter-matrix/emulator";
import { callTool, hold, type ModelServer, say, startModelServer } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { nothingRuns } from "../support/nothing-runs.ts";
import { waitFor } from "../support/wait-for.ts";

const skip = skipWithoutPeers(undefined);
const goesOn = "and the processes I had started in the background.";
const joined = `A third person has joined this room, so I've ended what we began here in private, ${goesOn}`;
const left = `There is no third person in this room any more, so I've ended what was begun here in the group, ${goesOn}`;

describe("what was begun in a room of Matrix before a third person joined", { skip }, () => {
  const plan = new ModelPlan();
  let matrix: MatrixServer;
  let model: ModelServer;
  let talaria: Installation;
  let ada: string;
  let bob: string;
  let folder: string;

  before(async () => {
    matrix = await startMatrixServer();
    model = await startModelServer({ respond: plan.respond });
    ada = matrix.person("ada", "Ada");
    bob = matrix.person("bob", "Bob");
    folder = await mkdtemp(join(tmpdir(), "talaria-workspaces-"));
    await chmod(folder, 0o711);
    talaria = await Installation.start({
      database: "shared",
      config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "matrix-test-key", model: test } }
sandbox: { backend: sandbox, folder: ${folder} }
owners: ["matrix:user:${ada}"]
policy: { rules: [{ ask: files, tool: write_file, in: direct }] }
accounts:
  matrix-main:
    platform: matrix
    homeserver: "${matrix.url}"
    accessToken: "${matrix.token}"
    encryption: false
    access: { direct: open, groups: open }
`,
    });
    await waitFor(async () => (await talaria.connectionOf("matrix-main")) === "connected", "the account is connected");
  });
  after(async () => {
    await talaria?.remove();
    await model?.stop();
    await matrix?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const texts = (room: MatrixRoom) => room.botMessages().map(({ text }) => text);
  const times = (room: MatrixRoom, text: string) => texts(room).filter((one) => one === text).length;
  const command = async (room: MatrixRoom, text: string, answer: string) => {
    const known = room.botMessages().length;
    room.say(ada, text, { mentions: [matrix.bot.userId] });
    await waitFor(
      () =>
        texts(room)
          .slice(known)
          .some((one) => one.includes(answer)),
      `${text}: ${answer}`,
    );
  };
  /** A call that an owner is asked about, in a conversation of Ada alone. */
  const asked = async (words: string, room = matrix.room({ people: [ada] })) => {
    plan.answer(words, callTool("write_file", { path: "pin.txt", content: "4711" }), say(`${words} is done`));
    room.say(ada, words);
    const question = await room.waitForBotMessage("May I ");
    return { room, question, id: /approve (\w+)/.exec(question.text)?.[1] ?? "" };
  };

  it("ends with the join, without a message: a process tells its end to nobody", async () => {
    const room = matrix.room({ people: [ada] });
    const process = { action: "start", command: "sleep 3; echo OKAPI", tell: true };
    plan.answer("begin it", callTool("process", process), say("It runs."));
    plan.answer("OKAPI", say("The PIN is 4711."));
    room.say(ada, "begin it");
    await room.waitForBotMessage("It runs.");
    room.member(bob, "join");
    await room.waitForBotMessage(joined);
    plan.answer("wait", callTool("terminal", { command: "sleep 5" }), say("I waited."));
    const other = matrix.room({ people: [ada] });
    other.say(ada, "wait");
    await other.waitForBotMessage("I waited.");
    await nothingRuns(talaria);
    assert.equal(
      model.requests.some(({ lastUserText }) => lastUserText.includes("OKAPI\n")),
      false,
    );
    assert.deepEqual(texts(room).slice(-2), ["It runs.", joined]);
  });

  it("ends while a turn runs: no call follows, and what it would have said is not posted", async () => {
    const room = matrix.room({ people: [ada] });
    const gate = Promise.withResolvers<void>();
    const call = callTool("terminal", { command: "touch followed" });
    plan.answer("work", [...say("The PIN "), ...hold(gate.promise), ...call], say("is 4711."));
    room.say(ada, "work");
    await waitFor(() => model.requests.some(({ lastUserText }) => lastUserText.includes("work")), "the turn runs");
    const requests = model.requestCount();
    room.member(bob, "join");
    await room.waitForBotMessage(joined);
    await nothingRuns(talaria);
    gate.resolve();
    assert.equal(model.requestCount(), requests);
    assert.equal(
      texts(room).some((text) => text.includes("4711")),
      false,
    );
    await command(room, "!stop", "There is nothing to stop.");
  });

  it("ends while a question waits: it is answered neither by a press nor in words", async () => {
    const { room, question, id } = await asked("write in private");
    room.member(bob, "join");
    await room.waitForBotMessage(joined);
    await command(room, "!approvals", "Nothing here waits for your approval.");
    const requests = model.requestCount();
    room.react(ada, question.id, "1️⃣");
    await command(room, `!approve ${id}`, "This was stopped before anybody decided.");
    await nothingRuns(talaria);
    assert.equal(model.requestCount(), requests);
    assert.deepEqual([times(room, joined), times(room, "write in private is done")], [1, 0]);
  });

  it("ends when somebody joined while nobody was there to see it", async () => {
    const { room, id } = await asked("write before the end");
    await talaria.stop();
    room.member(bob, "join");
    await talaria.begin();
    await room.waitForBotMessage(joined);
    await command(room, `!approve ${id}`, "This was stopped before anybody decided.");
    await nothingRuns(talaria);
    assert.deepEqual([times(room, joined), times(room, "write before the end is done")], [1, 0]);
  });

  it("ends in the group as well when the third person has left", async () => {
    const room = matrix.room({ people: [ada, bob] });
    const gate = Promise.withResolvers<void>();
    plan.answer("among us", [...hold(gate.promise), ...say("for all of you")]);
    room.say(ada, "Talaria: among us", { mentions: [matrix.bot.userId] });
    await waitFor(() => model.requests.some(({ lastUserText }) => lastUserText.includes("among us")), "the turn runs");
    room.member(bob, "leave");
    await room.waitForBotMessage(left);
    await nothingRuns(talaria);
    gate.resolve();
    assert.deepEqual(texts(room), [left]);
    room.say(ada, "alone now");
    await room.waitForBotMessage("alone now");
  });
});
