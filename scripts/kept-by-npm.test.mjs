import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { npmProgram } from "./npm.mjs";

const script = fileURLToPath(new URL("run.mjs", import.meta.url));

for (const [options, sentence] of [
  [["--home", "/srv/copy"], "--home to itself: put -- in front of it, as in npm start -- --home /srv/copy"],
  [["--home=/srv/copy"], "--home to itself: put -- in front of it, as in npm start -- --home /srv/copy"],
  [["--home"], "--home to itself: put -- in front of it, as in npm start -- --home <folder>"],
  [["--config", "/srv/c.yaml"], "--config to itself: put -- in front of it, as in npm start -- --config /srv/c.yaml"],
])
  it(`npm start ${options.join(" ")} is refused with what is meant, and nothing is started`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "talaria-npm-"));
    try {
      const start = `"${process.execPath}" "${script}" start`;
      await writeFile(join(folder, "package.json"), JSON.stringify({ name: "kept", scripts: { start } }));
      const { code, stderr } = await npm(folder, ["start", ...options]);
      const said = stderr.split("\n").filter((line) => line.startsWith("talaria: "));
      assert.deepEqual([code, said], [2, [`talaria: npm keeps ${sentence}`]]);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name !== "cache"),
        ["package.json"],
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

/** Runs npm in the folder, which is its home, too. */
function npm(folder, words) {
  const { TALARIA_HOME: _, ...own } = process.env;
  const env = {
    ...own,
    HOME: folder,
    npm_config_cache: join(folder, "cache"),
    npm_config_update_notifier: "false",
  };
  return new Promise((resolve) =>
    execFile(process.execPath, [npmProgram(), ...words], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );
}
