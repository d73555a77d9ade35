import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { hold, say, startModelServer } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { type Ran, runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

describe("a running installation", () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      database: "embedded",
      config: ({ token, apiRoot }) =>
        `accounts: { main: { platform: telegram, token: "${token}", apiRoot: "${apiRoot}", access: { direct: open } } }`,
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  it("is the only one on its data folder", async () => {
    const second = await runTalaria(["start"], { TALARIA_HOME: world.talaria.home });
    saysOneLine(second, /already runs on .*stop it first/);
    assert.equal(second.stdout, "");
    await world.talaria.say("still", "are you there");
    await world.talaria.waitForLine("still", /echo: are you there/);
  });

  it("finishes the answer that is being written before it stops, and knows it after a restart", async () => {
    const { telegram, model, plan, talaria } = world;
    const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
    const gate = Promise.withResolvers<void>();
    plan.answer("a slow answer", [...say("It takes "), ...hold(gate.promise), ...say("its time.")]);
    chat.say(chat.person, "a slow answer please");
    await model.waitForRequest(({ lastUserText }) => lastUserText.includes("a slow answer"));
    const stopped = talaria.stop();
    await waitFor(() => talaria.output.includes("stopping: finishing"), "the drain");
    chat.say(chat.person, "and this comes too late");
    gate.resolve();
    await stopped;
    assert.match(talaria.output, /stopped\n$/);
    await talaria.begin();
    assert.equal((await chat.waitForBotMessage("its time.")).text, "It takes its time.");
    await chat.waitForBotMessage("this comes too late");
    const request = model.requests.find(({ lastUserText }) => lastUserText.includes("too late"));
    assert.match(JSON.stringify(request?.messages), /It takes its time\./);
    assert.equal(chat.botMessages().length, 2);
    const asked = model.requests.filter(({ lastUserText }) => lastUserText === "a slow answer please");
    assert.equal(asked.length, 1, "the answer was not begun again");
  });

  it("leaves nothing of itself behind when its supervisor is killed, and comes back with the same database", async () => {
    const { talaria } = world;
    await talaria.say("before", "remember me");
    await talaria.waitForLine("before", /echo: remember me/);
    const database = await databasePid(talaria.home);
    const children = childrenOf(talaria.pid);
    assert.ok(children.length >= 2);
    await talaria.stop("SIGKILL");
    await waitFor(() => children.every((pid) => pid === database || !isAlive(pid)), "the children to leave");
    assert.ok(isAlive(database), "the database is left for the next start");
    await talaria.begin();
    assert.equal(await databasePid(talaria.home), database, "the next start adopted the database");
    assert.match(JSON.stringify(await talaria.history("before")), /echo: remember me/);
    await talaria.say("before", "and me");
    await talaria.waitForLine("before", /echo: and me/);
    await talaria.stop();
    await waitFor(() => !isAlive(database), "the database to stop");
    await talaria.begin();
  });
});

describe("a start that cannot work ends with one clear line:", { concurrency: 2 }, () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });

  after(async () => {
    await rm(folder, { recursive: true });
  });

  it("a port that is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const home = await homeWith("port", `gateway: { port: ${port} }\n`);
    const ran = await runTalaria(["start"], { TALARIA_HOME: home });
    server.close();
    saysOneLine(ran, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use: .*gateway\\.port`));
    await assert.rejects(
      readFile(join(home, "postgres", "cluster", "postmaster.pid")),
      "the database was stopped again",
    );
  });

  it("a file in place of the data folder", async () => {
    const home = join(folder, "file");
    await writeFile(home, "");
    saysOneLine(await runTalaria(["start"], { TALARIA_HOME: home }), /cannot create the data folder .*file.*--home/);
    saysOneLine(await runTalaria(["start"], { TALARIA_HOME: join(home, "below") }), /cannot create the data folder/);
  });

  it("a data folder that cannot be written", { skip: canMount() }, async () => {
    await using home = mounted(join(folder, "read-only"), "ro,size=1m");
    saysOneLine(await runTalaria(["start"], { TALARIA_HOME: home.path }), /read-only.*EROFS.*(writable|--home)/);
  });

  it("a full disk", { skip: canMount() }, async () => {
    await using home = mounted(join(folder, "small"), "size=20m");
    await writeFile(join(home.path, "config.yaml"), `gateway: { port: ${await freePort()} }\n`);
    saysOneLine(await runTalaria(["start"], { TALARIA_HOME: home.path }), /no space|disk|full/i);
  });

  it("a database folder that is damaged", async () => {
    const home = await homeWith("damaged", `gateway: { port: ${await freePort()} }\n`);
    const version = join(home, "postgres", "cluster", "PG_VERSION");
    await mkdir(dirname(version), { recursive: true, mode: 0o700 });
    await writeFile(version, "9.6\n");
    saysOneLine(await runTalaria(["start"], { TALARIA_HOME: home }), /damaged\/postgres/);
    assert.equal(await readFile(version, "utf8"), "9.6\n", "nothing was deleted");
  });

  it("a token file that is damaged", async () => {
    const home = await homeWith("token", `gateway: { port: ${await freePort()} }\n`);
    await writeFile(join(home, "token"), "\n");
    saysOneLine(await runTalaria(["start"], { TALARIA_HOME: home }), /token is damaged: delete it/);
  });

  it("a configuration that is wrong, with every problem below it", async () => {
    const home = await homeWith("config", "gateway: { host: 0.0.0.0 }\nworkers: 3\n");
    const { code, stderr } = await runTalaria(["start"], { TALARIA_HOME: home });
    assert.equal(code, 1);
    const [first, ...problems] = stderr.trimEnd().split("\n");
    assert.match(first ?? "", /^talaria: the configuration has 2 problem\(s\):$/);
    assert.match(problems.join("\n"), /config\.yaml:1:\d+ gateway\.host: listening beyond loopback needs auth\.token/);
    assert.match(problems.join("\n"), /config\.yaml:2:\d+ workers: /);
  });

  it("a database that does not answer", async () => {
    const home = await homeWith("away", `gateway: { port: ${await freePort()} }\n`);
    const address = `postgres://u:canary-password@127.0.0.1:${await freePort()}/x`;
    const ran = await runTalaria(["start"], { TALARIA_HOME: home, DATABASE_URL: address });
    saysOneLine(ran, /database/);
    assert.doesNotMatch(ran.stdout + ran.stderr, /canary-password/);
  });

  async function homeWith(name: string, config: string): Promise<string> {
    const home = join(folder, name);
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, "config.yaml"), config);
    return home;
  }
});

