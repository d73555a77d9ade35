import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readRepository, root } from "./repository.ts";

const repository = fileURLToPath(root);

/** Whether `npm ci` takes the lock file in this folder; its complaint otherwise. Asks no registry. */
async function complaint(folder: string): Promise<string> {
  const flags = ["ci", "--dry-run", "--offline", "--ignore-scripts", "--no-audit"];
  return await promisify(execFile)("npm", flags, { cwd: folder }).then(
    () => "",
    ({ stderr }: { stderr: string }) => stderr,
  );
}

describe("package-lock.json", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-lock-"));
    const manifests = readRepository().filter(({ path }) => /^(?:(?:packages|apps)\/.*)?package\.json$/.test(path));
    for (const path of ["package-lock.json", ...manifests.map((file) => file.path)]) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await cp(join(repository, path), join(folder, path));
    }
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it("is one that npm ci installs from", async () => assert.equal(await complaint(folder), ""));

  it("is caught when it lacks what a package needs on another system", async () => {
    const file = join(folder, "package-lock.json");
    const lock = JSON.parse(await readFile(file, "utf8")) as { packages: Record<string, unknown> };
    delete lock.packages["node_modules/@oxc-parser/binding-win32-x64-msvc"];
    await writeFile(file, JSON.stringify(lock));
    assert.match(await complaint(folder), /Missing: @oxc-parser\/binding-win32-x64-msvc/);
  });
});
