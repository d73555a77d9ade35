import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type GroupChat, startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { echo, type ModelServer, startModelServer } from "@talaria/testkit";
import { parse, stringify } from "yaml";
import { root } from "../architecture/repository.ts";
import { blocksOf, type DocumentBlock, documentBlocks, pagesForPeople } from "../support/document-blocks.ts";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { runTalaria } from "../support/run-talaria.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));
const example = new URL("../../config/talaria.example.yaml", import.meta.url);
const secrets = {
  TELEGRAM_BOT_TOKEN: "700000001:emulated-token-for-tests-only-0001",
  OPENAI_API_KEY: "sk-of-the-documents",
  CI_WEBHOOK_SECRET: "kX9vQ2mZ7pL4rT8wB3nC6yH1",
};
const timeout = 120_000;

/** The installation of `config/talaria.example.yaml`, with an owner, a group that isn't let in, and strangers at the door. */
describe("the shell blocks of the documents", () => {
  const blocks = documentBlocks("sh");
  const run = blocks.filter(({ notRun }) => notRun === undefined);
  const seen = new Set<string>();
  const once = run.map((block) => ({ ...block, text: newLines(block.text, seen) })).filter(({ text }) => text !== "");
  let person: string;
  let telegram: TelegramServer;
  let model: ModelServer;
  let team: GroupChat;
  let port: number;
  let talaria: Installation;
  let strangers = 0;

  before(async () => {
    person = await mkdtemp(join(tmpdir(), "talaria-person-"));
    const home = join(person, ".talaria");
    telegram = await startTelegramServer({ tokens: [secrets.TELEGRAM_BOT_TOKEN] });
    model = await startModelServer({ respond: echo, apiKey: secrets.OPENAI_API_KEY });
    port = await freePort();
    const config = parse(await readFile(example, "utf8"));
    config.gateway.port = port;
    config.models.main.baseUrl = model.baseUrl;
    config.accounts["telegram-main"].apiRoot = telegram.apiRoot;
    config.sandbox = { backend: "off" };
    for (const folder of [home, join(person, "bin"), join(person, "work")]) await mkdir(folder, { mode: 0o700 });
    await writeFile(join(home, "config.yaml"), stringify(config), { mode: 0o600 });
    await writeFile(join(person, "bin", "talaria"), `#!/bin/sh\nexec "${process.execPath}" "${mainFile}" "$@"\n`, {
      mode: 0o755,
    });
    talaria = await Installation.start({ home, port, env: { ...secrets, HOME: person } });
    const owner = telegram.user({ id: 123456, first_name: "Ada" });
    team = telegram.group({ title: "Team", type: "supergroup", members: [owner], botIsAdministrator: true });
    team.say(owner, "is anybody here?", { mentionBot: true });
    const chat = telegram.privateChat(owner);
    chat.say(owner, "hello");
    await chat.waitForBotMessage(({ text }) => text.includes("echo: hello"));
    await codeOfStranger();
  });
  after(async () => {
    await talaria?.remove();
    await model?.stop();
    await telegram?.stop();
    await rm(person, { recursive: true, force: true });
  });

  for (const block of once)
    it(`${placeOf(block)}: ${firstCommand(block)}`, { timeout: timeout + 10_000 }, async () => {
      if ((await runsNow()) === false) await talaria.begin();
      const { code, output } = await bash(await filledIn(block.text));
      assert.equal(code, 0, output);
    });

  it("are run, or say why not, and what else tries it is there", () => {
    const skipped = blocks.filter(({ notRun }) => notRun !== undefined);
    for (const block of skipped) console.log(`not run: ${placeOf(block)}: ${block.notRun}`);
    console.log(`${run.length} blocks run, ${skipped.length} not`);
    const tests = skipped.flatMap(({ notRun = "" }) => notRun.match(/[\w./-]+\.test\.m?ts/g) ?? []);
    assert.deepEqual(
      tests.filter((path) => !existsSync(new URL(path, root))),
      [],
    );
    assert.deepEqual(skipped.filter(({ notRun = "" }) => notRun.length < 10).map(placeOf), []);
    assert.ok(run.length >= 8, "blocks are no longer found");
  });

  const runsNow = () =>
    talaria.fetch("/healthz").then(
      ({ ok }) => ok,
      () => false,
    );

  /** What a reader replaces by their own, replaced by what this installation has. */
  async function filledIn(text: string): Promise<string> {
    let filled = text.replaceAll("127.0.0.1:7420", `127.0.0.1:${port}`).replaceAll("-1001234567890", String(team.id));
    if (filled.includes("AB12-CD34")) filled = filled.replaceAll("AB12-CD34", await codeOfStranger());
    talaria.token = (await readFile(join(talaria.home, "token"), "utf8")).trim();
    if (filled.includes("<event>")) filled = filled.replaceAll("<event>", await talaria.say("notes", "hello"));
    const left = /<[a-z][\w /-]*>/.exec(filled.replaceAll(/#.*$/gm, ""))?.[0];
    if (left !== undefined) throw new Error(`nothing is known to put in the place of ${left}`);
    return filled;
  }

  async function codeOfStranger(): Promise<string> {
    strangers += 1;
    const stranger = telegram.user({ first_name: `Zoe ${strangers}` });
    const chat = telegram.privateChat(stranger);
    chat.say(stranger, "hello");
    const { text } = await chat.waitForBotMessage((message) => /[A-Z0-9]{4}-[A-Z0-9]{4}/.test(message.text));
    return /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(text)?.[0] ?? "";
  }

  /** What it reads is a line that could be a secret. */
  function bash(script: string): Promise<{ code: number; output: string }> {
    const env = {
      ...process.env,
      ...secrets,
      HOME: person,
      TALARIA_HOME: talaria.home,
      PATH: `${join(person, "bin")}:${process.env.PATH}`,
      NODE_TEST_CONTEXT: undefined,
    };
    return new Promise((resolve) => {
      const child = execFile(
        "bash",
        ["-euo", "pipefail", "-c", script],
        { cwd: join(person, "work"), env, timeout, maxBuffer: 16 * 1024 * 1024 },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
          const output = `${script}\n${stdout}${stderr}`;
          if (process.env.SHOW_DOCUMENTS !== undefined) console.log(output);
          resolve({ code, output });
        },
      );
      child.stdin?.end("700000001:emulated-token-for-tests-only-0001\n");
    });
  }
});

it("every command that the documents' sentences name is there", async () => {
  const quoted = pagesForPeople().flatMap(({ path, text }) =>
    [...text.matchAll(/`talaria ([a-z]+)(?: ([a-z]+))?[^`\n]*`/g)].map(([, name = "", sub]) => ({ path, name, sub })),
  );
  assert.ok(quoted.length > 50, "commands are no longer found");
  const listed = new Map([["", await commandsIn()]]);
  for (const { name, sub } of quoted)
    if (sub !== undefined && !listed.has(name)) listed.set(name, await commandsIn(name));
  const isKnown = ({ name, sub }: (typeof quoted)[number]) => {
    const subs = listed.get(name) ?? [];
    // Without commands of its own it takes the word as an argument.
    return listed.get("")?.includes(name) && (sub === undefined || subs.length === 0 || subs.includes(sub));
  };
  assert.deepEqual(
    quoted.filter((one) => !isKnown(one)).map(({ path, name, sub = "" }) => `${path}: talaria ${name} ${sub}`),
    [],
  );
});

/** The names below "Commands:" in a command's help. */
async function commandsIn(...names: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runTalaria([...names, "--help"]);
  const [, commands = ""] = stdout.split("\nCommands:\n");
  return [...commands.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name = ""]) => name);
}

it("a block is found with its page, its line, and the reason why it isn't run", () => {
  const text = ["a", "  ```sh not run: needs systemd", "  one", "    two", "  ```", "```sh", "three", "```"].join("\n");
  assert.deepEqual(blocksOf("p.md", text), [
    { page: "p.md", line: 3, language: "sh", notRun: "needs systemd", text: "one\n  two\n" },
    { page: "p.md", line: 7, language: "sh", notRun: undefined, text: "three\n" },
  ]);
});

/** Without the lines `talaria ...` that a page before has, too; comments beside them don't count. */
function newLines(text: string, seen: Set<string>): string {
  return text
    .split("\n")
    .filter((line) => {
      const command = line.replace(/ +#.*$/, "");
      if (!/^talaria /.test(command)) return true;
      const isNew = !seen.has(command);
      seen.add(command);
      return isNew;
    })
    .join("\n")
    .trim();
}

function placeOf({ page, line }: DocumentBlock): string {
  return `${page}:${line}`;
}

function firstCommand({ text }: DocumentBlock): string {
  return (text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "").slice(0, 60);
}
