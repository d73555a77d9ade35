import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { callTool, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { longestWaitMs } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const skip = skipWithoutPeers(undefined);

// No name below .invalid is ever anybody's (RFC 6761): whoever may reach it finds nobody.
it("a command's hosts are asked about once for a conversation, which a restart keeps and /new ends", {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-hosts-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  await using world = await startWorld({
    config: (telegram) => `
sandbox: { backend: sandbox, folder: ${folder} }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, plan, model, talaria } = world;
  const ada = telegram.user({ first_name: "Ada", id: 4242 });
  const chat = telegram.privateChat(ada);
  const results = () => model.requests.at(-1)?.toolResults ?? [];
  const curl = (name: string, network?: readonly string[]) =>
    callTool("terminal", { command: `curl -sS http://${name}.invalid/ 2>&1`, ...(network && { network }) });
  const isNew =
    (...before: readonly { readonly id: number }[]) =>
    ({ id, text }: { readonly id: number; readonly text: string }) =>
      text.includes("May I ") && before.every((one) => one.id !== id);
  const turn = async (words: string, end: string, ...calls: readonly ReturnType<typeof callTool>[]) => {
    plan.answer(words, ...calls, say(end));
    chat.say(ada, words);
    return await chat.waitForBotMessage(end, longestWaitMs);
  };

  await turn("fetch it plainly", "It is closed.", curl("one"));
  assert.match(results().at(-1) ?? "", /\[one\.invalid was refused: .*network: \["one\.invalid"\]\]$/);
  assert.ok(!chat.botMessages().some(({ text }) => text.includes("May I ")));

  plan.answer("fetch it now", curl("one", ["one.invalid"]), say("Nobody is there."));
  chat.say(ada, "fetch it now");
  const question = await chat.waitForBotMessage("May I ", longestWaitMs);
  assert.match(
    question.text,
    /^May I run this command\?[\s\S]*one\.invalid \(https and http\)[\s\S]*curl -sS http:\/\/one\.invalid[\s\S]*before a command reaches a host\./,
  );
  chat.press(ada, question.id, "For this conversation");
  await chat.waitForBotMessage("Nobody is there.", longestWaitMs);
  assert.match(results().at(-1) ?? "", /\[No address of one\.invalid can be found: /);

  await talaria.stop();
  await talaria.begin();
  await turn("once more", "Nobody again.", curl("one", ["one.invalid"]));
  assert.match(results().at(-1) ?? "", /\[No address of one\.invalid can be found: /);

  plan.answer("the other", curl("two", ["one.invalid", "two.invalid"]), say("So it is not."));
  chat.say(ada, "the other");
  const other = await chat.waitForBotMessage("two.invalid (https and http)", longestWaitMs);
  chat.press(ada, other.id, "Deny");
  await chat.waitForBotMessage("So it is not.", longestWaitMs);
  assert.doesNotMatch(results().at(-1) ?? "", /No answer/);

  chat.say(ada, "/new");
  plan.answer("from the beginning", curl("one", ["one.invalid"]), say("Asked anew."));
  chat.say(ada, "from the beginning");
  await chat.waitForBotMessage(isNew(question, other), longestWaitMs);
});
