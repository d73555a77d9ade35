import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { folderProblem } from "./folder-problem.ts";

it("says why the account that runs commands can't read a folder, and which one keeps it out", async (test) => {
  const base = await mkdtemp(join(tmpdir(), "talaria-readable-"));
  test.after(() => rm(base, { recursive: true }));
  const [open, home] = [join(base, "opt"), join(base, "home")];
  for (const folder of [open, join(home, ".pyenv")]) await mkdir(folder, { recursive: true });
  await writeFile(join(open, "file"), "");
  await chmod(base, 0o755);
  await chmod(open, 0o755);
  await chmod(join(open, "file"), 0o644);
  await chmod(home, 0o700);
  const root = { uid: 0, gid: 0 };
  const nobody = { uid: 4_321_000, gid: 4_321_000 };
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  for (const ids of [root, nobody, own]) {
    assert.equal(await folderProblem(open, ids), undefined);
    assert.equal(await folderProblem(join(open, "file"), ids), undefined);
    assert.match((await folderProblem(join(open, "absent"), ids)) ?? "", /^does not exist: correct it/);
    assert.match((await folderProblem(join(open, "file", "x"), ids)) ?? "", /^does not exist/);
  }
  const closed = (await folderProblem(join(home, ".pyenv"), nobody)) ?? "";
  assert.ok(closed.includes(`(uid 4321000), which ${home} keeps out: install what is there elsewhere`), closed);
  assert.match(
    (await folderProblem(join(home, ".pyenv"), root)) ?? "",
    /uid 64917/,
    "root runs commands as another account",
  );
});
