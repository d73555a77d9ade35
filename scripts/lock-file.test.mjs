// Whether package-lock.json is what `npm ci` takes, without which nobody can start. npm only compares here: nothing is fetched.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { npmProgram } from "./npm.mjs";

const repository = dirname(import.meta.dirname);
const manifests = "{package.json,package-lock.json,{packages,packages/adapters,apps}/*/package.json}";

describe("package-lock.json", () => {
  it("is taken by npm ci", (test) => {
    assert.equal(tryOut(manifestsOnly(test)), 0);
  });

  it("would not be, were it another one than the manifests want", (test) => {
    const folder = manifestsOnly(test);
    const file = join(folder, "packages", "store", "package.json");
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, pg: "8.0.0" } }));
    assert.notEqual(tryOut(folder), 0);
  });

  it("holds a digest of every package that is not our own", () => {
    const { packages } = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8"));
    const foreign = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
    assert.ok(foreign.length > 100);
    const without = foreign.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ""));
    assert.deepEqual(
      without.map(([path]) => path),
      [],
    );
  });
});

/** A folder with the manifests of the repository and nothing else. */
function manifestsOnly(test) {
  const folder = mkdtempSync(join(tmpdir(), "talaria-lock-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of globSync(manifests, { cwd: repository })) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    copyFileSync(join(repository, path), join(folder, path));
  }
  return folder;
}

/** The exit code; npm may have been told elsewhere to be silent. */
function tryOut(folder) {
  const options = ["ci", "--dry-run", "--ignore-scripts", "--offline", "--no-audit", "--no-fund"];
  return spawnSync(process.execPath, [npmProgram(), ...options], { cwd: folder, stdio: "ignore" }).status;
}
