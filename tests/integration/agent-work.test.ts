import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { callTool, hold, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const skip = skipWithoutPeers(undefined);

const sum = 'echo "$(($1 - $2))"\n';
const test = '[ "$(sh sum.sh 2 3)" = 5 ] && echo "1 passed" || { echo "1 failed"; exit 1; }\n';

/** A repository that one turn makes, another one clones: no network is needed, and none is there. */
const makeRepository = `set -e
git init -q --bare origin.git
git init -q first && cd first && cp ../sum.sh ../test.sh . && git add .
git -c user.name=a -c user.email=a@b commit -qm first && git push -q ../origin.git HEAD:refs/heads/main && git log -1 --format="by %an <%ae>, made by %cn"`;

it("clones a repository, runs its tests, fixes the failing one and sends the diff: one approval, a worker killed in the middle", {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-workspaces-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  await using world = await startWorld({
    config: (telegram) => `
sandbox: { backend: sandbox, folder: ${folder}, authors: { "telegram:user:4242": { name: Ada Lovelace, email: ada@example.org } } }
policy: { rules: [{ ask: What leaves the room is looked at first, tool: send_file }] }
leases: { sessionMs: 3000, accountMs: 3000 }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, model, plan, talaria } = world;
  const ada = telegram.user({ first_name: "Ada", id: 4242 });
  const chat = telegram.privateChat(ada);
  const results = () => model.requests.at(-1)?.toolResults ?? [];
  const killed = Promise.withResolvers<void>();

  plan.answer(
    "make a repository",
    callTool("write_file", { path: "sum.sh", content: sum }),
    callTool("write_file", { path: "test.sh", content: test }),
    callTool("terminal", { command: makeRepository }),
    say("It is there."),
  );
  chat.say(ada, "make a repository");
  await chat.waitForBotMessage("It is there.", 120_000);
  assert.match(results()[0] ?? "", /by Ada Lovelace <ada@example\.org>, made by a\n.*exit code 0/s);
  const told = JSON.stringify(model.requests[0]?.messages);
  assert.match(
    told,
    /in \/workspace, a folder that .* Installed: bash \d[\d.]+, .*git \d[\d.]+.* Commands reach only hosts that they name/,
  );
  assert.match(told, /"<note>\w{3} \d{4}-\d\d-\d\d \d\d:\d\d UTC<\/note>\\nmake a repository"/);

  plan.answer(
    "fix the failing test",
    callTool("terminal", { command: "cd && git clone -q -b main origin.git work && cd work && sh test.sh" }),
    callTool("edit_file", { path: "work/sum.sh", oldText: "$1 - $2", newText: "$1 + $2" }),
    [...hold(killed.promise), ...say("never said")],
    callTool("terminal", { command: "cd ~/work && sh test.sh && git diff" }),
    callTool("send_file", { name: "fix.diff", content: "-one - other\\n+one + other\\n" }),
    say("Here is the diff."),
  );
  chat.say(ada, "clone it, run its tests, fix the failing test, send me the diff");
  await waitFor(() => model.requests.at(-1)?.toolResults.join().includes("$1 + $2"), "the edit");
  const worker = (await talaria.processes()).find(({ kind }) => kind === "worker");
  assert.ok(worker);
  process.kill(worker.pid, "SIGKILL");
  killed.resolve();
  const question = await chat.waitForBotMessage(/May I /, 120_000);
  assert.match(question.text, /^May I send this file here: fix\.diff\?[\s\S]*What leaves the room/);
  chat.press(ada, question.id, "Approve");
  await chat.waitForBotMessage("Here is the diff.", 120_000);
  const texts = model.requests.flatMap(({ toolResults }) => toolResults).join("\n");
  assert.match(texts, /1 failed[\s\S]*exit code 1/, "the test failed at first");
  assert.match(texts, /1 passed[\s\S]*\+echo "\$\(\(\$1 \+ \$2\)\)"/, "and passed in the end, with this diff");
});
