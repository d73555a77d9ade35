import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { CommandOptions, Workspace } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import type { SandboxConfig, SandboxLimits } from "./config.ts";
import { options } from "./conformance.ts";
import { canary, Outside, secret } from "./escape-outside.ts";
import { type Escape, type EscapeTargets, escapes } from "./escapes.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";

export interface EscapeCase {
  readonly name: string;
  /** A folder of this machine for what is outside. */
  outside(): string;
  config(limits: Partial<SandboxLimits>): SandboxConfig;
  /** What the backend's image has not got. Nothing else may be missing. */
  readonly lacks?: readonly string[];
  readonly skip?: string | false;
}

const limits = { memoryMb: 192, processes: 48, quotaMb: 16, background: 4 };
const atOnce = 4;

/** Attempts to get out, or to take more than is given. None may succeed, and each has a clear end. */
export function testEscapes({ name, outside, config, lacks = [], skip = false }: EscapeCase): void {
  describe(`nothing gets out of ${name}`, { skip }, () => {
    let sandbox: Sandbox;
    let workspace: Workspace;
    let targets: EscapeTargets;
    let around: Outside;

    before(async () => {
      const used = config(limits);
      sandbox = createSandbox(used, { clock: systemClock, log: silentLog, variable: canary.name });
      assert.deepEqual((await sandbox.start()).reasons, []);
      const other = await sandbox.open("other");
      await other.write("own", Buffer.from(secret));
      workspace = await sandbox.open("hostile");
      around = await Outside.begin(outside(), used.folder);
      targets = around.targets;
    });
    after(async () => {
      await around?.end();
      await sandbox?.stop();
    });
    const bash = (command: string, more: Partial<CommandOptions> = {}) =>
      workspace.exec({ command }, { ...options, ...more });

    it("by none of the single attempts", async () => {
      const all = escapes(targets);
      assert.ok(all.length >= 60);
      const results = await tryAll(workspace, all);
      const allowed = new Set(["REFUSED", ...lacks.map((program) => `LACKS ${program}`)]);
      const unexpected = [...results].filter(([, result]) => !allowed.has(result));
      assert.deepEqual(unexpected, []);
      assert.equal(results.size, all.length);
    });

    it("and nothing outside has noticed", async () => {
      assert.equal(around.connections, 0);
      assert.ok(around.isVictimAlive);
      assert.equal(await readFile(targets.secretFile, "utf8"), targets.secret);
      await assert.rejects(access(join(targets.openFolder, "new")));
      const { output } = await bash("rm -rf ./* && echo usable");
      assert.equal(output, "usable\n");
    });

    it("by multiplying", async () => {
      const { end } = await bash("f() { f | f & }; f; sleep 30", { timeoutMs: 2_000 });
      assert.notDeepEqual(end, { kind: "exit", code: 0 });
      assert.equal((await bash("echo usable")).output, "usable\n");
    });

    it("by talking without end", async () => {
      const { output, leftOut, end } = await bash("yes 0123456789", { timeoutMs: 20_000, maxOutputChars: 1_000 });
      assert.equal(end.kind, "signal");
      assert.match(output, /it printed more than 256 MB\]\n$/);
      assert.equal(output.length, 1_000);
      assert.ok(leftOut > 250_000_000);
    });

    it("by lasting longer, deaf to signals", async () => {
      const { end } = await bash("trap '' TERM INT HUP QUIT; while :; do :; done", { timeoutMs: 800 });
      assert.deepEqual(end, { kind: "timeout" });
    });

    it("by hiding from its killer", async () => {
      const beat = "i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo x >>beats; sleep 0.1; done";
      const hidden = `env -i /usr/bin/setsid /bin/sh -c '(trap "" TERM HUP; ${beat}) >/dev/null 2>&1 </dev/null &'`;
      const { end } = await bash(`${hidden.replace("/usr/bin/", "")}; sleep 30`, { timeoutMs: 1_500 });
      assert.deepEqual(end, { kind: "timeout" });
      await noMoreBeats(bash);
      const process = await workspace.spawn({ command: `${hidden.replace("/usr/bin/", "")}; sleep 30` });
      await bash("until [ -s beats ]; do sleep 0.1; done");
      await process.kill();
      await noMoreBeats(bash);
    });

    it("by killing everything", async () => {
      await bash("kill -9 -1", { timeoutMs: 5_000 });
      await workspace.run("kill -9 -1", { ...options, timeoutMs: 5_000 });
      assert.equal((await workspace.run("echo usable", options)).output, "usable\n");
      assert.ok(around.isVictimAlive);
    });

    it("with more memory", async () => {
      const { output, end } = await bash("head -c 600000000 /dev/zero | tail -c 500000000 | wc -c");
      assert.doesNotMatch(output, /^500000000/, JSON.stringify(end));
      assert.equal((await bash("echo usable")).output, "usable\n");
    });

    it("with more memory in many processes", async () => {
      const each = "(head -c 120000000 /dev/zero; sleep 3) | tail -c 120000000 | wc -c";
      const { output } = await bash(`for i in 1 2 3 4; do ${each} & done; wait`);
      assert.ok(output.split("120000000").length < 5, output);
      assert.equal((await bash("echo usable")).output, "usable\n");
    });

    it("with a file that is too large, or many", async () => {
      await bash("head -c 40000000 /dev/zero >large; sync");
      const { output } = await bash("stat -c %s large");
      assert.ok(Number(output) <= 17 * 1024 * 1024, output);
      const many = await bash(
        "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); head -c 1000000 /dev/zero >many$i; sleep 0.02; done",
      );
      assert.match(many.output, /over its quota of 16 MB/);
      assert.equal(many.end.kind, "signal");
      // What is too much may be deleted, and nothing else is possible until then.
      await assert.rejects(workspace.write("small", Buffer.from("x")), /do not fit/);
      const grown = await bash("a=$(stat -c %s many1); (echo more >>many1); [ $(stat -c %s many1) = $a ] && echo same");
      assert.match(grown.output, /same\n$/);
      assert.equal((await bash("rm -rf ./* && echo usable")).output, "usable\n");
      await waitUntil(() => workspace.write("small", Buffer.from("x")));
      await waitUntil(async () => assert.equal((await workspace.run("echo x >y && cat y", options)).output, "x\n"));
    });

    it("through a link that is swapped while a file is read", async () => {
      const folder = join(targets.secretFile, "..");
      await bash(`mkdir d; echo mine >d/secret; ln -sfn '${folder}' e`);
      const swapping = await workspace.spawn({
        command: "while :; do mv -T d x; mv -T e d; mv -T d e; mv -T x d; done 2>/dev/null",
      });
      for (let round = 0; round < 25; round += 1) {
        const read = await workspace.read("d/secret", { length: 100 }).then(
          ({ bytes }) => Buffer.from(bytes).toString(),
          () => "refused",
        );
        assert.ok(read === "mine\n" || read === "refused", read);
        await workspace.write("d/new", Buffer.from("x")).catch(() => undefined);
      }
      await swapping.kill();
      await assert.rejects(access(join(folder, "new")));
    });
  });
}

