import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { callTool, hold, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { pixel } from "../support/pixel.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const skip = skipWithoutPeers(undefined);

/** Drops lines without an amount, and draws what a chart would be. */
const work = `set -e
cd inbox/*/
grep -v ',$' sales.csv > ~/clean.csv
printf '%s' '${Buffer.from(pixel).toString("base64")}' | base64 -d > ~/chart.png
wc -l < ~/clean.csv`;

it("takes a spreadsheet from a chat into the workspace and hands back a chart and a cleaned file, a worker killed in the middle", {
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
  const { telegram, model, plan, talaria } = world;
  const ada = telegram.user({ first_name: "Ada", id: 4242 });
  const chat = telegram.privateChat(ada);
  const killed = Promise.withResolvers<void>();

  plan.answer(
    "draw me a chart",
    callTool("terminal", { command: work }),
    [...hold(killed.promise), ...say("never said")],
    callTool("send_file", { paths: ["chart.png", "clean.csv"] }),
    say("A chart, and the file without the empty lines."),
  );
  const csv = Buffer.from("month,amount\nMay,12\nJune,\nJuly,30\n");
  chat.sendDocument(ada, { bytes: csv, name: "sales.csv", mimeType: "text/csv" }, "draw me a chart");
  await waitFor(() => (model.requests.at(-1)?.toolResults.length ?? 0) > 0, "the command's result");
  const told = JSON.stringify(model.requests[0]?.messages);
  assert.match(told, /name=\\"sales\.csv\\"[^>]*path=\\"inbox\/[0-9a-f]{8}\/sales\.csv\\"/);
  assert.match(model.requests.at(-1)?.toolResults[0] ?? "", /\b3\b[\s\S]*exit code 0/);
  const worker = (await talaria.processes()).find(({ kind }) => kind === "worker");
  assert.ok(worker);
  process.kill(worker.pid, "SIGKILL");
  killed.resolve();

  await chat.waitForBotMessage("A chart, and the file without the empty lines.", 120_000);
  const files = await waitFor(() => {
    const found = chat.botMessages().flatMap(({ media }) => (media === undefined ? [] : [media]));
    return found.length === 2 ? found : undefined;
  }, "both files");
  const chart = files.find(({ kind }) => kind === "photo");
  assert.deepEqual(Buffer.from(chart?.bytes ?? []), Buffer.from(pixel));
  const cleaned = files.find(({ name }) => name === "clean.csv");
  assert.equal(Buffer.from(cleaned?.bytes ?? []).toString(), "month,amount\nMay,12\nJuly,30\n");
});
