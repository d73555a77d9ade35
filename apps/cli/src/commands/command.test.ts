import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { runTalaria } from "../../../../tests/support/run-talaria.ts";
import { commandFile, commandOffer, workingWords } from "../shell/working-words.ts";
import { version } from "../version.ts";
import { commandFolder } from "./command.ts";

const run = promisify(execFile);

describe("talaria as a command of the shell", () => {
  let folder: string;
  let link: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-command-"));
    link = join(folder, "talaria");
    path = `${folder}:${dirname(process.execPath)}:${process.env.PATH}`;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is installed, works by its name, and is removed", async () => {
    const installed = await runTalaria(["command", "install", "--folder", folder], { PATH: path });
    assert.equal(installed.code, 0, installed.stderr);
    assert.equal(
      installed.stdout,
      `${link} leads to ${commandFile}: \`talaria command remove --folder ${dirname(link)}\` removes it\n`,
    );
    const { stdout } = await run("talaria", ["--version"], { env: { ...process.env, PATH: path } });
    assert.equal(stdout, `talaria ${version}\n`);
    const again = await runTalaria(["command", "install", "--folder", folder], { PATH: path });
    assert.equal(again.stdout, installed.stdout);
    const removed = await runTalaria(["command", "remove", "--folder", folder], { PATH: path });
    assert.equal(removed.stdout, `removed: ${link}\n`);
    await assert.rejects(readlink(link), /ENOENT/);
  });

  it("says what to add to PATH where the shell would not find it", async () => {
    const { stdout } = await runTalaria(["command", "install", "--folder", folder]);
    assert.match(stdout, new RegExp(`\n  export PATH="${folder}:\\$PATH"\n$`));
  });

  it("overwrites and removes nothing that is not ours", async () => {
    await writeFile(link, "somebody's");
    for (const word of ["install", "remove"]) {
      const { code, stderr } = await runTalaria(["command", word, "--folder", folder]);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^talaria: .*talaria is not a link to this repository and stays as it is: remove it yourself/,
      );
    }
    assert.equal(await readFile(link, "utf8"), "somebody's");
    await rm(link);
    await symlink(process.execPath, link);
    assert.equal((await runTalaria(["command", "install", "--folder", folder])).code, 1);
    assert.equal(await readlink(link), process.execPath);
  });

  it("replaces a link to a repository that is gone", async () => {
    await symlink(join(folder, "gone", "scripts", "talaria.mjs"), link);
    assert.equal((await runTalaria(["command", "install", "--folder", folder])).code, 0);
    assert.equal(await readlink(link), commandFile);
  });

  it("is named in texts by what works: by its name only where PATH leads to ours first", async () => {
    const text = "run `talaria migrate` first; `talariax` and talaria stay";
    const whole = `run \`node ${commandFile} migrate\` first; \`talariax\` and talaria stay`;
    assert.equal(await workingWords(text, folder), whole);
    assert.match((await commandOffer(folder)) ?? "", /^to call it .*: node \S+talaria\.mjs command install$/);
    await symlink(commandFile, link);
    assert.equal(await workingWords(text, folder), text);
    assert.equal(await commandOffer(folder), undefined);
    const other = await mkdtemp(join(tmpdir(), "talaria-command-"));
    await writeFile(join(other, "talaria"), "somebody's");
    assert.equal(await workingWords(text, `${other}:${folder}`), whole);
    await rm(other, { recursive: true });
  });

  it("goes to the folder of all accounts for root, and of one's own otherwise", () => {
    assert.equal(commandFolder(0, "/root"), "/usr/local/bin");
    assert.equal(commandFolder(1000, "/anywhere/ada"), "/anywhere/ada/.local/bin");
  });
});
