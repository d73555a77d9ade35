import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { freePort } from "../../../../tests/support/free-port.ts";
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

it("a database that comes back at another address is used by everything", async (test) => {
  const parent = await mkdtemp(join(tmpdir(), "talaria-test-"));
  test.after(() => rm(parent, { recursive: true, force: true }));
  // Too long for a Unix socket, so the server has a TCP port, which another program may take.
  const home = join(parent, "a".repeat(90));
  const port = await freePort();
  await mkdir(home);
  await writeFile(join(home, "config.yaml"), `gateway: { port: ${port} }\n`);
  await using talaria = await Installation.start({ home, port });
  await talaria.say("before", "remember me");
  await talaria.waitForLine("before", /You said: remember me/);
  const url = async () => new URL((await readFile(join(home, "database.url"), "utf8")).trim());
  const { hostname, port: taken } = await url();
  assert.equal(hostname, "127.0.0.1");
  const before = (await talaria.processes()).map(({ pid }) => pid);
  process.kill(await databasePid(home), "SIGKILL");
  const thief = createServer((socket) => socket.destroy());
  test.after(() => thief.close());
  await waitFor(async () => {
    thief.listen(Number(taken), "127.0.0.1");
    return await once(thief, "listening").then(
      () => true,
      () => false,
    );
  }, "the port to be taken");
  await waitFor(async () => (await url()).port !== taken, "the new address");
  await waitFor(() => talaria.say("after", "are you there").catch(() => undefined), "the gateway");
  await talaria.waitForLine("after", /You said: are you there/);
  assert.match(JSON.stringify(await talaria.history("before")), /You said: remember me/);
  const areNew = async () => {
    const pids = (await talaria.processes()).map(({ pid }) => pid);
    return pids.length === 2 && pids.every((pid) => !before.includes(pid));
  };
  await waitFor(areNew, "only new processes to be listed");
});

it("a stop while the database starts again leaves no database behind", async () => {
  await using talaria = await Installation.start();
  process.kill(await databasePid(talaria.home), "SIGKILL");
  await waitFor(() => talaria.output.includes("the database has ended; it starts again"), "the watch");
  await talaria.stop();
  assert.match(talaria.output, /stopped\n$/);
  await assert.rejects(databasePid(talaria.home), { code: "ENOENT" });
});
