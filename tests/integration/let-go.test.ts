import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { callTool, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const skip = skipWithoutPeers(undefined);

it("answers people beside a long command, and tells its end, also when its worker was killed or stopped", {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-workspaces-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  await using world = await startWorld({
    config: (telegram) => `
sandbox: { backend: sandbox, folder: ${folder} }
leases: { sessionMs: 3000, accountMs: 3000 }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, plan, talaria } = world;
  const ada = telegram.user({ first_name: "Ada", id: 4242 });
  const chat = telegram.privateChat(ada);
  // What goes while it is read, such as a worker's temporary folder, is no reason to fail.
  const isThere = (name: string) => async () =>
    (await readdir(folder, { recursive: true }).catch(() => [])).some((one) => one.endsWith(name));
  const run = (command: string) => callTool("terminal", { command, timeoutSeconds: 600 });

  plan.answer(
    "build it",
    run("echo at 40 percent; touch one; until [ -e go ]; do sleep 0.1; done; echo built; exit 3"),
  );
  plan.answer("how far", say("It is at 40 percent."));
  plan.answer("exit code 3", say("The build has failed."));
  chat.say(ada, "build it");
  await waitFor(isThere("/one"), "the first command");
  chat.say(ada, "how far is it?");
  await chat.waitForBotMessage("It is at 40 percent.", 120_000);
  plan.answer("now", callTool("terminal", { command: "touch go" }), say("Let me see."));
  chat.say(ada, "now");
  await chat.waitForBotMessage("The build has failed.", 120_000);

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    plan.answer(`build for ever, ${signal}`, run(`touch ${signal}; sleep 987`));
    plan.answer(`still there, ${signal}`, say(`It builds on, ${signal}.`));
    plan.answer("gone with the worker", say(`The build is lost by ${signal}.`));
    chat.say(ada, `build for ever, ${signal}`);
    await waitFor(isThere(`/${signal}`), "the command");
    chat.say(ada, `still there, ${signal}?`);
    await chat.waitForBotMessage(`It builds on, ${signal}.`, 120_000);
    const worker = (await talaria.processes()).find(({ kind }) => kind === "worker");
    assert.ok(worker);
    process.kill(worker.pid, signal);
    await chat.waitForBotMessage(`The build is lost by ${signal}.`, 120_000);
  }
});
