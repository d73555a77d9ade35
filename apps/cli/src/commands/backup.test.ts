import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { defaultFolder } from "@talaria/sandbox";
import { Installation } from "../../../../tests/support/installation.ts";
import { runTalaria } from "../../../../tests/support/run-talaria.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { mainFile } from "../start/main-file.ts";

describe("a backup of a running installation", () => {
  let folder: string;
  let file: string;
  let config: string;
  let token: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-backup-"));
    file = join(folder, "all.tar");
    const home = join(folder, "first");
    await mkdir(join(home, "secrets"), { recursive: true, mode: 0o700 });
    await writeFile(join(home, "secrets", "later"), "a secret\n", { mode: 0o600 });
    await using talaria = await Installation.start({ home, config: "agent: { name: Keeper }\n" });
    await talaria.say("here", "before the backup");
    await talaria.waitForLine("here", /You said: before the backup/);
    const files = await defaultFolder(home, "sandbox");
    await mkdir(join(files, "by-hand"), { recursive: true });
    await writeFile(join(files, "by-hand", "note.txt"), "a file of a conversation");
    config = await readFile(join(home, "config.yaml"), "utf8");
    token = talaria.token;

    assert.match(await talaria.talaria("backup", file), /^written: .*all\.tar \(\d+\.\d MiB\)/);
    await assert.rejects(talaria.talaria("backup", file), /exists already: choose another name/);
    await assert.rejects(
      talaria.talaria("backup", join(folder, "none", "x.tar")),
      /there is no folder \S+none: make it/,
    );
    await talaria.say("here", "after the backup");
    await talaria.waitForLine("here", /You said: after the backup/);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is one private file, and leaves nothing beside it", async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.includes(".part")),
      [],
    );
  });

  it("becomes an installation in another folder, whose conversation goes on from that moment", async () => {
    const home = join(folder, "second");
    const { code, stdout, stderr } = await runTalaria(["restore", file, "--home", home]);
    assert.deepEqual([code, stderr], [0, ""]);
    const [, place, command] = stdout.split("\n");
    assert.ok(place?.startsWith(`it is in ${home}. Stop the original first`), stdout);
    assert.equal(command, `then start this one: \`talaria start --home ${home}\``);
    assert.equal(await readFile(join(home, "config.yaml"), "utf8"), config);
    assert.equal(await readFile(join(home, "secrets", "later"), "utf8"), "a secret\n");
    const files = await defaultFolder(home, "sandbox");
    assert.equal(await readFile(join(files, "by-hand", "note.txt"), "utf8"), "a file of a conversation");

    const port = Number(/port: (\d+)/.exec(config)?.[1]);
    await using talaria = await Installation.start({ home, port });
    assert.equal(talaria.token, token);
    const texts = async () => (await talaria.history("here")).map(({ markdown }) => markdown);
    const restored = await texts();
    assert.equal(restored[0], "before the backup");
    assert.ok(!restored.includes("after the backup"));
    await talaria.say("here", "in the new place");
    await talaria.waitForLine("here", /You said: in the new place/);
    assert.equal((await texts()).length, restored.length + 2);
  });

  it("is made of a running installation alone, and the refusal says that a copy of the folder does as well", async () => {
    const { code, stderr } = await runTalaria(["backup", join(folder, "none.tar"), "--home", join(folder, "first")]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^talaria: Talaria isn't running on \S+first: start it .* a copy of the folder does as well: /,
    );
    await assert.rejects(access(join(folder, "none.tar")));
  });

  it("is refused where something is already, and when it is damaged, and nothing is made of it", async () => {
    const full = await runTalaria(["restore", file, "--home", dirname(file)]);
    assert.match(full.stderr, /is not empty: choose another one with --home/);
    const whole = await readFile(file);
    const home = join(folder, "third");
    const changed = join(folder, "changed.tar");
    const at = whole.indexOf("a secret");
    await writeFile(changed, Buffer.concat([whole.subarray(0, at), Buffer.from("A"), whole.subarray(at + 1)]));
    const other = await runTalaria(["restore", changed, "--home", home]);
    assert.deepEqual(
      [other.code, /no whole backup \(home\/secrets\/later is not what was put there\)/.test(other.stderr)],
      [1, true],
    );
    await truncate(changed, Math.floor(whole.length / 2));
    const half = await runTalaria(["restore", changed, "--home", home]);
    assert.deepEqual([half.code, /no whole backup/.test(half.stderr)], [1, true]);
    await assert.rejects(access(home));
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.includes("restoring")),
      [],
    );
  });

  it("replaces an installation with --force alone, which is kept; whoever is killed meanwhile leaves the former one", async () => {
    const home = join(folder, "fifth");
    const restore = (...words: string[]) => runTalaria(["restore", file, "--home", home, ...words]);
    assert.equal((await restore()).code, 0);
    await writeFile(join(home, "token"), "the token of the former one\n", { mode: 0o600 });
    const refused = await restore();
    assert.match(refused.stderr, /is not empty: .* or keep it aside with --force/);

    const killed = spawn(process.execPath, [mainFile, "restore", file, "--home", home, "--force"], { stdio: "ignore" });
    const ended = once(killed, "exit");
    const half = /^fifth\..*\.restored$/;
    const isHalf = async () => (await readdir(folder)).some((name) => half.test(name));
    await waitFor(async () => (await isHalf()) || killed.exitCode !== null, "a restore that is half done");
    killed.kill("SIGKILL");
    assert.deepEqual([(await ended)[1], await isHalf()], ["SIGKILL", true]);
    assert.equal(await readFile(join(home, "token"), "utf8"), "the token of the former one\n");

    const { code, stdout, stderr } = await restore("--force");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^an earlier restore to \S+fifth was interrupted before it replaced anything/);
    assert.match(
      stdout,
      /fifth is replaced by what release \S+ wrote at \S+; what is there, last started at a time that nobody knows, is kept\n/,
    );
    const aside = /^what was there is kept in (\S+): /m.exec(stdout)?.[1] ?? "";
    assert.equal(await readFile(join(aside, "token"), "utf8"), "the token of the former one\n");
    assert.equal((await readFile(join(home, "token"), "utf8")).trim(), token);
    const left = (await readdir(folder)).filter((name) => name.startsWith("fifth")).sort();
    assert.deepEqual(
      left.map((name) => name.replace(/replaced-.*/, "replaced")),
      ["fifth", "fifth.replaced"],
      "nothing of the killed one",
    );
    await rm(await defaultFolder(home, "sandbox"), { recursive: true, force: true });
  });

  it("does not replace a folder of something else", async () => {
    const home = join(folder, "sixth");
    await mkdir(home);
    await writeFile(join(home, "thesis.txt"), "nothing of ours");
    const { code, stderr } = await runTalaria(["restore", file, "--home", home, "--force"]);
    assert.deepEqual([code, /sixth holds no installation, and is not replaced/.test(stderr)], [1, true]);
    assert.deepEqual(await readdir(home), ["thesis.txt"]);
  });

  it("of a newer release is refused before anything is made", async () => {
    const changed = join(folder, "newer.tar");
    const text = (await readFile(file)).toString("latin1");
    // Another checksum of the same length, so that the archive stays whole.
    const made = text.replace(/("name":"0001-first","checksum":")[0-9a-f]{8}/, "$100000000");
    assert.notEqual(made, text);
    await writeFile(changed, Buffer.from(made, "latin1"));
    const home = join(folder, "fourth");
    const { code, stderr } = await runTalaria(["restore", changed, "--home", home]);
    assert.deepEqual([code, /comes from another 0001-first than this release has/.test(stderr)], [1, true]);
    await assert.rejects(access(home));

    await writeFile(changed, Buffer.from(text.replace(/"version":"\d/, '"version":"9'), "latin1"));
    const newer = await runTalaria(["restore", changed, "--home", home]);
    assert.match(
      newer.stderr,
      /^talaria: \S+newer\.tar comes from release 9\S+, and this is \S+: nothing was restored/,
    );
    await assert.rejects(access(home));
  });
});
