import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type SlackServer, startSlackServer } from "@talaria/adapter-slack/emulator";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { callTool, hold, type ModelRequest, type ModelServer, say, startModelServer } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { Fleet } from "../recovery/support/fleet.ts";
import type { FleetProcess } from "../recovery/support/fleet-process.ts";
import { consoleDesk, type Desk, slackDesk, telegramDesk } from "../support/file-desks.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { pixel } from "../support/pixel.ts";
import { waitFor } from "../support/wait-for.ts";

const skip = skipWithoutPeers(undefined);
/** A message that comes before the account is connected comes again soon. */
const redelivery = { pausesMs: [300, 1_000, 3_000, 9_000] };
const csv = Buffer.from("month,amount\nMay,12\nJune,\nJuly,30\n");
const token = "a-token-of-the-operator-of-enough-letters";

/** Drops lines without an amount, and draws what a chart would be. */
const work = `set -e
cd inbox/*/
grep -v ',$' sales.csv > ~/clean.csv
printf '%s' '${Buffer.from(pixel).toString("base64")}' | base64 -d > ~/chart.png
wc -l < ~/clean.csv`;
const site = "mkdir -p site && echo '<p>hello</p>' > site/index.html && ls site";

describe("files between people and the workspace, each worker with a folder of its own and killed in the middle", {
  skip,
}, () => {
  const plan = new ModelPlan();
  let base: string;
  let telegram: TelegramServer;
  let slack: SlackServer;
  let model: ModelServer;
  let fleet: Fleet;
  let worker: FleetProcess;
  let desks: readonly Desk[];
  let machines = 0;
  let configOf: (folder: string) => string;

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-machines-"));
    await chmod(base, 0o711);
    [telegram, slack] = await Promise.all([startTelegramServer(), startSlackServer({ redelivery })]);
    const transcribe = ({ bytes }: { readonly bytes: Buffer }) => `heard: ${bytes.subarray(4).toString("latin1")}`;
    model = await startModelServer({ respond: plan.respond, transcribe });
    const [ada, eve] = [telegram.user({ first_name: "Ada", id: 4242 }), slack.user("eve")];
    configOf = (folder) => `
auth: { token: ${token} }
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }
sandbox: { backend: sandbox, folder: "${folder}" }
transcription: { baseUrl: "${model.baseUrl}", apiKey: key, model: whisper-test }
leases: { sessionMs: 2000, accountMs: 2000 }
owners: ["telegram:user:${ada.id}", "slack:user:${eve.id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
  team: { platform: slack, botToken: "${slack.botToken}", appToken: "${slack.appToken}", apiRoot: "${slack.api}", access: { direct: open } }
`;
    fleet = await Fleet.create({ config: configOf(base) });
    const [gateway, first] = await Promise.all([fleet.start("gateway"), startWorker()]);
    worker = first;
    desks = [telegramDesk(telegram, ada), slackDesk(slack, eve), consoleDesk(gateway.url ?? "", token)];
  });
  after(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await Promise.all([telegram?.stop(), slack?.stop(), model?.stop()]);
    await rm(base, { recursive: true, force: true });
  });

  async function startWorker(): Promise<FleetProcess> {
    machines += 1;
    const folder = join(base, `machine-${machines}`);
    await mkdir(folder, { mode: 0o711 });
    const file = await fleet.addConfig(`machine-${machines}.yaml`, configOf(folder));
    return await fleet.start("worker", { TALARIA_CONFIG: file });
  }

  /** Once each desk's turn waits in the middle, its worker dies, and one with another folder takes all of them. */
  async function killedWhen(isInTheMiddle: (asked: readonly ModelRequest[]) => boolean, words: string): Promise<void> {
    const successor = startWorker();
    const all = () => desks.every(({ name }) => isInTheMiddle(requestsWith(`${name}: ${words}`)));
    await waitFor(all, "all turns to be in their middle", 120_000);
    const next = await successor;
    await worker.kill();
    worker = next;
  }

  const hasWorked = (asked: readonly ModelRequest[]) => asked.some(({ toolResults }) => toolResults.length > 0);
  const requestsWith = (words: string) => model.requests.filter(({ lastUserText }) => lastUserText.includes(words));

  it("a spreadsheet becomes a chart and a cleaned file", async () => {
    const middle = Promise.withResolvers<void>();
    for (const { name } of desks)
      plan.answer(
        `${name}: draw me a chart`,
        callTool("terminal", { command: work }),
        [...hold(middle.promise), ...say("never said")],
        callTool("send_file", { paths: ["chart.png"] }),
        callTool("terminal", { command: work }),
        callTool("send_file", { paths: ["chart.png", "clean.csv"] }),
        say(`${name}: a chart, and the file without the empty lines.`),
      );
    for (const desk of desks)
      await desk.send(`${desk.name}: draw me a chart`, { bytes: csv, name: "sales.csv", mimeType: "text/csv" });
    await killedWhen(hasWorked, "draw me a chart");
    middle.resolve();
    for (const { name, answered, received } of desks) {
      await answered(`${name}: a chart, and the file`);
      assert.deepEqual(await received("chart.png"), Buffer.from(pixel), name);
      assert.equal((await received("clean.csv")).toString(), "month,amount\nMay,12\nJuly,30\n", name);
      const results = requestsWith(`${name}: draw me a chart`).map(({ toolResults }) => toolResults.at(-1) ?? "");
      // The second request died with its worker, the third is the same again.
      assert.match(results[1] ?? "", /\b3\b[\s\S]*exit code 0/, "the first machine had the spreadsheet");
      assert.match(results[3] ?? "", /chart\.png does not exist/, "the second has a folder of its own");
      assert.match(results[4] ?? "", /\b3\b[\s\S]*exit code 0/, "and the spreadsheet again");
    }
  });

  it("a photo is seen, also by the worker that takes over, and lies in the inbox", async () => {
    const middle = Promise.withResolvers<void>();
    for (const { name } of desks)
      plan.answer(
        `${name}: what is on it?`,
        [...hold(middle.promise), ...say("never said")],
        callTool("terminal", { command: "ls inbox/*/*" }),
        say(`${name}: a dot.`),
      );
    for (const desk of desks) await desk.photo(`${desk.name}: what is on it?`, Buffer.from(pixel));
    await killedWhen((asked) => asked.length > 0, "what is on it?");
    middle.resolve();
    for (const { name, answered } of desks) {
      await answered(`${name}: a dot.`);
      const asked = requestsWith(`${name}: what is on it?`);
      for (const { messages } of asked.slice(0, 2)) assert.match(JSON.stringify(messages), /data:image\/png;base64,/);
      assert.match(asked.at(-1)?.toolResults.at(-1) ?? "", /inbox\/[0-9a-f]{8}\/[^\n]+\.png/, name);
    }
  });

  it("a folder comes as an archive", async () => {
    const middle = Promise.withResolvers<void>();
    for (const { name } of desks)
      plan.answer(
        `${name}: pack the site`,
        callTool("terminal", { command: site }),
        [...hold(middle.promise), ...say("never said")],
        callTool("terminal", { command: site }),
        callTool("send_file", { paths: ["site"] }),
        say(`${name}: packed.`),
      );
    for (const desk of desks) await desk.send(`${desk.name}: pack the site`);
    await killedWhen(hasWorked, "pack the site");
    middle.resolve();
    for (const { name, answered, received } of desks) {
      await answered(`${name}: packed.`);
      const archive = await received("site.zip");
      assert.equal(archive.toString("latin1", 0, 2), "PK", name);
      assert.ok(archive.includes("site/index.html"), name);
    }
  });

  it("a voice note is read as words and lies in the inbox as sound, also after a new beginning", async () => {
    const ada = telegram.user({ first_name: "Ada", id: 4242 });
    const chat = telegram.privateChat(ada);
    const sound = "OggS feed the cat";
    plan.answer("feed the cat", callTool("terminal", { command: "cat inbox/*/*.ogg" }), say("Listened."));
    plan.answer("and later?", callTool("terminal", { command: "cat inbox/*/*.ogg" }), say("Still there."));
    chat.sendVoice(ada, { bytes: Buffer.from(sound) });
    await chat.waitForBotMessage("Listened.", 120_000);
    const [first, second] = requestsWith("feed the cat");
    assert.match(
      first?.lastUserText ?? "",
      /<attachment kind="audio" [^>]*voice="true"[^>]* path="inbox\/[0-9a-f]{8}\/[^"]+\.ogg"[^>]*>\nheard: {2}feed the cat\n/,
    );
    assert.ok(second?.toolResults.at(-1)?.includes(sound));
    chat.say(ada, "/new");
    chat.say(ada, "and later?");
    await chat.waitForBotMessage("Still there.", 120_000);
    assert.ok(requestsWith("and later?").at(-1)?.toolResults.at(-1)?.includes(sound));
  });
});