/** What became of each: `THROUGH`, `REFUSED`, or `LACKS` and what it would have needed. */
export async function tryAll(workspace: Workspace, all: readonly Escape[]): Promise<ReadonlyMap<string, string>> {
  const results = new Map<string, string>();
  const waiting = [...all];
  const work = async () => {
    for (let attempt = waiting.shift(); attempt !== undefined; attempt = waiting.shift()) {
      const needed = (attempt.needs ?? []).map((program) => `command -v ${program} >/dev/null || lacking=${program};`);
      const command = `PATH=$PATH:/usr/sbin:/sbin; lacking=; ${needed.join(" ")} if [ -n "$lacking" ]; then echo "LACKS $lacking"; elif (${attempt.command}) >/dev/null 2>&1; then echo THROUGH; else echo REFUSED; fi`;
      results.set(attempt.name, (await workspace.exec({ command }, options)).output.trim());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** The quota is looked at from time to time: what was deleted counts until the next look. */
async function waitUntil(attempt: () => Promise<void>): Promise<void> {
  for (let left = 40; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await systemClock.sleep(100);
    }
  }
}

async function noMoreBeats(bash: (command: string) => Promise<{ readonly output: string }>): Promise<void> {
  const { output } = await bash(
    'a=$(wc -c <beats); sleep 0.5; b=$(wc -c <beats); rm -f beats; [ "$a" = "$b" ] && echo silent',
  );
  assert.equal(output, "silent\n");
}
