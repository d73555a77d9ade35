import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { appendFile, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Installation } from "../../../../tests/support/installation.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";

const inUse = /the new configuration is in use\n/g;
const refused = /the new configuration is not used, the one before goes on:\n/g;

describe("a running installation", () => {
  let talaria: Installation;
  let file: string;
  let first: string;

  before(async () => {
    talaria = await Installation.start({ config: "leases: { sessionMs: 3000 }\nagent: { name: First }\n" });
    file = join(talaria.home, "config.yaml");
    first = await readFile(file, "utf8");
  });
  after(async () => {
    await talaria.remove();
  });

  /** Waits until `line` was printed once more than `before` times. */
  function printed(line: RegExp, before: number): Promise<unknown> {
    return waitFor(() => count(line) > before, `${line} in ${talaria.output}`);
  }

  function count(line: RegExp): number {
    return talaria.output.match(line)?.length ?? 0;
  }

  /** What the agent calls itself now. */
  async function agentName(conversation: string): Promise<string | undefined> {
    await talaria.say(conversation, "/help");
    const { markdown } = await talaria.waitForLine(conversation, /I'm \w+\./);
    return /I'm (\w+)\./.exec(markdown)?.[1];
  }

  it("takes a valid new configuration into use and loses nothing meanwhile", async () => {
    let isDone = false;
    const done = printed(inUse, count(inUse)).finally(() => {
      isDone = true;
    });
    await writeFile(file, first.replace("First", "Second"));
    const said: string[] = [];
    while (!isDone) {
      const text = `message ${said.length}`;
      await waitFor(() => talaria.say("flow", text, `m${said.length}`).catch(() => undefined), "the gateway");
      said.push(text);
      await sleep(100);
    }
    await done;
    const lines = await waitFor(async () => {
      const history = await talaria.history("flow").catch(() => []);
      const answered = new Set(history.flatMap(({ from, turnId }) => (from === "agent" ? [turnId] : [])));
      return history.every(({ turnId }) => turnId !== undefined && answered.has(turnId)) ? history : undefined;
    }, "an answer to everything");
    assert.deepEqual(
      lines.filter(({ from }) => from === "person").map(({ markdown }) => markdown),
      said,
    );
    assert.equal(await agentName("second"), "Second");
  });

  it("prints the problems of an invalid one and goes on, even when a process crashes meanwhile", async () => {
    const done = printed(refused, count(refused));
    await writeFile(file, `${first.replace("First", "Third")}agnt: {}\nworkers: 3\n`);
    await done;
    assert.match(talaria.output, / {2}.*config\.yaml:4:\d+ agnt: unknown key; did you mean "agent"/);
    assert.match(talaria.output, / {2}.*config\.yaml:5:\d+ workers: /);
    assert.equal(await agentName("third"), "Second");
    for (const { pid } of await talaria.processes()) process.kill(pid, "SIGKILL");
    await waitFor(() => talaria.say("third", "hello").catch(() => undefined), "the gateway to come back");
    await talaria.waitForLine("third", /You said: hello/);
  });

  it("says so when the file is again what runs", async () => {
    const again = /the configuration is again the one that runs\n/g;
    const done = printed(again, count(again));
    await writeFile(file, first.replace("First", "Second"));
    await done;
  });

  it("goes back to the one before when the new one cannot serve", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const done = printed(refused, count(refused));
    const port = typeof address === "object" ? address?.port : undefined;
    await writeFile(file, first.replace(/port: \d+/, `port: ${port}`).replace("First", "Fourth"));
    await done;
    taken.close();
    assert.match(
      talaria.output,
      / {2}port \d+ on 127\.0\.0\.1 is in use: stop what listens there, such as the installation that this one is a copy of/,
    );
    assert.equal(await agentName("fourth"), "Second");
    const { mode } = await stat(join(talaria.home, "running-config.yaml"));
    assert.equal(mode & 0o777, 0o600);
  });

  it("goes on without the file", async () => {
    const done = printed(refused, count(refused));
    await rm(file);
    await done;
    assert.match(talaria.output, / {2}.*config\.yaml is gone/);
    assert.equal(await agentName("fifth"), "Second");
    assert.doesNotMatch(await talaria.talaria("status"), /doesn't answer/);
  });

  it("goes on where the file is empty, which somebody may just be writing, or a pipe", async () => {
    let done = printed(refused, count(refused));
    await writeFile(file, "# soon\n\n");
    await done;
    assert.match(talaria.output, / {2}.*config\.yaml is empty: write it again, or `talaria restart` to go on/);
    await rm(file);
    done = printed(refused, count(refused));
    await promisify(execFile)("mkfifo", [file]);
    await done;
    assert.match(talaria.output, / {2}.*config\.yaml cannot be read: it is no regular file/);
    assert.equal(await agentName("empty"), "Second");
    await rm(file);
  });

  it("runs as many workers as the new one says, when the file was replaced as a whole", async () => {
    const done = printed(inUse, count(inUse));
    await writeFile(`${file}.next`, `${first.replace("First", "Sixth")}workers: { processes: 2 }\n`);
    await rename(`${file}.next`, file);
    await done;
    // The row of a worker that was killed before stays until its lease ends.
    const runs = async (wanted: number) =>
      (await talaria.processes()).filter(({ kind }) => kind === "worker").length === wanted;
    await waitFor(() => runs(2), "two workers");
    const fewer = printed(inUse, count(inUse));
    await appendFile(file, "# one worker is enough\n");
    await writeFile(file, (await readFile(file, "utf8")).replace("processes: 2", "processes: 1"));
    await fewer;
    await waitFor(() => runs(1), "one worker");
    assert.equal(await agentName("sixth"), "Sixth");
  });

  it("stops at once while a new configuration is being taken into use", async () => {
    const restarting = /gateway and workers restart one after another\n/g;
    const done = printed(restarting, count(restarting));
    await writeFile(file, first.replace("First", "Seventh"));
    await done;
    const pids = (await talaria.processes()).map(({ pid }) => pid);
    await talaria.stop();
    assert.match(talaria.output, /stopped\n$/);
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), "nothing is left running");
    await assert.rejects(readFile(join(talaria.home, "postgres", "cluster", "postmaster.pid")));
  });
});
