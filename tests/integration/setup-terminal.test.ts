import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { startDialectServer, startOllamaServer, wireCalls, words } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));
const hasScript = spawnSync("script", ["--version"]).status === 0;
const skip = hasScript ? false : "needs util-linux's script, for a terminal";
const ctrlC = "\u0003";
const key = "sk-ant-0123456789abcdef";

interface Wanted {
  readonly args?: readonly string[];
  readonly set?: string;
  /** Of the configuration file. */
  readonly text?: string;
  readonly env?: Readonly<Record<string, string>>;
}

describe("talaria setup at a terminal", { skip }, () => {
  let telegram: TelegramServer;
  let folder: string;

  before(async () => {
    telegram = await startTelegramServer();
    folder = await mkdtemp(join(tmpdir(), "talaria-setup-"));
  });
  const children: ChildProcess[] = [];
  after(async () => {
    for (const child of children) child.kill();
    await telegram.stop();
    await rm(folder, { recursive: true });
  });

  /** `script` gives the command a pseudo-terminal and passes on what is written to it. */
  async function setup({
    args = ["telegram"],
    set = `apiRoot=${telegram.apiRoot}`,
    env: more = {},
    text,
  }: Wanted = {}) {
    const home = await mkdtemp(join(folder, "home-"));
    if (text !== undefined) await writeFile(join(home, "config.yaml"), text, { mode: 0o600 });
    const command = `stty cols 120 rows 40; exec '${process.execPath}' '${mainFile}' setup ${args.join(" ")} ${set === "" ? "" : `--set '${set}'`}`;
    const env = { ...process.env, TALARIA_HOME: home, TALARIA_CONFIG: "", NO_COLOR: "1", TERM: "dumb", ...more };
    const child = spawn("script", ["-qec", command, "/dev/null"], { env, stdio: ["pipe", "pipe", "inherit"] });
    children.push(child);
    const state = { output: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      state.output += text;
    });
    const ended = once(child, "close").then(([code]) => code as number);
    const says = (words: string) => waitFor(() => state.output.includes(words), `${words} in ${state.output}`);
    // A question is drawn again with each key. What is typed before it reads is a line feed by then, which is no Enter.
    const saysBehind = (before: string, words: string) =>
      waitFor(() => state.output.split(before).at(-1)?.includes(words), `${words} behind ${before} in ${state.output}`);
    return { home, state, ended, says, saysBehind, type: (keys: string) => child.stdin.write(keys) };
  }

  it("asks again for a token that is refused, names the bot, and ends with Ctrl-C while it waits for a message", async () => {
    const { home, state, ended, says, type } = await setup();
    await says("Token: ");
    type("123456:refused-refused-refused-refused-1\r");
    await says("Ask @BotFather for a valid one.\r\nTry again, or end with Ctrl-C.");
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

  for (const [who, text, asked] of [
    ["the owner", undefined, "the owner, who may do everything? [y/N]"],
    ["a member", 'owners: ["telegram:user:1"]\n', "talk to the agent? [y/N]"],
  ] as const)
    for (const keys of ["\r", "maybe\r"])
      it(`makes nobody ${who} by ${JSON.stringify(keys)}`, async () => {
        const { home, state, ended, says, type } = await setup(text === undefined ? {} : { text });
        await says("Token: ");
        type(`${telegram.token}\r`);
        await says("Waiting for a message");
        const zoe = telegram.user({ first_name: "Zoe" });
        telegram.privateChat(zoe).say(zoe, "hi");
        await says(asked);
        type(keys);
        assert.equal(await ended, 0, state.output);
        const written = await readFile(join(home, "config.yaml"), "utf8");
        assert.match(written, /telegram-main:/);
        assert.ok(!written.includes(`${zoe.id}`), written);
      });

  const atTerminal = { TERM: "xterm" };

  it("chooses from lists with the keyboard, and asks again for nothing but what was wrong", async () => {
    await using server = await startDialectServer({
      dialect: "anthropic",
      apiKeys: [key],
      models: ["claude-one", "claude-two", "unheard-of"],
      respond: ({ body }) =>
        JSON.stringify(body).includes("heliotrope") ? words("heliotrope") : wireCalls(["word_of_the_day", {}]),
    });
    const run = await setup({ args: ["model"], set: `baseUrl=${server.url}`, env: atTerminal });
    const { home, state, ended, says, saysBehind, type } = run;
    await says("Whose model?");
    type("antropic");
    await says("Search: antropic█ (1 match)");
    type("\r");
    await says("◆  API key");
    type("sk-wrong-wrong-wrong\r");
    await says("the server refused the API key");
    await says("API key (Enter keeps the one you gave)");
    type(`${key}\r`);
    await says("Which model?");
    type("heard");
    await says("Search: heard█");
    type("\r");
    await says("How many tokens does its window hold?");
    type("64k\r");
    await says('"64k" is no number of tokens');
    await saysBehind('"64k" is no number of tokens', "How many tokens");
    type("\r");
    await says("Price of a million tokens that it reads, in USD (Enter: unknown)");
    type("2.50\r");
    await says("And of a million that it writes");
    type("10\r");
    assert.equal(await ended, 0, state.output);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    assert.match(text, /model: unheard-of\n.*contextTokens: 128000\n.*price:\n.*input: 2.5\n.*output: 10/);
    assert.equal(server.requests.length, 2, "what was proven is not proven again");
    assert.ok(!state.output.includes(key), "the key is not shown");
    assert.match(state.output, /Next:/);
  });

  it("asks only for what was not given, and says how a second model comes into use", async () => {
    await using server = await startDialectServer({
      dialect: "anthropic",
      apiKeys: [key],
      models: ["unheard-of"],
      respond: ({ body }) =>
        JSON.stringify(body).includes("heliotrope") ? words("heliotrope") : wireCalls(["word_of_the_day", {}]),
    });
    const set = `baseUrl=${server.url},provider=claude,apiKey=${key},model=unheard-of,contextTokens=64000`;
    const text = `models:\n  main: { provider: anthropic, model: claude-one, apiKey: ${key} }\n`;
    const { home, state, ended, says, type } = await setup({
      args: ["model", "--name", "second"],
      set,
      env: atTerminal,
      text,
    });
    await says("Shall it use second from now on?");
    type("n");
    await says("Price of a million tokens that it reads");
    type("\r");
    assert.equal(await ended, 0, state.output);
    assert.ok(!state.output.includes("How many tokens"), state.output);
    assert.match(await readFile(join(home, "config.yaml"), "utf8"), /model: unheard-of\n.*contextTokens: 64000/);
    assert.match(state.output, /Next:\s+1\. Have the agent use it: `[^`]* model use second`/);
  });

  it("makes a copy of an Ollama's model with a window that holds a conversation", async () => {
    const models = { "qwen3:8b": { hasTools: true, longestTokens: 40_960 } };
    await using ollama = await startOllamaServer({
      models,
      respond: ({ body }) =>
        JSON.stringify(body).includes("heliotrope") ? words("heliotrope") : wireCalls(["word_of_the_day", {}]),
    });
    const set = "provider=ollama,model=qwen3:8b";
    const { home, state, ended, says, type } = await setup({
      args: ["model"],
      set,
      env: { ...atTerminal, OLLAMA_HOST: ollama.url },
    });
    await says("Make qwen3:8b-32k, the same model with 32,768 tokens?");
    type("y");
    assert.equal(await ended, 0, state.output);
    assert.equal(ollama.models.get("qwen3:8b-32k")?.numCtx, 32_768);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    assert.match(text, /model: qwen3:8b-32k\n.*contextTokens: 32768/);
  });

  it("shows what is done, goes on with what is not, and ends with what to do next", async () => {
    const text = `models:\n  main: { provider: anthropic, model: claude-one, apiKey: ${key} }\n`;
    const { state, ended, says, saysBehind, type } = await setup({ args: [], set: "", env: atTerminal, text });
    await says("1  the model   done: main, claude-one");
    await says("● 2  a place where people write to it   not yet: the console alone");
    type("\r");
    await says("Which platform?");
    type("telegram");
    await says("Search: telegram█");
    type("\r");
    await says("◆  Token");
    type("no token\r");
    await says("Try again, or end with Ctrl-C.");
    await saysBehind("Try again, or end with Ctrl-C.", "Token");
    type(ctrlC);
    assert.equal(await ended, 130, state.output);
    const again = await setup({
      args: [],
      set: "",
      env: atTerminal,
      text: `${text}accounts: { bot: { platform: telegram, token: "${telegram.token}" } }\n`,
    });
    await again.says("done: bot; nobody is an owner yet: `talaria setup telegram --account bot`");
    again.type("\r");
    assert.equal(await again.ended, 0, again.state.output);
    assert.match(again.state.output, /Next:\s+1\. Start it/);
  });

  it("leaves everything as it was after Ctrl-C, while it asks and while a model is tried", async () => {
    await using server = await startDialectServer({
      dialect: "anthropic",
      apiKeys: [key],
      models: ["claude-one"],
      respond: () => [{ kind: "stall" }],
    });
    const asking = await setup({ args: ["model"], set: `baseUrl=${server.url}`, env: atTerminal });
    await asking.says("Whose model?");
    asking.type(ctrlC);
    assert.equal(await asking.ended, 130, asking.state.output);
    assert.match(asking.state.output, /cancelled: nothing was written/);
    const set = `baseUrl=${server.url},provider=claude,apiKey=${key},model=claude-one`;
    const trying = await setup({ args: ["model"], set, env: atTerminal });
    await trying.says("Asking the model to call a tool");
    await waitFor(() => server.requests.length === 1, "the request");
    trying.type(ctrlC);
    assert.equal(await trying.ended, 130, trying.state.output);
    for (const { home } of [asking, trying]) assert.deepEqual(await readdir(home), []);
  });

  it("ends with Ctrl-C while it asks", async () => {
    const { home, state, ended, says, type } = await setup();
    await says("Token: ");
    type(ctrlC);
    assert.equal(await ended, 130, state.output);
    assert.deepEqual(await readdir(home), []);
  });
});
