import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startMatrixServer } from "@talaria/adapter-matrix/emulator";
import { startWhatsappServer } from "@talaria/adapter-whatsapp/emulator";
import { loadPlatform } from "@talaria/platforms";
import type { PlatformStage } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { setupCases, stages } from "../support/platforms/stages.ts";
import { runSetup } from "../support/run-setup.ts";
import { runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";

const starts = new Map(stages);

for (const [platform, setupCase] of setupCases)
  describe(`talaria setup ${platform}`, () => {
    const { secrets } = setupCase;
    let greeting: string;
    let stage: PlatformStage;
    let folder: string;

    before(async () => {
      greeting = (await loadPlatform(platform))?.setup.greet.replaceAll("<account>", "main") ?? "";
      stage = (await starts.get(platform)?.()) ?? assert.fail(`no stage of ${platform}`);
      folder = await mkdtemp(join(tmpdir(), `talaria-setup-${platform}-`));
    });

    after(async () => {
      await stage[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });

    /** A folder whose configuration has only the port, on which the platform finds the gateway. */
    async function newHome(): Promise<{ home: string; port: number; config: string; before: string }> {
      const home = await mkdtemp(join(folder, "home-"));
      const port = await freePort();
      const config = join(home, "config.yaml");
      const before = `gateway: { port: ${port} }\n`;
      await writeFile(config, before);
      await stage.reachedAt(`http://127.0.0.1:${port}`);
      return { home, port, config, before };
    }

    /** Answers every question with the right key, or with what `typed` says. */
    async function answerAll(home: string, typed: Readonly<Record<string, string>> = {}) {
      const keys = { ...flat(stage.account), ...setupCase.typed };
      const set = setupCase.set.map((key) => `${key}=${keys[key]}`).join(",");
      const run = runSetup(home, platform, "--account", "main", "--set", set);
      for (const [question, key] of setupCase.questions) {
        await run.says(question);
        run.type(typed[key] ?? keys[key] ?? "");
      }
      return { run, keys };
    }

    it("asks for the keys, proves the way there and back, and writes an account that works", async () => {
      const { home, port, config } = await newHome();
      const { run, keys } = await answerAll(home);
      await run.says(greeting);
      await stage.direct.say("ada", "is anybody there?");
      await waitFor(() => stage.direct.glance().includes("there and back"), "the proof");
      await run.says("the owner, who may do everything? [y/N]");
      run.type("y");
      assert.equal(await run.ended, 0, run.state.output);

      const text = await readFile(config, "utf8");
      assert.match(text, new RegExp(`allow:\\n +- "?${platform}:user:\\S`), "the person is let in");
      assert.match(text, new RegExp(`^owners:\\n +- "?${platform}:user:\\S`, "m"), "the first one is the owner");
      for (const key of secrets) {
        const secret = keys[key] ?? "";
        assert.ok(!text.includes(secret) && !run.state.output.includes(secret), `${key} is not shown`);
        const file = join(home, "secrets", `main-${key}`);
        assert.equal(await readFile(file, "utf8"), `${secret}\n`);
        assert.equal((await stat(file)).mode & 0o777, 0o600);
      }
      assert.deepEqual(await readdir(join(home, "secrets")), secrets.map((key) => `main-${key}`).toSorted());
      const checked = await runTalaria(["check"], { TALARIA_HOME: home });
      assert.equal(checked.code, 0, checked.stdout);
      await using talaria = await Installation.start({ home, port });
      await waitFor(async () => (await talaria.connectionOf("main")) === "connected", "connected");
      await stage.direct.say("ada", "hello again");
      await waitFor(() => stage.direct.glance().includes("hello again"), "the agent's answer");
      if (!setupCase.looksBack)
        assert.doesNotMatch(stage.direct.glance(), /is anybody there/, "the proof's message is not answered again");
    });

    for (const [key, typed, told] of setupCase.wrong)
      it(`writes nothing with ${typed} as ${key}, and tells the field and what to do`, async () => {
        const { home, config, before } = await newHome();
        const { run } = await answerAll(home, { [key]: typed });
        run.end();
        assert.equal(await run.ended, 1, run.state.output);
        assert.match(run.state.output, told);
        await assertUntouched(home, config, before);
      });

    for (const [key, typed, told] of setupCase.wrongLater ?? [])
      it(`writes nothing with ${typed} as ${key}, once the answer can't be sent`, async () => {
        const { home, config, before } = await newHome();
        const { run } = await answerAll(home, { [key]: typed });
        await run.says(greeting);
        await stage.direct.say("ada", "is anybody there?");
        assert.equal(await run.ended, 1, run.state.output);
        assert.match(run.state.output, told);
        await assertUntouched(home, config, before);
      });
  });

describe("talaria setup, where a person does more than write", () => {
  it("matrix: comes into the room to which its person invites it", async (t) => {
    const home = await mkdtemp(join(tmpdir(), "talaria-setup-invite-"));
    t.after(() => rm(home, { recursive: true }));
    await using server = await startMatrixServer();
    const ada = server.person("ada", "Ada");
    const run = runSetup(home, "matrix", "--set", "encryption=false");
    for (const answer of [server.url, server.bot.userId, server.bot.password, "", ada]) run.type(answer);
    await run.says("write anything");
    const room = server.room({ people: [ada], withBot: false });
    room.member(server.bot.userId, "invite", ada);
    await waitFor(() => room.events("m.room.member").some(({ sender }) => sender === server.bot.userId), "the bot");
    room.say(ada, "is anybody there?");
    await room.waitForBotMessage("there and back");
    run.type("");
    assert.equal(await run.ended, 0, run.state.output);
    assert.match(await readFile(join(home, "config.yaml"), "utf8"), /invites:\n +allow:\n +- "@ada:stub\.test"/);
  });

  it("whatsapp: shows the verify token that it made, the address to enter it for, and calls that it refused", async (t) => {
    const home = await mkdtemp(join(tmpdir(), "talaria-setup-callback-"));
    t.after(() => rm(home, { recursive: true }));
    await using server = await startWhatsappServer();
    const port = await freePort();
    await writeFile(join(home, "config.yaml"), `gateway: { port: ${port} }\n`);
    const run = runSetup(home, "whatsapp", "--set", `apiRoot=${server.url}`);
    for (const answer of [server.phoneNumberId, server.accessToken, server.appSecret, ""]) run.type(answer);
    await run.says("/platforms/whatsapp-main");
    const callback = `http://127.0.0.1:${port}/platforms/whatsapp-main`;
    await assert.rejects(server.subscribe(callback, "another-token"));
    await run.says("a call to this gateway was refused (GET 403)");
    const [, made] = /made: (\S+)/.exec(run.state.output) ?? [];
    await server.subscribe(callback, made);
    const ada = server.person("Ada");
    ada.say("is anybody there?");
    await ada.waitForAnswer("there and back");
    run.type("");
    assert.equal(await run.ended, 0, run.state.output);
    assert.equal(await readFile(join(home, "secrets", "whatsapp-main-verifyToken"), "utf8"), `${made}\n`);
  });
});

async function assertUntouched(home: string, config: string, before: string): Promise<void> {
  assert.equal(await readFile(config, "utf8"), before);
  assert.deepEqual(await readdir(home), ["config.yaml"]);
}

/** `{ imap: { host } }` as `{ "imap.host" }`, each value as it is typed. */
function flat(keys: Readonly<Record<string, unknown>>, start = ""): Readonly<Record<string, string>> {
  const entries = Object.entries(keys).flatMap(([key, value]): [string, string][] =>
    typeof value === "object" && value !== null
      ? Object.entries(flat(value as Record<string, unknown>, `${start}${key}.`))
      : [[`${start}${key}`, String(value)]],
  );
  return Object.fromEntries(entries);
}
