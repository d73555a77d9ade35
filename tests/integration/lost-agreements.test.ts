import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { callTool, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { longestWaitMs, waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const skip = skipWithoutPeers(undefined);
/** Seconds that nothing else on this machine sleeps: the process itself, its child, and one that has left its group. */
const naps = [1, 2, 3].map((n) => `${n}${process.pid}.${n}`);
const command = `sleep ${naps[0]} & setsid sleep ${naps[1]} & sleep ${naps[2]}`;

it("a process that a member has started ends with its tree and its way out when the agreement or the member goes", {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-lost-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  await using world = await startWorld({
    config: (telegram) => `
sandbox: { backend: sandbox, folder: ${folder} }
policy: { rules: [{ allow: Members run commands here, permission: exec, as: member }] }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: pairing } }
`,
  });
  const { telegram, plan, talaria } = world;
  const [ada, bob] = [telegram.user({ first_name: "Ada", id: 4242 }), telegram.user({ first_name: "Bob", id: 4343 })];
  const chats = { ada: telegram.privateChat(ada), bob: telegram.privateChat(bob) };
  const start = (name: string) => callTool("process", { action: "start", command, network: [`${name}.invalid`] });
  // Read again where a folder goes meanwhile, such as a worker's temporary one.
  const doors = async () =>
    (await waitFor(() => readdir(folder, { recursive: true }).catch(() => undefined), "the workspaces to be read"))
      .filter((path) => /(?:^|\/)d-[^/]+\/door$/.test(path))
      .map((path) => join(folder, path));
  /** Those that answer once the process runs: its own, and that of its session. */
  const begun = async () => {
    await waitFor(async () => (await napping()).length === naps.length, "the process with its tree");
    const open = await doors();
    assert.equal(open.length, 2);
    for (const door of open) assert.match(await answerOf(door), /^[45]\d\d$/);
    return open;
  };
  const gone = async (open: readonly string[]) => {
    await waitFor(async () => (await napping()).length === 0, "the end of the whole tree");
    const left = await waitFor(async () => {
      const still = await doors();
      return still.length < open.length ? still : undefined;
    }, "the end of its door");
    const lost = open.filter((door) => !left.includes(door));
    assert.equal(lost.length, 1);
    assert.match(await answerOf(lost[0] ?? ""), /^E(?:NOENT|CONNREFUSED)$/);
  };

  /** Ada agrees from her own chat, since Bob may not. */
  const decided = async (host: string, scope: string) => {
    const question = await chats.bob.waitForBotMessage(host, longestWaitMs);
    const number = /\/approve ([0-9a-f]{8})/.exec(question.text)?.[1];
    chats.bob.say(bob, `/approve ${number} ${scope}`);
    await chats.bob.waitForBotMessage("Only an owner can decide that.", longestWaitMs);
    chats.ada.say(ada, `/approvals ${number}`);
    await chats.ada.waitForBotMessage(host, longestWaitMs);
    chats.ada.say(ada, `/approve ${number} ${scope}`);
    await chats.ada.waitForBotMessage("Approved", longestWaitMs);
  };

  chats.bob.say(bob, "let me in");
  const told = await chats.bob.waitForBotMessage("people add", longestWaitMs);
  await talaria.talaria("people", "add", /people add ([0-9A-Z-]+)/.exec(told.text)?.[1] ?? "");
  await chats.bob.waitForBotMessage("echo: let me in", longestWaitMs);

  plan.answer("serve me", start("one"), say("It serves you."));
  chats.bob.say(bob, "serve me");
  await decided("one.invalid", "always");
  await chats.bob.waitForBotMessage("It serves you.", longestWaitMs);
  const first = await begun();
  chats.ada.say(ada, "/approvals");
  const list = await chats.ada.waitForBotMessage("You have agreed to", longestWaitMs);
  const agreed = /([0-9a-f]{8}): .*one\.invalid/.exec(list.text)?.[1];
  assert.ok(agreed, list.text);
  chats.ada.say(ada, `/revoke ${agreed}`);
  await chats.ada.waitForBotMessage("I'll ask again", longestWaitMs);
  await gone(first);

  plan.answer("once more", start("two"), say("It serves again."));
  chats.bob.say(bob, "once more");
  await decided("two.invalid", "");
  await chats.bob.waitForBotMessage("It serves again.", longestWaitMs);
  const second = await begun();
  await talaria.talaria("people", "remove", "Bob");
  await gone(second);
});

/** Those of the three that run, as this machine sees them. */
async function napping(): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((one) => /^\d+$/.test(one));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return naps.filter((nap) => commands.includes(`sleep\0${nap}\0`));
}

/** The status of an answer to a request for a name that leads nowhere, or the error's code. */
function answerOf(socketPath: string): Promise<string> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: "http://three.invalid/" }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    asked.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end();
  });
}
