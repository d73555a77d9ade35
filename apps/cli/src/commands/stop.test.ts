import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { Installation } from "../../../../tests/support/installation.ts";
import { runTalaria } from "../../../../tests/support/run-talaria.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { lockHome } from "../start/home-lock.ts";

it("a running installation is restarted in its place and then stopped, and nothing said is lost", async () => {
  await using talaria = await Installation.start({ database: "shared" });
  await talaria.say("here", "before");
  await talaria.waitForLine("here", /You said: before/);
  const before = (await talaria.processes()).map(({ pid }) => pid);
  const { pid } = talaria;

  const file = join(talaria.home, "planned-restart.json");
  const restarted = talaria.talaria("restart");
  await waitFor(() => existsSync(file), "the restart to be planned", 120_000);
  assert.equal(await restarted, `restarted: ${talaria.home}\n`);
  await waitFor(() => !existsSync(file), "the end of the restart", 120_000);
  assert.equal(talaria.pid, pid);
  process.kill(pid, 0);
  const after = (await talaria.processes()).map((one) => one.pid);
  assert.equal(after.length, 2);
  assert.deepEqual(
    after.filter((one) => before.includes(one)),
    [],
  );
  assert.equal(talaria.output.match(/Talaria is ready/g)?.length, 2);
  await talaria.say("here", "after");
  await talaria.waitForLine("here", /You said: after/);
  const texts = (await talaria.history("here")).map(({ markdown }) => markdown);
  assert.equal(texts[0], "before");

  assert.equal(await talaria.talaria("stop"), `stopped: ${talaria.home}\n`);
  await waitFor(() => talaria.output.endsWith("stopped\n"), "the end of its output");
  for (const one of after) assert.throws(() => process.kill(one, 0), "nothing is left running");

  const status = () => runTalaria(["status"], { TALARIA_HOME: talaria.home, DATABASE_URL: talaria.databaseUrl ?? "" });
  const absent = await status();
  assert.deepEqual([absent.code, /^PROBLEM +Talaria isn't running/.test(absent.stdout)], [1, true], absent.stdout);
  await writeFile(file, JSON.stringify({ pid: process.pid, at: new Date().toISOString() }));
  const planned = await status();
  assert.deepEqual(
    [planned.code, /^NOTE +gateway and workers are being replaced, since \d\d:\d\d UTC, by /.test(planned.stdout)],
    [0, true],
    planned.stdout,
  );
  assert.doesNotMatch(planned.stdout, /PROBLEM/);
});

it("one that does not run, and one that takes no orders, are told apart", async () => {
  const home = await mkdtemp(join(tmpdir(), "talaria-stop-"));
  const absent = await runTalaria(["stop", "--home", home]);
  assert.deepEqual([absent.code, absent.stderr.startsWith(`talaria: Talaria isn't running on ${home}:`)], [1, true]);
  const lock = await lockHome(home);
  const mute = await runTalaria(["restart", "--home", home]);
  assert.deepEqual([mute.code, /takes no orders, as earlier releases do: press Ctrl-C/.test(mute.stderr)], [1, true]);
  lock.close();
  await rm(home, { recursive: true });
});
