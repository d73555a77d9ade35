import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { isRunning, isTaken } from "@talaria/postgres/process-info";
import { waitFor } from "../../../../tests/support/wait-for.ts";
import { Child } from "./child.ts";

const file = fileURLToPath(new URL("./testing/waiting-child.ts", import.meta.url));
const supervisorFile = fileURLToPath(new URL("./testing/supervisor.ts", import.meta.url));

describe("a child that is started before it is known what it needs", () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-test-"));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  function childFor(name: string) {
    const said: string[] = [];
    const common = { name, file, env: { PATH: process.env.PATH }, logFile: 2, say: (line: string) => said.push(line) };
    return { child: new Child({ ...common, args: [join(folder, name)] }), said };
  }

  function pidIn(name: string): Promise<number> {
    return waitFor(async () => Number(await readFile(join(folder, name), "utf8").catch(() => "")), "the child's id");
  }

  it("waits, and then serves with what it is given", async () => {
    const { child, said } = childFor("patient");
    child.load();
    const pid = await pidIn("patient");
    assert.deepEqual(await child.start({ GIVEN: "an address" }), { type: "ready", url: "an address" });
    assert.equal(await pidIn("patient"), pid, "it is the same process");
    await child.stop();
    assert.deepEqual(said, []);
  });

  it("gets the same again when it crashed later", async () => {
    const { child, said } = childFor("crashing");
    child.load();
    await child.start({ GIVEN: "an address" });
    const pid = await pidIn("crashing");
    process.kill(pid, "SIGKILL");
    await waitFor(() => said.length === 1, "the crash to be told");
    await waitFor(async () => (await pidIn("crashing")) !== pid, "the next life");
    await child.stop();
  });

  it("is replaced when it was killed while it waited", async () => {
    const { child } = childFor("short-lived");
    child.load();
    const pid = await pidIn("short-lived");
    process.kill(pid, "SIGKILL");
    await waitFor(() => !isTaken(pid), "its end, and that it is known");
    assert.deepEqual(await child.start({ GIVEN: "an address" }), { type: "ready", url: "an address" });
    assert.notEqual(await pidIn("short-lived"), pid);
    await child.stop();
  });

  it("cannot prepare an installation when it is killed meanwhile", async () => {
    const { child } = childFor("preparing");
    child.load();
    const pid = await pidIn("preparing");
    const prepared = child.prepare(() => undefined);
    process.kill(pid, "SIGKILL");
    await assert.rejects(prepared, { message: "the preparing ended before it served (SIGKILL)" });
  });

  it("ends at once when it is stopped, or its supervisor killed, while it waits", async () => {
    const { child } = childFor("stopped");
    child.load();
    await pidIn("stopped");
    await child.stop();
    const supervisor = fork(supervisorFile, ["load", file, join(folder, "orphan")]);
    await once(supervisor, "message");
    const pid = await pidIn("orphan");
    supervisor.kill("SIGKILL");
    await waitFor(async () => !(await isRunning(pid)), "the orphan to leave");
  });
});
