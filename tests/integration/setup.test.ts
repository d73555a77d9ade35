import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startTelegramServer, type TelegramServer } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));

describe("talaria setup", () => {
  let telegram: TelegramServer;
  let folder: string;

  before(async () => {
    telegram = await startTelegramServer();
    folder = await mkdtemp(join(tmpdir(), "talaria-setup-"));
  });

  after(async () => {
    await telegram.stop();
    await rm(folder, { recursive: true });
  });

  /** The command with its questions; `type` answers one. */
  function begin(home: string, ...args: readonly string[]) {
    const env = { ...process.env, TALARIA_HOME: home, TALARIA_CONFIG: "" };
    const child = spawn(process.execPath, [mainFile, "setup", ...args], { env });
    const state = { output: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        state.output += text;
      });
    const ended = once(child, "close").then(([code]) => code as number);
    const type = (line: string) => child.stdin.write(`${line}\n`);
    const says = (words: string) => waitFor(() => state.output.includes(words), `${words} in ${state.output}`);
    return { state, ended, type, says, end: () => child.stdin.end() };
  }

  it("asks for the key, proves the way there and back, and writes an account that works", async () => {
    const home = join(folder, "good");
    const port = await freePort();
    const config = join(home, "config.yaml");
    const run = begin(home, "telegram", "--set", `apiRoot=${telegram.apiRoot}`);
    await run.says("Token: ");
    run.type(telegram.token);
    await run.says("write it anything");
    const ada = telegram.user({ first_name: "Ada" });
    const chat = telegram.privateChat(ada);
    chat.say(ada, "is anybody there?");
    await chat.waitForBotMessage("there and back", 30_000);
    await run.says("talk to the agent?");
    run.type("y");
    assert.equal(await run.ended, 0, run.state.output);
    assert.ok(!run.state.output.includes(telegram.token), "the token is not shown");

    const text = await readFile(config, "utf8");
    assert.ok(!text.includes(telegram.token) && text.includes(`telegram:user:${ada.id}`), text);
    assert.equal((await stat(join(home, "secrets", "telegram-main-token"))).mode & 0o777, 0o600);
    assert.equal((await runTalaria(["check"], { TALARIA_HOME: home })).code, 0);
    await writeFile(config, `${text}gateway: { port: ${port} }\n`);
    const talaria = await Installation.start({ home, port });
    chat.say(ada, "hello again");
    await chat.waitForBotMessage("hello again", 30_000);
    await talaria.stop();
  });

  it("keeps what stands in the file, comments too", async () => {
    const home = await mkdtemp(join(folder, "kept-"));
    const before =
      "# mine\nagent: { name: Hermes } # who I am\naccounts:\n  other: { platform: telegram, enabled: false }\n";
    await writeFile(join(home, "config.yaml"), before);
    const run = begin(home, "telegram", "--account", "second", "--no-proof");
    await run.says("Token: ");
    run.type(telegram.token);
    assert.equal(await run.ended, 0, run.state.output);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    for (const line of ["# mine", "# who I am", "other:", "second:"]) assert.ok(text.includes(line), text);
  });

  const bad: readonly (readonly [string, readonly string[], string | undefined, RegExp])[] = [
    ["an unknown platform", ["icq"], undefined, /"icq" can't be set up.*telegram, discord/],
    ["a bad account name", ["telegram", "--account", "A b"], undefined, /--account A b: a name has/],
    ["an input that ends", ["telegram"], undefined, /the input ended.*nothing was written/],
    ["a key of the wrong shape", ["telegram"], "not a token", /token: .*\n?/],
    ["a key that the platform refuses", ["telegram"], "123456:refused-refused-refused-refused-1", /telegram|token/i],
  ];
  for (const [name, args, typed, clear] of bad)
    it(`writes nothing after ${name}, and says so in one line`, async () => {
      const home = await mkdtemp(join(folder, "bad-"));
      const run = begin(home, ...args, "--set", `apiRoot=${telegram.apiRoot}`);
      if (typed !== undefined) run.type(typed);
      run.end();
      assert.equal(await run.ended, 1, run.state.output);
      assert.match(run.state.output, clear);
      assert.doesNotMatch(run.state.output, /\n +at /);
      assert.deepEqual(await readdir(home), []);
    });
});
