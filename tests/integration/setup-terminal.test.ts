import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { waitFor } from "../support/wait-for.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));
const hasScript = spawnSync("script", ["--version"]).status === 0;
const skip = hasScript ? false : "needs util-linux's script, for a terminal";
const ctrlC = "\u0003";

describe("talaria setup at a terminal", { skip, timeout: 120_000 }, () => {
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

  /** `script` gives the command a pseudo-terminal and passes on what is written to it. */
  async function setup() {
    const home = await mkdtemp(join(folder, "home-"));
    const command = `exec '${process.execPath}' '${mainFile}' setup telegram --set 'apiRoot=${telegram.apiRoot}'`;
    const env = { ...process.env, TALARIA_HOME: home, TALARIA_CONFIG: "", TERM: "dumb" };
    const child = spawn("script", ["-qec", command, "/dev/null"], { env, stdio: ["pipe", "pipe", "inherit"] });
    const state = { output: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      state.output += text;
    });
    const ended = once(child, "close").then(([code]) => code as number);
    const says = (words: string) => waitFor(() => state.output.includes(words), `${words} in ${state.output}`);
    return { home, state, ended, says, type: (keys: string) => child.stdin.write(keys) };
  }

  it("asks again for a token that is refused, names the bot, and ends with Ctrl-C while it waits for a message", async () => {
    const { home, state, ended, says, type } = await setup();
    await says("Token: ");
    type("123456:refused-refused-refused-refused-1\r");
    await says("Try again, or end with Ctrl-C.");
    await waitFor(() => state.output.split("Token: ").length === 3, "the question again");
    type(`${telegram.token}\r`);
    await says(`It is at https://t.me/${telegram.bots[0]?.user.username}`);
    await says("Waiting for a message, at most 5 min. Ctrl-C ends the setup.");
    type(ctrlC);
    assert.equal(await ended, 130, state.output);
    assert.match(state.output, /cancelled: nothing was written/);
    assert.ok(!state.output.includes(telegram.token), "the token is not shown");
    assert.deepEqual(await readdir(home), []);
  });

  it("ends with Ctrl-C while it asks", async () => {
    const { home, state, ended, says, type } = await setup();
    await says("Token: ");
    type(ctrlC);
    assert.equal(await ended, 130, state.output);
    assert.deepEqual(await readdir(home), []);
  });
});
