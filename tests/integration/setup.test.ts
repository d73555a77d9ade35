import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { runSetup } from "../support/run-setup.ts";
import { runTalaria } from "../support/run-talaria.ts";

const telegramLike = "123456:refused-refused-refused-refused-1";

/** What holds for every platform; each one's own questions and faults are in `setup-platforms.test.ts`. */
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

  it("keeps what stands in the file, comments too", async () => {
    const home = await mkdtemp(join(folder, "kept-"));
    const before =
      "# mine\nagent: { name: Hermes } # who I am\naccounts:\n  other: { platform: telegram, enabled: false }\n";
    await writeFile(join(home, "config.yaml"), before);
    const run = runSetup(home, "telegram", "--account", "second", "--no-proof");
    await run.says("Token: ");
    run.type(telegram.token);
    assert.equal(await run.ended, 0, run.state.output);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    for (const line of ["# mine", "# who I am", "other:", "second:"]) assert.ok(text.includes(line), text);
  });

  it("sets up an account beside one of another platform, with an owner there", async () => {
    const home = await mkdtemp(join(folder, "beside-"));
    const before = `owners: ["telegram:user:1"]
accounts: { other: { platform: telegram, token: "${telegramLike}" } }
`;
    await writeFile(join(home, "config.yaml"), before);
    const run = runSetup(home, "discord", "--no-proof", "--set", "token=MTAw.Wrong0.but-well-formed");
    assert.equal(await run.ended, 0, run.state.output);
    assert.equal((await runTalaria(["check"], { TALARIA_HOME: home })).code, 0);
  });

  it("asks before it sets an account up anew, and leaves it alone unless told otherwise", async () => {
    const home = await mkdtemp(join(folder, "taken-"));
    const before = "accounts:\n  telegram-main: { platform: telegram, enabled: false }\n";
    await writeFile(join(home, "config.yaml"), before);
    const kept = runSetup(home, "telegram", "--no-proof");
    await kept.says(
      "There is an account telegram-main already. Set it up anew? What you aren't asked for stays as it is. [y/N]",
    );
    kept.type("");
    assert.equal(await kept.ended, 1, kept.state.output);
    assert.match(kept.state.output, /nothing was written: --account NAME/);
    assert.equal(await readFile(join(home, "config.yaml"), "utf8"), before);
    assert.deepEqual(await readdir(home), ["config.yaml"]);

    const replaced = runSetup(home, "telegram", "--no-proof");
    replaced.type("y");
    replaced.type(telegram.token);
    assert.equal(await replaced.ended, 0, replaced.state.output);
    assert.doesNotMatch(await readFile(join(home, "config.yaml"), "utf8"), /enabled: false/);
  });

  it("changes only what is answered of an account that is there, and replaces one of another platform", async () => {
    const home = await mkdtemp(join(folder, "renewed-"));
    const before = `accounts:
  telegram-main:
    platform: telegram
    token: { file: secrets/another-file }
    apiRoot: ${telegram.apiRoot}
    access: { allow: [ "telegram:user:77" ] } # my friend
    groups: { ambient: { messages: 5 } }
`;
    await writeFile(join(home, "config.yaml"), before);
    const run = runSetup(home, "telegram", "--no-proof");
    run.type("y");
    run.type(telegram.token);
    assert.equal(await run.ended, 0, run.state.output);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    for (const kept of before.split("\n").slice(4)) assert.ok(text.includes(kept), text);
    assert.equal(await readFile(join(home, "secrets", "telegram-main-token"), "utf8"), `${telegram.token}\n`);

    const other = runSetup(home, "discord", "--account", "telegram-main", "--no-proof");
    await other.says("Replace it, with everything that is set for it? [y/N]");
    other.type("y");
    other.type("MTAw.Wrong0.but-well-formed");
    assert.equal(await other.ended, 0, other.state.output);
    assert.doesNotMatch(await readFile(join(home, "config.yaml"), "utf8"), /my friend/);
  });

  it("offers again to make somebody the owner, where nobody is one, and leaves the account as it is", async () => {
    const home = await mkdtemp(join(folder, "owner-"));
    const account = `accounts:\n  telegram-main: { platform: telegram, token: "${telegramLike}" } # mine\n`;
    await writeFile(join(home, "config.yaml"), account);
    const note = /nobody is an owner, .*: `talaria setup telegram` makes somebody one, and leaves the account as it is/;
    const checked = await runTalaria(["check"], { TALARIA_HOME: home });
    assert.equal(checked.code, 0);
    assert.match(checked.stdout, note);

    const declined = runSetup(home, "telegram");
    await declined.says("The owner's id on telegram, which /whoami shows them (Enter: nobody): ");
    declined.type("");
    await declined.says("There is an account telegram-main already. Set it up anew?");
    declined.type("");
    assert.equal(await declined.ended, 1, declined.state.output);
    const wrong = runSetup(home, "telegram");
    wrong.type("Olga");
    assert.equal(await wrong.ended, 1, wrong.state.output);
    assert.match(wrong.state.output, /"Olga" is not the id of a person on telegram: nothing was written/);
    assert.equal(await readFile(join(home, "config.yaml"), "utf8"), account);

    const named = runSetup(home, "telegram");
    named.type("10001");
    assert.equal(await named.ended, 0, named.state.output);
    assert.match(named.state.output, /\/sethome/);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    assert.ok(text.includes(telegramLike) && text.includes("# mine"), text);
    assert.match(text, /owners:\n +- telegram:user:10001\n/);
    assert.doesNotMatch((await runTalaria(["check"], { TALARIA_HOME: home })).stdout, note);
  });

  it("takes answers and keys of any account from --set, and keeps secrets out of the file all the same", async () => {
    const home = await mkdtemp(join(folder, "given-"));
    const set = ["--set", "catchUp.notice=false", "--set", `token=${telegram.token}`];
    const run = runSetup(home, "telegram", "--no-proof", ...set);
    assert.equal(await run.ended, 0, run.state.output);
    const text = await readFile(join(home, "config.yaml"), "utf8");
    assert.match(text, /catchUp:\n +notice: false\n +token:\n +file: \.\/secrets\/telegram-main-token\n/);
    assert.ok(!text.includes(telegram.token));
    assert.equal((await runTalaria(["check"], { TALARIA_HOME: home })).code, 0);
  });

  const bad: readonly (readonly [string, readonly string[], string | undefined, RegExp])[] = [
    ["an unknown platform", ["icq"], undefined, /"icq" can't be set up.*telegram, discord/],
    ["a bad account name", ["telegram", "--account", "A b"], undefined, /--account "A b": a name has/],
    ["a name of the gateway's own", ["telegram", "--account", "web"], telegramLike, /web, api and webhook-/],
    ["a key that no account has", ["telegram", "--set", "tokn=1"], telegramLike, /tokn: unknown key/],
    ["an input that ends", ["telegram"], undefined, /the input ended.*nothing was written/],
  ];
  for (const [name, args, typed, clear] of bad)
    it(`writes nothing after ${name}, and says so in one line`, async () => {
      const home = await mkdtemp(join(folder, "bad-"));
      const run = runSetup(home, ...args, "--set", `apiRoot=${telegram.apiRoot}`);
      if (typed !== undefined) run.type(typed);
      run.end();
      assert.equal(await run.ended, 1, run.state.output);
      assert.match(run.state.output, clear);
      assert.doesNotMatch(run.state.output, /\n +at /);
      assert.deepEqual(await readdir(home), []);
    });
});
