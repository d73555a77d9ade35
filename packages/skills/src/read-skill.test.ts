import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { mostBytes, mostFileBytes, mostFiles, mostMainBytes } from "./limits.ts";
import { readSkill } from "./read-skill.ts";

const main = "---\nname: tidy\ndescription: Tidies up\n---\nTidy.\n";
const never = new AbortController().signal;

describe("reading a skill's folder", () => {
  let base: string;
  let count = 0;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-skills-"));
  });
  after(() => rm(base, { recursive: true }));

  async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
    count += 1;
    const folder = join(base, String(count), "tidy");
    for (const [path, content] of Object.entries({ "SKILL.md": main, ...files })) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return folder;
  }

  const faultsOf = async (folder: string) => {
    const { skill, faults } = await readSkill(folder, never);
    assert.equal(skill, undefined);
    return faults.map(({ message }) => message).join("\n");
  };

  it("takes all files, but what version control leaves there, and their digest", async () => {
    const folder = await folderWith({
      "scripts/run.py": "print(1)",
      "a.bin": new Uint8Array([0, 1]),
      ".git/HEAD": "x",
    });
    const { skill, faults } = await readSkill(folder, never);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      skill?.files.map(({ path, text }) => [path, text !== undefined]),
      [
        ["SKILL.md", true],
        ["a.bin", false],
        ["scripts/run.py", true],
      ],
    );
    const same = await readSkill(
      await folderWith({ "scripts/run.py": "print(1)", "a.bin": new Uint8Array([0, 1]) }),
      never,
    );
    assert.equal(same.skill?.digest, skill?.digest);
  });

  it("has another digest after any change of a byte or a name", async () => {
    const digests = await Promise.all(
      [{ a: "1" }, { a: "2" }, { b: "1" }, { a: "1", b: "" }, {}].map(
        async (files: Readonly<Record<string, string>>) =>
          (await readSkill(await folderWith(files), never)).skill?.digest,
      ),
    );
    assert.equal(new Set(digests).size, 5);
    assert.ok(digests.every((digest) => /^[0-9a-f]{64}$/.test(digest ?? "")));
  });

  it("refuses links, wherever they lead, and what is no file", async () => {
    const [outside, inside, whole, pipe] = await Promise.all([1, 2, 3, 4].map(() => folderWith({})));
    assert.ok(outside && inside && whole && pipe);
    await symlink("/etc/passwd", join(outside, "notes.md"));
    assert.match(await faultsOf(outside), /notes\.md is a link/);
    await symlink("..", join(inside, "up"));
    assert.match(await faultsOf(inside), /up is a link/);
    const link = join(base, "linked");
    await symlink(whole, link);
    assert.match(await faultsOf(link), /it is a link: copy the folder/);
    execFileSync("mkfifo", [join(pipe, "pipe")]);
    assert.match(await faultsOf(pipe), /pipe is neither a file nor a folder/);
  });

  it("keeps its limits", async () => {
    assert.match(await faultsOf(await folderWith({ big: "x".repeat(mostFileBytes + 1) })), /big has more than/);
    const parts = Array.from({ length: 9 }, (_, index) => [`part-${index}`, "x".repeat(mostFileBytes)] as const);
    assert.match(
      await faultsOf(await folderWith(Object.fromEntries(parts))),
      new RegExp(`more than ${mostBytes} bytes`),
    );
    const many = Array.from({ length: mostFiles }, (_, index) => [`f${index}`, ""] as const);
    assert.match(await faultsOf(await folderWith(Object.fromEntries(many))), /more than 200 files/);
    assert.match(await faultsOf(await folderWith({ "a/b/c/d/e/f/g": "" })), /lies deeper than 5 folders/);
    assert.match(await faultsOf(await folderWith({ "back\\slash": "" })), /a character that no name may have/);
    assert.match(
      await faultsOf(await folderWith({ "SKILL.md": main + "x".repeat(mostMainBytes) })),
      /SKILL\.md has \d+ bytes/,
    );
  });

  it("says so where there is no skill", async () => {
    assert.match(await faultsOf(join(base, "nowhere")), /there is no such folder/);
    await writeFile(join(base, "file.txt"), "x");
    assert.match(await faultsOf(join(base, "file.txt")), /it is no folder/);
    await mkdir(join(base, "empty"));
    assert.match(await faultsOf(join(base, "empty")), /SKILL\.md is missing/);
    assert.match(await faultsOf(await folderWith({ "SKILL.md": new Uint8Array([0xff, 0xfe]) })), /is no text in UTF-8/);
  });

  it("stops when its signal aborts", async () => {
    await assert.rejects(readSkill(await folderWith({}), AbortSignal.abort(new Error("enough"))), /enough/);
  });
});
