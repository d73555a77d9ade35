import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "@talaria/postgres";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";
import { withRoom } from "../support/with-room.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));
const hasScript = spawnSync("script", ["--version"]).status === 0;
const skip = hasScript ? false : "needs util-linux's script, for a terminal";
const isWindows = process.platform === "win32" && "Windows has no modes of files";
const ctrlC = "\u0003";

describe("talaria start", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-privacy-"));
    // Others may enter it, as they may the folder that most homes are in.
    await chmod(folder, 0o755);
  });
  after(() => rm(folder, { recursive: true }));

  it("prints no token where its output is kept, and closes a data folder that was open", {
    skip: isWindows,
  }, async () => {
    const home = join(folder, "open");
    await mkdir(home);
    await chmod(home, 0o755);
    await using talaria = await Installation.start({ home, config: "", database: "shared" });
    assert.match(talaria.token, /^[\w-]{43}$/);
    assert.match(talaria.output, /Talaria is ready after .*\/console\/ \(token: .*\)/);
    assert.ok(!talaria.output.includes(talaria.token), "the token is in the output");
    for (const name of await readdir(join(home, "logs")))
      assert.ok(!(await readFile(join(home, "logs", name), "utf8")).includes(talaria.token), `it is in ${name}`);
    assert.equal(await modeOf(home), 0o700);
    assert.equal(await modeOf(join(home, "token")), 0o600);
  });

  it("prints the token at a terminal, and makes a data folder that nobody else may enter", { skip }, async () => {
    const home = join(folder, "made", "by-start");
    const config = join(folder, "config.yaml");
    await writeFile(config, `gateway: { port: ${await freePort()} }\n${withRoom("")}`);
    const database = await createTestDatabase();
    const { NODE_TEST_CONTEXT, ...inherited } = process.env;
    const own = { TALARIA_HOME: home, TALARIA_CONFIG: config, DATABASE_URL: database.url, LOG_LEVEL: "warn" };
    const command = `exec '${process.execPath}' '${mainFile}' start`;
    // `script` gives the command a terminal of its own and passes on what is written to it.
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env: { ...inherited, ...own, TERM: "dumb" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    try {
      await waitFor(() => output.includes("Talaria is ready") || child.exitCode !== null, "it is ready");
      const token = (await readFile(join(home, "token"), "utf8")).trim();
      await waitFor(() => output.includes(`/console/#token=${token}`), `the token in ${output}`);
      assert.equal(await modeOf(home), 0o700);
    } finally {
      child.stdin.write(ctrlC);
      await ended;
      await database.drop();
    }
  });
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
