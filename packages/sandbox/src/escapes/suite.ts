import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { CommandOptions, Workspace } from "@talaria/agent";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import type { SandboxConfig, SandboxLimits } from "../config.ts";
import { options } from "../conformance.ts";
import { createSandbox, type Sandbox } from "../sandbox.ts";
import { attemptAll } from "./attempts.ts";
import type { Escape, EscapeKind, EscapeTargets } from "./escape.ts";
import { escapes } from "./escapes.ts";
import { canary, Outside, type OutsideOptions, secret } from "./outside.ts";
import { rightsOf } from "./seen-from-outside.ts";

export interface EscapeCase {
  readonly name: string;
  /** A folder of this machine for what is outside. */
  outside(): Omit<OutsideOptions, "dataFolder">;
  config(limits: Partial<SandboxLimits>): SandboxConfig;
  /** What the backend's image has not got. Nothing else may be missing. */
  readonly lacks?: readonly string[];
  /** Those in which each session is alone, of `/proc/<pid>/ns`. */
  readonly namespaces: readonly string[];
  /** What the backend does not promise: attempts by name, all of one kind, or further tests by their title, with the reason. */
  readonly exempt?: Readonly<Record<string, string>>;
  readonly skip?: string | false;
}

const limits = { memoryMb: 192, processes: 48, quotaMb: 16, background: 4 };
const leastAttempts = 60;
const kinds: readonly EscapeKind[] = [
  ...(["files", "links", "proc", "environment", "signals", "sockets", "metadata", "dns"] as const),
  ...(["privileges", "kernel"] as const),
];

