import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { callTool, modelFault, say } from "@talaria/testkit";
import { type Ran, runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";
import { modelKey, startWorld, type World } from "../support/world.ts";

const token = "700000009:canary-telegram-token-0002";
const webhookSecret = "canary-webhook-Zq3vX8-0003";
const headerSecret = "canary-header-from-environment-0004";
const commands = [
  "start",
  "gateway",
  "worker",
  "migrate",
  "check",
  "status",
  "doctor",
  "trace",
  "pair",
  "pair list",
  "pair approve",
  "pair revoke",
  "people",
  "people add",
  "people remove",
];

describe("the commands on a running installation", () => {
  let world: World;
  let chat: PrivateChat;
  /** Everything that was printed by any command. */
  let printed = "";

  before(async () => {
    world = await startWorld({
      database: "embedded",
      telegram: { token },
      modelKeys: `headers: { x-canary: "\${CANARY_HEADER}" }`,
      env: { LOG_LEVEL: "debug", CANARY_HEADER: headerSecret },
      config: (telegram) => `
accounts:
  main: { platform: telegram, token: "${token}", apiRoot: "${telegram.apiRoot}", access: { groups: open } }
webhooks:
  ci: { scheme: token, secret: "${webhookSecret}", prompt: "{{ body.text }}", wait: true }
`,
    });
    chat = world.telegram.privateChat(world.telegram.user({ first_name: "Ada\u001b[31m" }));
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const talaria = async (...args: readonly string[]): Promise<Ran> => {
    const ran = await runTalaria(args, { TALARIA_HOME: world.talaria.home, CANARY_HEADER: headerSecret });
    printed += ran.stdout + ran.stderr;
    return ran;
  };

  it("let a stranger in by a code, and shut them out again", async () => {
    const [ada] = [chat.person];
    chat.say(ada, "let me in");
    const notice = await chat.waitForBotMessage("talaria people add");
    const code = /talaria people add ([0-9A-Z-]+)/.exec(notice.text)?.[1] ?? "";
    chat.say(ada, "hello?");
    await taken();
    await chat.waitForBotMessage("Still waiting for my owner.");
    const waiting = await talaria("pair", "list");
    assert.match(waiting.stdout, new RegExp(`^\\S+ {2}waiting {2}"Ada.*" \\(${ada.id}\\) on main\n$`));
    const { stdout: seen } = await talaria("status");
    assert.match(seen, /^people {6}1 waits to be let in, the first for .*: `talaria people` lists them/m);
    assert.equal(JSON.parse((await talaria("status", "--json")).stdout).waiting.people, 1);
    assert.ok(!waiting.stdout.includes("\u001b"), "a name reaches the terminal without control characters");
    assert.ok(!waiting.stdout.includes(code), "codes are not shown");
    assert.equal(world.model.requestCount(), 0);
    chat.say(ada, "hello??");
    await taken();
    assert.equal(chat.botMessages().length, 2, "one code and one reminder, however often the stranger writes");

    assert.equal((await talaria("pair", "approve", "AAAA-BBBB")).code, 1);
    const approved = await talaria("pair", "approve", code);
    assert.deepEqual([approved.code, approved.stderr], [0, ""]);
    await chat.waitForBotMessage("You're in. I'm answering what you wrote.");
    await chat.waitForBotMessage("echo: let me in");
    chat.say(ada, "am I in");
    await chat.waitForBotMessage("echo: am I in");

    const again = await talaria("pair", "approve", code);
    assert.equal(again.code, 1);
    assert.match(
      again.stderr,
      /^talaria: nothing was done: this code has ended\. It was that of .*, who is let in already\n$/,
    );

    const [row] = JSON.parse((await talaria("pair", "list", "--json")).stdout) as { id: string; state: string }[];
    assert.equal(row?.state, "approved");
    const revoked = await talaria("pair", "revoke", row?.id ?? "");
    assert.deepEqual([revoked.code, revoked.stderr], [0, ""]);
    const removed = `^removed: "Ada.*" \\(${ada.id}\\) on main\\. `;
    assert.match(revoked.stdout, new RegExp(`${removed}Groups that are let in still answer them, .* ends that\n$`));
    const asked = world.model.requestCount();
    chat.say(ada, "am I still in");
    await chat.waitForBotMessage("You no longer have access. Please ask the person who runs me.");
    chat.say(ada, "really?");
    await taken();
    assert.equal(chat.botMessages().filter(({ text }) => text.includes("no longer have access")).length, 1);
    assert.equal(world.model.requestCount(), asked);
    const [asking = ""] = (await talaria("pair", "list")).stdout.split(" ");
    assert.equal((await talaria("pair", "approve", asking)).code, 0, "an operator who sees the row needs no code");
    assert.equal((await talaria("pair", "approve", asking)).code, 1);
  });

  it("show the life of a message by its event's and its message's id, with times and without its text", async () => {
    const said = chat.say(chat.person, "the word is quetzal");
    const answer = await chat.waitForBotMessage("echo: the word is quetzal");
    const byEvent = await waitFor(async () => {
      const { stdout } = await talaria("trace", `u${said.updateId}`);
      return stdout.includes("  sent  ") ? stdout : undefined;
    }, "the whole life");
    assert.match(byEvent, /^account main, event u\d+, \S.* \(\d+\) on main, session /);
    const steps = byEvent
      .split("\n")
      .slice(1, -1)
      .map((line) => /^ {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}([a-z ]+?) {2}\{/.exec(line)?.[1]);
    assert.deepEqual(steps, ["received", "recorded", "turn began", "model answered", "turn ended", "sending", "sent"]);
    for (const id of [said.messageId, answer.id]) {
      const traces = JSON.parse((await talaria("trace", String(id), "--json")).stdout) as { eventId: string }[];
      assert.ok(
        traces.some(({ eventId }) => eventId === `u${said.updateId}`),
        `message ${id}`,
      );
    }
    assert.doesNotMatch(printed, /quetzal/);
    const ofAda = await talaria("logs", "--person", "ada", "--lines", "500");
    assert.equal(ofAda.stderr, "");
    assert.match(ofAda.stdout, new RegExp(`event recorded +accountId=main eventId=u${said.updateId} `));
    assert.match(ofAda.stdout, / turn finished /);
    const ofNobody = await talaria("logs", "--person", "nobody-of-that-name");
    assert.deepEqual([ofNobody.stdout, /nobody is known as "nobody-of-that-name"/.test(ofNobody.stderr)], ["", true]);
    const unknown = await talaria("trace", "no-such-id");
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, 'talaria: no event, message or turn has the id "no-such-id"\n'],
    );
  });

  it("show accounts, processes and backlog", async () => {
    const { code, stdout } = await talaria("status");
    assert.equal(code, 0);
    assert.match(stdout, /^talaria {5}\d+\.\d+\.\d+, up for \d+ (s|min.*), model test-model \(openai-chat\)$/m);
    assert.match(stdout, /^accounts {4}main \(telegram\): connected$/m);
    assert.match(stdout, /^ {12}web \(web\): connected$/m);
    assert.match(stdout, /^(?:processes| {9}) {3}worker +\d+ on \S+$/m);
    assert.match(stdout, /^messages {4}waiting 0, running 0, to deliver 0$/m);
    assert.match(stdout, /^NOTE {8}nobody is an owner, .*setup telegram --account main` makes somebody one/m);
    const status = JSON.parse((await talaria("status", "--json")).stdout);
    assert.deepEqual(Object.keys(status).sort(), [
      "accounts",
      "address",
      "background",
      "backlog",
      "homelessRoutes",
      "leftOut",
      "mcp",
      "model",
      "models",
      "noOwner",
      "problems",
      "processes",
      "questions",
      "runtime",
      "spending",
      "stuck",
      "toolFiles",
      "undelivered",
      "version",
      "waiting",
      "workplaces",
    ]);
    assert.equal(status.backlog.waitingEvents, 0);
  });

  it("try all that it needs: the model with a call and an answer, the database, the port and its names", async () => {
    world.plan.answer("word_of_the_day", callTool("word_of_the_day", {}), say("heliotrope"));
    const { checks } = JSON.parse((await talaria("doctor", "--json")).stdout) as {
      checks: readonly { check: string; state: string; line: string }[];
    };
    const linesOf = (name: string) =>
      checks.filter(({ check }) => check === name).map(({ state, line }) => `${state} ${line}`);
    assert.match(linesOf("model").join("\n"), /^ok main: \S+ called a tool and answered$/);
    assert.deepEqual(linesOf("clock").sort(), [
      "ok agrees with the database to a second",
      "ok agrees with the model's server to a second",
    ]);
    assert.match(linesOf("running").join("\n"), /^ok gateway and workers run, 3 of 3 accounts are connected$/);
    assert.match(linesOf("ports").join("\n"), /^ok the gateway listens at http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(linesOf("files").join("\n"), /^ok /);
    assert.deepEqual([...linesOf("release"), ...linesOf("leftovers")], []);
  });

  it("never print a secret, nor leave one anywhere but where it was put", async () => {
    world.plan.answer("refuse the key", modelFault.unauthorized());
    chat.say(chat.person, "refuse the key");
    await chat.waitForBotMessage("my access to the language model was refused");
    world.telegram.fail("sendMessage", { kind: "drop", effect: "none" }, 1);
    chat.say(chat.person, "the line is cut");
    await chat.waitForBotMessage("the line is cut");
    await fetch(`${world.talaria.url}/webhooks/ci`, {
      method: "POST",
      body: "{}",
      headers: { "x-webhook-token": `${webhookSecret}x` },
    });
    world.telegram.goOffline();
    await waitFor(
      async () => (await talaria("status")).stdout.includes("main (telegram): reconnecting"),
      "a broken connection",
    );
    world.telegram.goOnline();
    for (const args of [["check"], ["doctor"], ["pair", "list"], ["status", "--json"]]) await talaria(...args);

    const password = new URL((await readFile(join(world.talaria.home, "database.url"), "utf8")).trim()).password;
    const canaries = [modelKey, token, "canary-telegram-token-0002", webhookSecret, headerSecret, password];
    const { stdout: processes } = await promisify(execFile)("ps", ["-eo", "args"], { maxBuffer: 1e8 });
    const log = await readFile(join(world.talaria.home, "logs", "talaria.log"), "utf8");
    assert.match(log, /"level"/);
    const places = { commands: printed, start: world.talaria.output, ps: processes, log };
    for (const [place, text] of Object.entries(places))
      for (const canary of canaries) assert.ok(!text.includes(canary), `${canary.slice(0, 12)}... in ${place}`);
    for (const path of await filesBelow(world.talaria.home)) {
      const content = await readFile(path, "latin1").catch(() => "");
      const found = canaries.filter((canary) => content.includes(canary));
      const belongs = /config\.yaml$|database\.url$|postgres\/password$/.test(path) || found.length === 0;
      assert.ok(belongs, `${found.map((canary) => canary.slice(0, 12))} in ${path}`);
    }
  });

  function taken(): Promise<boolean> {
    return waitFor(() => world.telegram.pendingUpdates() === 0, "everything to be taken");
  }
});

describe("the commands without an installation", { concurrency: 2 }, () => {
  let home: string;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });

  after(async () => {
    await rm(home, { recursive: true });
  });

  it("check a configuration: every problem with its place, and exit code 1", async () => {
    const file = join(home, "broken.yaml");
    await writeFile(file, brokenConfig);
    const { code, stdout, stderr } = await runTalaria(["check", "--config", file], { TALARIA_HOME: home });
    assert.equal(code, 1);
    assert.equal(stderr, "");
    const lines = stdout.trimEnd().split("\n");
    const places = lines.map((line) => /^(.*?):(\d+):\d+ ([\w.-]+): \w/.exec(line));
    assert.deepEqual([...new Set(places.map((place) => place?.[1]))], [file]);
    const expected = [
      [1, "gateway.prot", /did you mean "port"/],
      [2, "workers.turns", /number/],
      [4, "models.main.apiKey", /NO_SUCH_VARIABLE/],
      [5, "accounts.one.tokn", /did you mean "token"/],
      [6, "accounts.two.access.allow.0", /use ids/],
      [8, "webhooks.ci.secret", /too short/],
      [8, "webhooks.ci.deliver.account", /there is no account "on"/],
    ] as const;
    for (const [line, path, message] of expected)
      assert.ok(
        lines.some(
          (text, index) => Number(places[index]?.[2]) === line && places[index]?.[3] === path && message.test(text),
        ),
        `line ${line}, ${path}: ${message}\n${stdout}`,
      );
  });

  it("check a good configuration, and the absence of one", async () => {
    const file = join(home, "good.yaml");
    await writeFile(file, "accounts: {}\n");
    const good = await runTalaria(["check", "--config", file], { TALARIA_HOME: home });
    const [last, ...warnings] = good.stdout.trimEnd().split("\n").toReversed();
    assert.deepEqual([good.code, last], [0, `${file} is valid: 0 accounts, 0 webhook routes`]);
    const [tried = "", ...others] = warnings;
    assert.match(tried, /^(?:warning: no )?commands,? (?:and )?files/);
    for (const warning of others) assert.match(warning, /^warning: Node\.js /);
    const guest =
      "accounts: { called: { platform: telegram, token: '1:abcdefghijklmnopqrstuvwxyz', guestMode: true } }\n";
    await writeFile(file, guest);
    const remarked = await runTalaria(["check", "--config", file], { TALARIA_HOME: home });
    assert.match(remarked.stdout, /^account called: guestMode is on: .*@BotFather\.$/m);
    const none = await runTalaria(["check"], { TALARIA_HOME: home });
    assert.equal(none.code, 0);
    assert.match(none.stdout, /does not exist: the defaults apply/);
  });

  it("refuse a configuration file that was named and is not there", async () => {
    const missing = join(home, "typo.yaml");
    const sentence = `talaria: the configuration file ${missing} does not exist: check --config and TALARIA_CONFIG\n`;
    for (const command of ["check", "start", "status"]) {
      const named = await runTalaria([command, "--config", missing], { TALARIA_HOME: join(home, "unmade") });
      assert.deepEqual([named.code, named.stdout, named.stderr], [1, "", sentence], command);
    }
    const byEnvironment = await runTalaria(["check"], { TALARIA_HOME: home, TALARIA_CONFIG: missing });
    assert.deepEqual([byEnvironment.code, byEnvironment.stderr], [1, sentence]);
    assert.equal(existsSync(join(home, "unmade")), false);
  });

  it("say that nothing runs, where, and what to do", async () => {
    const empty = join(home, "empty");
    for (const command of ["status", "trace x", "pair list", "verify"]) {
      const { code, stderr } = await runTalaria(command.split(" "), { TALARIA_HOME: empty });
      const sentence = `talaria: Talaria isn't running on ${empty}: start it with \`talaria start --home ${empty}\`, or choose another folder with --home\n`;
      assert.deepEqual([code, stderr], [1, sentence], command);
    }
  });

  it("print the version", async () => {
    for (const flag of ["--version", "-V"]) {
      const { code, stdout } = await runTalaria([flag]);
      assert.equal(code, 0);
      assert.match(stdout, /^talaria \d+\.\d+\.\d+\n$/);
    }
  });

  it("explain themselves", async () => {
    const top = await runTalaria(["--help"]);
    assert.equal(top.code, 0);
    for (const command of commands) {
      const { code, stdout, stderr } = await runTalaria([...command.split(" "), "--help"]);
      assert.deepEqual([code, stderr], [0, ""], command);
      assert.match(stdout, new RegExp(`^Usage: talaria ${command}`));
      const [first = ""] = command.split(" ");
      assert.match(top.stdout, new RegExp(`^ {2}${first}\\b.* \\w+`, "m"));
    }
  });

  for (const args of [
    ["frobnicate"],
    ["status", "--frobnicate"],
    ["trace"],
    ["pair", "approve"],
    ["status"],
    ["pair", "revoke", "1"],
  ])
    it(`end with 1 and one clear line: talaria ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await runTalaria(args, { TALARIA_HOME: join(home, "empty") });
      assert.equal(code, 1);
      assert.equal(stdout, "");
      assert.match(stderr, /^talaria: [^\n]{10,}\n$/);
    });

  const long = "x".repeat(5_000);
  for (const args of [
    [long],
    ["status", `--${long}`],
    ["skills", "check", long],
    ["skills", "update", long],
    ["secret", "set", long],
    ["model", "use", long],
    ["mcp", "check", long],
    ["setup", long],
    ["policy", "explain", long],
    ["restore", long],
    ["--config", long, "check"],
  ])
    it(`repeat no more than a line of a long word: talaria ${args.join(" ").replaceAll(long, "...")}`, async () => {
      const { code, stderr } = await runTalaria(args, { TALARIA_HOME: join(home, "empty") });
      assert.equal(code, 1);
      assert.ok(stderr.length > 20 && stderr.length < 1_000, `${stderr.length} characters`);
    });
});

const brokenConfig = `gateway: { prot: 7420 }
workers: { turns: many }
models:
  main: { provider: openai-chat, model: gpt, apiKey: "\${NO_SUCH_VARIABLE}" }
accounts: { one: { platform: telegram, tokn: "1:x" },
  two: { platform: telegram, token: "700000001:abc", access: { allow: ["telegram:@ada"] } } }
webhooks:
  ci: { scheme: github, secret: short, prompt: x, deliver: { account: on, conversation: "1" } }
`;

async function filesBelow(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
