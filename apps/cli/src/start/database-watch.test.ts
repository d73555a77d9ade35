import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { Installation } from "../../../../tests/support/installation.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";

async function databasePid(home: string): Promise<number> {
  return Number((await readFile(join(home, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n")[0]);
}

it("an embedded database that dies is started again, nothing is lost, and the last one is stopped with the rest", async () => {
  await using talaria = await Installation.start();
  await talaria.say("before", "remember me");
  await talaria.waitForLine("before", /You said: remember me/);
  const pid = await databasePid(talaria.home);
  process.kill(pid, "SIGKILL");
  await waitFor(() => talaria.output.includes("the database has ended; it starts again"), "the watch");
  await waitFor(() => talaria.say("after", "are you there").catch(() => undefined), "the gateway");
  await talaria.waitForLine("after", /You said: are you there/);
  const next = await databasePid(talaria.home);
  assert.notEqual(next, pid);
  assert.match(JSON.stringify(await talaria.history("before")), /You said: remember me/);
  await talaria.stop();
  await assert.rejects(
    databasePid(talaria.home),
    { code: "ENOENT" },
    "a database that was stopped takes its file along",
  );
});

it("a stop while the database starts again leaves no database behind", async () => {
  await using talaria = await Installation.start();
  process.kill(await databasePid(talaria.home), "SIGKILL");
  await waitFor(() => talaria.output.includes("the database has ended; it starts again"), "the watch");
  await talaria.stop();
  assert.match(talaria.output, /stopped\n$/);
  await assert.rejects(databasePid(talaria.home), { code: "ENOENT" });
});