/** Attempts to get out, or to take more than is given. None may succeed, and each has a clear end. */
export function testEscapes({
  name,
  outside,
  config,
  namespaces,
  lacks = [],
  exempt = {},
  skip = false,
}: EscapeCase): void {
  const unlessExempt = (title: string) => ({ skip: exempt[title] ?? false });
  const isPromised = ({ kind, name: attempt }: Escape) => exempt[kind] === undefined && exempt[attempt] === undefined;

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
      around = await Outside.begin({ ...outside(), dataFolder: used.folder });
      targets = around.targets;
    });
    after(async () => {
      await around?.end();
      await sandbox?.stop();
    });
    const bash = (command: string, more: Partial<CommandOptions> = {}) =>
      workspace.exec({ command }, { ...options, ...more });

    it("by none of the single attempts", async () => {
      const all = escapes(targets).filter(isPromised);
      assert.equal(new Set(all.map((attempt) => attempt.name)).size, all.length);
      const attempted = await attemptAll(workspace, around, all);
      const allowed = new Set(["REFUSED", ...lacks.map((program) => `LACKS ${program}`)]);
      const through = attempted.filter(({ said, harm }) => !allowed.has(said) || harm.length > 0);
      assert.deepEqual(
        through.map(({ attempt, said, harm }) => `${attempt.kind}: ${attempt.name}: ${said}: ${harm.join(", ")}`),
        [],
      );
      const made = attempted.filter(({ said }) => said === "REFUSED").map(({ attempt }) => attempt);
      assert.ok(made.length >= leastAttempts, `only ${made.length} were made`);
      const missing = kinds.filter(
        (kind) => exempt[kind] === undefined && !made.some((attempt) => attempt.kind === kind),
      );
      assert.deepEqual(missing, []);
      const { output } = await bash("rm -rf ./* && echo usable");
      assert.equal(output, "usable\n");
    });

    it("by no path that the tools of files are given", async () => {
      const { secretFile, openFolder, otherFile } = targets;
      const root = "$(printf '../%.0s' 1 2 3 4 5 6 7 8)";
      await bash(
        `ln -sf '${secretFile}' l1; ln -sfn '${openFolder}' l2; ln -sfn / l3; ln -sfn ${root} l4; ln -sfn /proc/self/root l5; ln -sfn l3 l6; mkdir -p d; ln -sfn ../l6 d/l7; ln -sf '${openFolder}/new' l8`,
      );
      const reads = [
        ...[secretFile, `../../../../../../../..${secretFile}`, `d/../..${secretFile}`, "l1", "l2/program"],
        ...["l3", "l4", "l5", "l6", "d/l7"].map((link) => `${link}${secretFile}`),
        ...[otherFile, `/proc/1/root${secretFile}`, "/proc/self/environ", "l3/proc/self/environ", "l5/etc/passwd"],
      ];
      const writes = [
        ...[secretFile, `${openFolder}/new`, `../../../../../../../..${openFolder}/new`, "l1", "l2/new", "l8"],
        ...["l3", "l4", "l5", "l6", "d/l7"].map((link) => `${link}${openFolder}/new`),
      ];
      const lists = ["/", "..", openFolder, "l2", "l3", "l4", "l5", "l6", "d/l7", "/proc/1/root", "l3/etc"];
      const before = await around.look();
      const isRefused = (error: unknown) => isGatewayError(error, "invalid_request");
      for (const path of reads) await assert.rejects(workspace.read(path, { length: 99 }), isRefused, path);
      for (const path of writes) await assert.rejects(workspace.write(path, Buffer.from("x")), isRefused, path);
      for (const path of lists) await assert.rejects(workspace.list(path, 9), isRefused, path);
      assert.deepEqual(await around.look(), before);
      await bash("rm -rf ./*");
    });

    it(
      "by any right, as the machine sees its processes",
      unlessExempt("by any right, as the machine sees its processes"),
      async () => {
        const process = await workspace.spawn({ command: "sleep 3742.25 & wait" });
        try {
          const rights = await rightsOf("sleep\x003742.25\0", namespaces);
          assert.notEqual(rights.uid, 0);
          assert.deepEqual(
            { ...rights, uid: 1 },
            {
              ...{ uid: 1, capabilities: "0000000000000000", noNewPrivileges: "1", filter: "2" },
              ...{ shared: [], devices: ["lo"], routes: 0 },
            },
          );
        } finally {
          await process.kill();
        }
      },
    );

    it("by multiplying", unlessExempt("by multiplying"), async () => {
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

    it("by hiding from its killer", unlessExempt("by hiding from its killer"), async () => {
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

    it("by killing everything", unlessExempt("by killing everything"), async () => {
      await bash("kill -9 -1", { timeoutMs: 5_000 });
      await workspace.run("kill -9 -1", { ...options, timeoutMs: 5_000 });
      assert.equal((await workspace.run("echo usable", options)).output, "usable\n");
      assert.ok(around.isVictimAlive);
    });

    it("with more memory", unlessExempt("with more memory"), async () => {
      const { output, end } = await bash("head -c 600000000 /dev/zero | tail -c 500000000 | wc -c");
      assert.doesNotMatch(output, /^500000000/, JSON.stringify(end));
      assert.equal((await bash("echo usable")).output, "usable\n");
    });

    it("with more memory in many processes", unlessExempt("with more memory in many processes"), async () => {
      const each = "(head -c 120000000 /dev/zero; sleep 20) | tail -c 120000000 | wc -c";
      const { output } = await bash(`for i in 1 2 3 4; do ${each} & done; wait`);
      assert.ok(output.split("120000000").length < 5, output);
      assert.equal((await bash("echo usable")).output, "usable\n");
    });

    it("with a file that is too large, or many", unlessExempt("with a file that is too large, or many"), async () => {
      await bash("head -c 40000000 /dev/zero >large; sync");
      // It fills the quota: a command that ran on would be ended for it.
      const size = async () =>
        (await workspace.list(".", 100)).find(({ name }) => name === "large")?.size ?? Number.NaN;
      await waitUntil(async () => assert.ok((await size()) <= 17 * 1024 * 1024));
      // What begins while the workspace is known to be full may write nothing, and so is not ended. What began just before that is ended.
      await waitUntil(async () => {
        await bash("rm -f large");
        assert.equal((await bash("echo x >small && echo usable")).output, "usable\n");
      });
      const many = await bash(
        "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); head -c 1000000 /dev/zero >many$i; sleep 0.02; done",
      );
      assert.match(many.output, /over its quota of 16 MB/);
      assert.equal(many.end.kind, "signal");
      // What is too much may be deleted, and nothing else is possible until then.
      await assert.rejects(workspace.write("small", Buffer.from("x")), /do not fit/);
      assert.equal((await workspace.list(".", 3)).length, 3, "what lies there is listed all the same");
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

/** The quota is looked at from time to time: what was deleted counts until the next look. */
async function waitUntil(attempt: () => Promise<void>): Promise<void> {
  for (let left = 1_200; ; left -= 1) {
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
