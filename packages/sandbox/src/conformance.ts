import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CommandOptions, Workspace } from "@talaria/agent";
import { isGatewayError, silentLog, systemClock } from "@talaria/protocol";
import { testCommands } from "./command-conformance.ts";
import type { SandboxConfig, SandboxLimits } from "./config.ts";
import { heard, text } from "./heard.ts";
import { testPieces } from "./pieces-conformance.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";
import { testSnapshots } from "./snapshot-conformance.ts";

export interface ConformanceCase {
  readonly name: string;
  /** A configuration whose folder is new. */
  config(limits: Partial<SandboxLimits>): Promise<SandboxConfig> | SandboxConfig;
  readonly skip?: string | false;
}

export const options: CommandOptions = {
  timeoutMs: 120_000,
  signal: new AbortController().signal,
  maxOutputChars: 20_000,
};

const limits = { background: 2, quotaMb: 16, outputChars: 50_000 };

let suites = 0;

/** What every backend keeps of the port's promises. */
export function testConformance({ name, config, skip = false }: ConformanceCase): void {
  describe(`the workspace of ${name}`, { skip }, () => {
    let sandbox: Sandbox;
    let workspace: Workspace;
    // Fractions of a second that nobody else sleeps: some backends see all of this machine.
    suites += 1;
    const own = `5${process.pid}${suites}5`;
    const noneRuns = (at: Workspace, seconds: string) => noneSleeps(at, `${seconds}\\.${own}`);
    before(async () => {
      const author = { name: 'Ada "A" B', email: "ada@example.org" };
      sandbox = createSandbox({ ...(await config(limits)), author }, { clock: systemClock, log: silentLog });
      const test = await sandbox.start();
      assert.deepEqual(test.reasons, []);
      workspace = await sandbox.open("telegram:1");
    });
    after(() => sandbox?.stop());
    const bash = (command: string, more: Partial<CommandOptions> = {}) =>
      workspace.exec({ command }, { ...options, ...more });
    const refused = (promise: Promise<unknown>) =>
      assert.rejects(promise, (error) => isGatewayError(error, "invalid_request"));

    it("runs a command and tells its output and its end", async () => {
      const { output, end, leftOut } = await bash("echo out; echo err >&2; exit 7");
      assert.deepEqual({ output, end, leftOut }, { output: "out\nerr\n", end: { kind: "exit", code: 7 }, leftOut: 0 });
    });

    it("runs a program without a shell, in a folder, with input and variables", async () => {
      await workspace.write("inner/x", Buffer.from(""));
      const words = ["/bin/sh", "-c", 'cat; echo " $1 $V"; pwd', "sh", "a b; $(c)"] as const;
      const command = { command: words, folder: "inner", stdin: "in", variables: { V: "v w" } };
      const { output } = await workspace.exec(command, options);
      assert.equal(output, `in a b; $(c) v w\n${workspace.folder}/inner\n`);
    });

    it("names the signal that ended a command", async () => {
      assert.deepEqual((await bash("kill -TERM $$; sleep 5")).end, { kind: "signal", signal: "SIGTERM" });
    });

    it("refuses variables that lead a program to other code, and secrets where there are none", async () => {
      for (const variable of ["LD_PRELOAD", "PATH", "BASH_ENV", "A B"])
        await refused(workspace.exec({ command: "true", variables: { [variable]: "x" } }, options));
      await assert.rejects(workspace.exec({ command: "env", secrets: ["x"] }, options), /secrets/);
    });

    it("gives a program that is missing an end of its own", async () => {
      const { end, output } = await workspace.exec({ command: ["/no/such/program"] }, options);
      assert.deepEqual(end.kind, "exit");
      assert.match(output, /not found|No such file/);
    });

    it("leaves the middle of a long output out, while it runs", async () => {
      const { output, leftOut } = await bash("echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end", {
        maxOutputChars: 1_000,
      });
      assert.equal(output.length, 1_000);
      assert.match(output, /^begin\n.*\nend\n$/s);
      assert.equal(leftOut, 6 + 3_000_000 + 5 - 1_000);
    });

    it("hands output on as it comes, whole characters each", async () => {
      const pieces: string[] = [];
      await bash("printf '\\303'; sleep 0.2; printf '\\244'; sleep 0.2; echo", {
        onOutput: (text) => pieces.push(text),
      });
      assert.equal(pieces.join(""), "ä\n");
      assert.ok(pieces.every((piece) => !piece.includes("\u{FFFD}")));
    });

    it("kills at the end of the time, with what the command began", async () => {
      const { end, output } = await bash(`echo go; (setsid sleep 31.${own} &) ; sleep 31.${own}`, { timeoutMs: 1_500 });
      assert.deepEqual({ end, output }, { end: { kind: "timeout" }, output: "go\n" });
      await noneRuns(workspace, "31");
    });

    it("kills when the caller gives up", async () => {
      const stop = new AbortController();
      const { end } = await bash(`echo go; sleep 32.${own}`, {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      });
      assert.deepEqual(end, { kind: "aborted" });
      assert.deepEqual((await bash("true", { signal: stop.signal })).end, { kind: "aborted" });
    });

    it("keeps folder and variables in the session's shell", async () => {
      const first = await workspace.run("mkdir -p kept && cd kept && V='a\nb' && f() { echo f; }", options);
      assert.equal(first.isNewShell, true);
      const { output, end, isNewShell } = await workspace.run('pwd; echo "$V"; f; false # end', options);
      assert.equal(output, `${workspace.folder}/kept\na\nb\nf\n`);
      assert.deepEqual({ end, isNewShell }, { end: { kind: "exit", code: 1 }, isNewShell: false });
      const { folder } = await workspace.run("set -u; mkdir -p 'a b\nc' && cd 'a b\nc'", options);
      assert.equal(folder, `${workspace.folder}/kept/a b\nc`);
      const made = await workspace.run("PWD=$(head -c 9000 /dev/zero | tr '\\0' x)", options);
      assert.equal(made.folder, "x".repeat(4_096), "what a command sets it to");
      assert.deepEqual(Object.keys(await workspace.run("exit", options)).includes("folder"), false);
    });

    it("isn't fooled by output that looks like the end of a command", async () => {
      const forged = `\\036${"0".repeat(32)} 0\\036`;
      const { output, end } = await workspace.run(
        `printf '${forged}'; set | tail -c 2000; exec >/dev/null; (exit 9)`,
        options,
      );
      assert.ok(output.startsWith(`\u{1E}${"0".repeat(32)} 0\u{1E}`));
      assert.deepEqual(end, { kind: "exit", code: 9 });
      assert.equal((await workspace.run("echo still here", options)).output, "still here\n");
    });

    it("survives a syntax error and a command that reads", async () => {
      assert.notDeepEqual((await workspace.run("echo 'open", options)).end, { kind: "exit", code: 0 });
      assert.equal((await workspace.run("cat; read x; echo done", options)).output.trim(), "done");
    });

    it("begins the shell anew after its end, and says so", async () => {
      assert.deepEqual((await workspace.run("exit 4", options)).end, { kind: "exit", code: 4 });
      const { isNewShell, output } = await workspace.run("pwd", options);
      assert.deepEqual({ isNewShell, output }, { isNewShell: true, output: `${workspace.folder}\n` });
      assert.deepEqual((await workspace.run(`sleep 33.${own}`, { ...options, timeoutMs: 400 })).end, {
        kind: "timeout",
      });
      assert.equal((await workspace.run("true", options)).isNewShell, true);
      await noneRuns(workspace, "33");
    });

    it("lets a background process outlive the call, takes its input and tells of its end", async () => {
      const process = await workspace.spawn({ command: 'echo up; read line; echo "got $line"; exit 3' });
      assert.equal(process.end, undefined);
      assert.ok(workspace.processes().includes(process));
      await process.write("word\n");
      assert.deepEqual(await process.ended, { kind: "exit", code: 3 });
      assert.deepEqual(process.end, { kind: "exit", code: 3 });
      assert.deepEqual(process.output(), { text: "up\ngot word\n", leftOut: 0 });
      await refused(process.write("more"));
    });

    it("limits background processes, and kills them", async () => {
      const two = [
        await workspace.spawn({ command: `setsid sleep 34.${own}` }),
        await workspace.spawn({ command: `sleep 34.${own}` }),
      ];
      await refused(workspace.spawn({ command: "true" }));
      await Promise.all(two.map((process) => process.kill()));
      assert.deepEqual(
        two.map(({ end }) => end?.kind),
        ["signal", "signal"],
      );
      await noneRuns(workspace, "34");
    });

    it("kills what it has only just been told to begin", async () => {
      for (let time = 0; time < 5; time += 1) {
        const process = await workspace.spawn({ command: `sleep 37.${own}` });
        await process.kill();
      }
      await noneRuns(workspace, "37");
    });

    it("gives a program of its own pipes of its own, and ends it", async () => {
      const script = 'echo "to you" ; echo "$V" >&2; read line; echo "got $line"; pwd; read line; exit 3';
      const program = await sandbox.launch("echo", {
        command: ["/bin/sh", "-c", script],
        variables: { V: "a complaint" },
      });
      const [out, errors] = [text(program.stdout), text(program.stderr)];
      program.stdin.write("word\n");
      await heard(out, "got word\n");
      program.stdin.write("end\n");
      assert.equal(await program.ended, "exit code 3");
      await heard(errors, "a complaint\n");
      assert.match(out.said, /^to you\ngot word\n\/\S+\n$/);
      assert.equal(errors.said, "a complaint\n");
      await program.kill();
    });

    it("lets two programs of the same name share their files and their tmp", async () => {
      const write = {
        command: ["/bin/sh", "-c", "echo 1 >kept; echo 2 >/tmp/talaria-twin; echo up; read line"],
      } as const;
      const first = await sandbox.launch("twin", write);
      await heard(text(first.stdout), "up\n");
      const second = await sandbox.launch("twin", {
        command: ["/bin/sh", "-c", "cat kept /tmp/talaria-twin; rm /tmp/talaria-twin"],
      });
      await heard(text(second.stdout), "1\n2\n");
      await first.kill();
    });

    it("kills a program of its own that does not end with its input, with what it began", async () => {
      const program = await sandbox.launch("stubborn", {
        command: [
          "/bin/sh",
          "-c",
          `setsid sleep 36.${own} & echo up; exec 0</dev/null; trap '' TERM; sleep 36.${own}; sleep 36.${own}`,
        ],
      });
      await heard(text(program.stdout), "up\n");
      program.stderr.resume();
      await program.kill();
      assert.match(await program.ended, /^signal SIGKILL/);
      await noneRuns(workspace, "36");
      await refused(sandbox.launch("stubborn", { command: ["true"], variables: { LD_PRELOAD: "x" } }));
    });

    it("writes, reads a part and lists", async () => {
      const bytes = Buffer.from([0, 1, 255, 10, 13, 0, 65]);
      await workspace.write("files/new/data.bin", bytes);
      assert.deepEqual(await workspace.read("files/new/data.bin", { length: 100 }), { bytes, size: 7 });
      const part = await workspace.read(`${workspace.folder}/files/new/data.bin`, { start: 2, length: 3 });
      assert.deepEqual(part, { bytes: bytes.subarray(2, 5), size: 7 });
      await workspace.write("files/new/data.bin", Buffer.from("second"));
      assert.equal((await bash("cat files/new/data.bin")).output, "second");
      await bash(
        "cd files/new && ln -s data.bin link && mkdir folder && mkfifo pipe && touch .hidden 'a b' && chmod +x .hidden",
      );
      const listed = (await workspace.list("files/new", 10)).map(
        ({ name, kind, size }) => `${name} ${kind} ${kind === "file" ? size : ""}`,
      );
      assert.deepEqual(listed, [
        ".hidden file 0",
        "a b file 0",
        "data.bin file 6",
        "folder folder ",
        "link link ",
        "pipe other ",
      ]);
      assert.equal((await workspace.list("files/new", 2)).length, 2);
      const [entry] = await workspace.list("files", 1);
      assert.ok(Math.abs((entry?.changedAt ?? 0) - systemClock.now()) < 3_600_000);
    });

    it("keeps a file's mode, and changes what a link inside leads to", async () => {
      await bash("echo 1 >run.sh; chmod 755 run.sh; ln -s run.sh alias");
      await workspace.write("alias", Buffer.from("2"));
      assert.equal((await bash("cat run.sh; [ -x run.sh ] && [ -L alias ] && echo kept")).output, "2kept\n");
    });

    testSnapshots(() => sandbox);
    testPieces(() => sandbox);
    testCommands(() => sandbox, own, noneRuns);

    it("refuses what is not a readable file", async () => {
      await bash("mkfifo -m 666 wait; mkdir -p plain; touch plain/file");
      for (const path of ["missing", "plain", "wait", "", ".", "plain/file/below"])
        await refused(workspace.read(path, { length: 1 }));
      for (const path of ["plain", "wait", "", "plain/file/below"])
        await refused(workspace.write(path, Buffer.from("x")));
      await refused(workspace.list("missing", 1));
      await refused(workspace.list("plain/file", 1));
      await refused(workspace.read("plain/file", { start: -1, length: 1 }));
      await refused(workspace.read("plain/file", { length: Number.NaN }));
    });

    it("refuses paths that lead out", async () => {
      await bash(
        "ln -s /etc etc; ln -s /etc/passwd passwd; ln -s ../.. up; ln -s /tmp/elsewhere dangling; ln -s loop loop",
      );
      for (const path of [
        "/etc/passwd",
        "../x",
        "a/../../x",
        "etc/passwd",
        "passwd",
        "up/x",
        "dangling",
        "loop",
        "nul\0",
      ]) {
        await refused(workspace.read(path, { length: 1 }));
        await refused(workspace.write(path, Buffer.from("x")));
      }
      for (const path of ["/", "..", "etc", "up", "dangling"]) await refused(workspace.list(path, 1));
      assert.equal((await bash("[ -e /tmp/elsewhere ] || echo none")).output, "none\n");
    });

    it("takes any name, and text for no option or command", async () => {
      for (const path of ["-rf", "a b", "$(touch x)", "'\"", "line\nbreak", "ä", "*"]) {
        await workspace.write(`names/${path}`, Buffer.from(path));
        assert.equal(Buffer.from((await workspace.read(`names/${path}`, { length: 99 })).bytes).toString(), path);
      }
      assert.equal((await workspace.list("names", 99)).length, 7);
    });

    it("keeps sessions' files apart and over a closing", async () => {
      const other = await sandbox.open("telegram:2");
      await other.write("own", Buffer.from("other"));
      await refused(workspace.read("own", { length: 1 }));
      await other.spawn({ command: `sleep 35.${own}` });
      await sandbox.close("telegram:2");
      const again = await sandbox.open("telegram:2");
      assert.equal(Buffer.from((await again.read("own", { length: 9 })).bytes).toString(), "other");
      assert.deepEqual(again.processes(), []);
      await noneRuns(again, "35");
    });
  });
}

/** Looks from inside, which is all there is where each command has processes of its own. */
async function noneSleeps(workspace: Workspace, time: string): Promise<void> {
  const command = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q 'sleep ${time}' || echo none`;
  const { output } = await workspace.exec({ command }, options);
  assert.equal(output, "none\n");
}