it("a disk that fills up loses nothing: what cannot be stored is not acknowledged", { skip: canMount() }, async () => {
  await using home = mounted(join(tmpdir(), `talaria-test-${randomUUID()}`), "size=130m");
  await using telegram = await startTelegramServer();
  await using model = await startModelServer({
    respond: ({ lastUserText }) => say(`read up to ${lastUserText.match(/message \d+;/g)?.at(-1)}`),
  });
  await using stack = new AsyncDisposableStack();
  const talaria = await Installation.start({
    home: home.path,
    config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", model: test-model } }
accounts: { main: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } } }`,
  });
  stack.defer(() => talaria.stop());
  const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
  chat.say(chat.person, "message 0;");
  await chat.waitForBotMessage("read up to message 0;");
  const filler = join(home.path, "filler");
  spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4k"], { stdio: "ignore" });
  for (let n = 1; n <= 100; n += 1) chat.say(chat.person, `message ${n}; ${"x".repeat(1_500)}`);
  await sleep(1_500);
  assert.ok(telegram.pendingUpdates() > 0, "Telegram keeps what was not stored");
  await rm(filler);
  await waitFor(() => telegram.pendingUpdates() === 0, "everything to be taken");
  await chat.waitForBotMessage("read up to message 100;", 40_000);
  assert.equal(JSON.parse(await talaria.talaria("status", "--json")).backlog.failedDeliveries, 0);
});

it("an account that is wrong is left out, and the others run", async () => {
  await using talaria = await Installation.start({
    config: `accounts: { broken: { platform: telegram, tokn: "1:x" }, off: { platform: telegram, enabled: false } }
webhooks: { build: { scheme: token, secret: changeme-changeme, prompt: "x" } }`,
  });
  assert.match(
    talaria.output,
    /left out: .*config\.yaml:\d+:\d+ accounts\.broken\.tokn: unknown key; did you mean "token"/,
  );
  await talaria.say("x", "hello");
  await talaria.waitForLine("x", /You said: hello/);
  const status = await talaria.talaria("status");
  assert.match(status, /^left out: account broken: .*unknown key/m);
  assert.match(status, /^left out: webhook build: .*put a random value here/m);
});

function saysOneLine({ code, stderr }: Ran, line: RegExp): void {
  assert.match(stderr, /^talaria: [^\n]+\n$/);
  assert.match(stderr, line);
  assert.equal(code, 1);
}

async function databasePid(home: string): Promise<number> {
  const [pid] = (await readFile(join(home, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n");
  return Number(pid);
}

function childrenOf(pid: number): readonly number[] {
  const lines = execFileSync("ps", ["-eo", "pid,ppid"], { encoding: "utf8" }).trim().split("\n").slice(1);
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
}

/** False when file systems can be mounted here, else why not. */
function canMount(): string | false {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root may mount a file system";
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return false;
  } catch {
    return "file systems cannot be mounted here";
  }
}

function mounted(path: string, options: string): Disposable & AsyncDisposable & { readonly path: string } {
  execFileSync("mkdir", ["-p", path]);
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", path]);
  const unmount = () => {
    execFileSync("umount", ["-l", path]);
    rmdirSync(path);
  };
  return { path, [Symbol.dispose]: unmount, [Symbol.asyncDispose]: async () => unmount() };
}
