import assert from "node:assert/strict";
import { it } from "node:test";
import type { CommandOptions, CommandResult, Workspace } from "@talaria/agent";
import type { Sandbox } from "./sandbox.ts";

const options: CommandOptions = { timeoutMs: 120_000, signal: new AbortController().signal, maxOutputChars: 1_000 };
const mebibyte = 1024 * 1024;

/** What every backend keeps of the port's promises of commands that print much, last long or come together; its quota is 16 MB. */
export function testCommands(
  opened: () => Sandbox,
  /** A fraction of a second that nobody else sleeps. */
  own: string,
  noneRuns: (at: Workspace, seconds: string) => Promise<void>,
): void {
  const open = (name: string) => opened().open(`telegram:${name}`);
  const textOf = async (at: Workspace, path = "") => {
    const { bytes, size } = await at.read(path, { length: 8 * mebibyte });
    assert.equal(bytes.length, size);
    return Buffer.from(bytes).toString("latin1");
  };

  it("lets all that a command prints lie in a file when its reader gets less", async () => {
    const at = await open("whole");
    const command = "seq 1 50000; printf '\\303('";
    const text = `${Array.from({ length: 50_000 }, (_, n) => `${n + 1}\n`).join("")}\u00C3(`;
    const whole = { ...options, whole: true } as const;
    for (const result of [await at.exec({ command }, whole), await at.run(command, whole)]) {
      assert.equal(result.outputFile?.isWhole, true);
      assert.equal(await textOf(at, result.outputFile?.path), text);
    }
    const process = await at.spawn({ command });
    await process.ended;
    assert.equal(await textOf(at, process.output().file?.path), text);
    const upper = await at.exec(
      { command: "seq 1 999; echo a" },
      { ...options, whole: (piece) => piece.toUpperCase() },
    );
    assert.match(await textOf(at, upper.outputFile?.path), /^1\n2\n[\s\S]*\n999\nA\n$/);
    const short = [await at.run("echo short", whole), await at.run(command, options)];
    assert.deepEqual(
      short.map(({ outputFile }) => outputFile),
      [undefined, undefined],
    );
    assert.deepEqual(
      (await at.list(".output", 9)).map(({ name }) => name),
      ["1.log", "2.log", "3.log", "4.log"],
    );
  });

  it("writes such a file while the command runs, a piece of its beginning at most, and deletes the oldest", async () => {
    const at = await open("much");
    const slow = at.run("seq 1 5000; until [ -e .output/1.log ]; do sleep 0.05; done; echo seen", {
      ...options,
      whole: true,
    });
    assert.match((await slow).output, /seen\n$/);
    const print = "head -c 2000000 /dev/zero | tr '\\0' x; echo end";
    for (let count = 0; count < 5; count += 1) {
      const { outputFile, output } = await at.exec({ command: print }, { ...options, whole: true });
      assert.deepEqual(outputFile, { path: `.output/${count + 2}.log`, isWhole: false });
      assert.match(output, /end\n$/);
    }
    const files = await at.list(".output", 99);
    assert.deepEqual(
      files.map(({ name, size }) => [name, size]),
      [3, 4, 5, 6].map((number) => [`${number}.log`, mebibyte]),
    );
    await at.exec({ command: "rm -rf .output" }, options);
    assert.ok((await at.exec({ command: print }, { ...options, whole: true })).outputFile, "deleted files are no harm");
    const nowhere = `/tmp/talaria-outputs-${own}`;
    await at.exec({ command: `rm -rf .output; mkdir ${nowhere}; ln -s ${nowhere} .output` }, options);
    assert.equal((await at.exec({ command: print }, { ...options, whole: true })).outputFile, undefined);
    const there = await at.exec({ command: `ls -A ${nowhere}; rm -r ${nowhere} .output` }, options);
    assert.equal(there.output, "", "a link leads nowhere");
    const inside = "mkdir mine; for n in 1 2 3; do echo $n > mine/$n.log; done; ln -s mine .output";
    await at.exec({ command: inside }, options);
    for (let count = 0; count < 5; count += 1)
      assert.equal((await at.exec({ command: print }, { ...options, whole: true })).outputFile, undefined);
    const mine = await at.exec({ command: "cat mine/*.log; ls mine; rm -r mine .output" }, options);
    assert.equal(mine.output, "1\n2\n3\n1.log\n2.log\n3.log\n", "nor into the workspace");
    await at.exec({ command: "mkdir .output; for n in $(seq 1 20); do mkfifo .output/$n.log; done" }, options);
    const waited = await at.exec({ command: print }, { ...options, whole: true });
    assert.deepEqual(
      waited.outputFile?.path,
      ".output/21.log",
      "what is no file is passed by, and nobody waits for it",
    );
    await at.exec({ command: "rm -r .output" }, options);
    await at.exec({ command: print }, { ...options, whole: true });
    const snapshot = await at.snapshot(mebibyte / 2);
    assert.ok(snapshot, "what commands printed is no part of a snapshot");
    await at.restore(snapshot);
    assert.equal((await at.exec({ command: "ls -A" }, options)).output, "");
  });

  it("ends its shell, and what that left in the background, when it is told to", async () => {
    const at = await open("anew");
    await at.run("mkdir in && cd in && export V=1; ls() { echo mine; }; (sleep 1; touch ../late) &", options);
    await at.newShell();
    const next = await at.run("echo [$V]; pwd; ls", options);
    assert.equal(next.isNewShell, true);
    assert.equal(next.output, `[]\n${at.folder}\nin\n`);
    assert.equal((await at.run("sleep 1.5; ls", options)).output, "in\n");
  });

  it("lets a command go on in the background when its time is up, and begins a shell with the same folder", async () => {
    const at = await open("long");
    await at.run("mkdir in && cd in && V='a\nb'", options);
    const wait = "echo begun; until [ -e done ]; do sleep 0.05; done; echo ended; (exit 3)";
    const late = { ...options, timeoutMs: 700, goesOn: true } as const;
    const first = await at.run(wait, late);
    assert.deepEqual([first.end, first.output], [{ kind: "timeout" }, "begun\n"]);
    const process = at.processes().find(({ id }) => id === first.goesOnAs);
    assert.ok(process);
    assert.equal(process.end, undefined);
    await assert.rejects(process.write("x"), /reads no input/);
    const next = await at.run('pwd; echo "$V"; touch done', options);
    assert.deepEqual([next.output, next.isNewShell], [`${at.folder}/in\na\nb\n`, false]);
    assert.deepEqual(await process.ended, { kind: "exit", code: 3 });
    assert.equal(process.output().text, "begun\nended\n");
    const [second, third] = await Promise.all([
      at.run(`(setsid sleep 41.${own} &) ; sleep 41.${own}`, late),
      at.run(`sleep 42.${own}`, late),
    ]);
    const running = at.processes().filter(({ end }) => end === undefined);
    assert.deepEqual(running.map(({ id }) => id).sort(), [second.goesOnAs, third.goesOnAs].sort());
    const refused = await at.run(`sleep 43.${own}`, late);
    assert.deepEqual([refused.end, refused.goesOnAs], [{ kind: "timeout" }, undefined]);
    assert.match(refused.output, /2 background processes run already/);
    await Promise.all(running.map((one) => one.kill()));
    for (const seconds of ["41", "42", "43"]) await noneRuns(at, seconds);
  });

  it("lets a command go that somebody waits for", async () => {
    const at = await open("let go");
    await at.run("mkdir in && cd in && V=1", options);
    const wait = `echo begun; until [ -e "${at.folder}/done" ]; do sleep 0.05; done; echo ended; (exit 3)`;
    /** Lets it go once it has printed. */
    const letGoOf = async (begin: (given: Pick<CommandOptions, "letGo" | "onOutput">) => Promise<CommandResult>) => {
      const leaving = new AbortController();
      return await begin({ letGo: leaving.signal, onOutput: () => leaving.abort() });
    };
    const first = await letGoOf((given) => at.run(wait, { ...options, ...given, goesOn: true }));
    assert.deepEqual([first.end, first.output], [{ kind: "let_go" }, "begun\n"]);
    const next = await at.run('pwd; echo "$V"', options);
    assert.deepEqual([next.output, next.isNewShell], [`${at.folder}/in\n1\n`, false]);
    const command = `echo begun; exec sleep 44.${own}`;
    const second = await letGoOf((given) => at.exec({ command }, { ...options, ...given }));
    assert.deepEqual([second.end, second.output], [{ kind: "let_go" }, "begun\n"]);
    // There are two: the third is waited for as if nobody had asked.
    const third = await letGoOf((given) =>
      at.exec({ command: "echo begun; sleep 1; echo ended" }, { ...options, ...given }),
    );
    assert.deepEqual(
      [third.end, third.output, third.goesOnAs],
      [{ kind: "exit", code: 0 }, "begun\nended\n", undefined],
    );
    const [one, other] = [first, second].map(({ goesOnAs }) => at.processes().find(({ id }) => id === goesOnAs));
    assert.equal(other?.output().text, "begun\n");
    await other?.kill();
    await at.run(`touch "${at.folder}/done"`, options);
    assert.deepEqual(await one?.ended, { kind: "exit", code: 3 });
    assert.equal(one?.output().text, "begun\nended\n");
    await noneRuns(at, "44");
  });

  it("lets git commit, as somebody whom a repository may name otherwise, and finds what was installed at home", async (test) => {
    const at = await open("git");
    await at.exec(
      { command: "mkdir -p .local/bin; printf 'echo own' >.local/bin/own; chmod +x .local/bin/own" },
      options,
    );
    assert.equal((await at.exec({ command: "own" }, options)).output, "own\n");
    if ((await at.exec({ command: "command -v git" }, options)).output === "") return test.skip("there is no git");
    const commit = "git commit -q --allow-empty -m x && git log -1 --format='%an <%ae>'";
    const first = await at.exec({ command: `git init -q g && cd g && ${commit}` }, options);
    assert.equal(first.output, 'Ada "A" B <ada@example.org>\n');
    const second = await at.exec({ command: `cd g && git config user.name Bob && ${commit}` }, options);
    assert.equal(second.output, "Bob <ada@example.org>\n");
  });

  it("gives a command of the shell variables of its own, unless the shell has them", async () => {
    const at = await open("variables");
    const given = { ...options, variables: { A: `it's "x" $(id)` } };
    const told = `${given.variables.A}\n`;
    const show = `echo "$A"; sh -c 'echo "$A"'`;
    assert.equal((await at.run(show, given)).output, `${told}${told}`);
    assert.equal((await at.run("echo [$A]", options)).output, "[]\n");
    const both = await Promise.all([at.run(`sleep 0.2; ${show}`, given), at.run(show, given)]);
    assert.deepEqual(
      both.map(({ output }) => output),
      [`${told}${told}`, `${told}${told}`],
    );
    await at.run("export A=mine", options);
    assert.equal((await at.run(show, given)).output, "mine\nmine\n");
    await assert.rejects(at.run("true", { ...options, variables: { LD_PRELOAD: "x" } }), /LD_PRELOAD/);
  });

  it("runs commands of the shell at the same time, each from its folder and variables", async () => {
    const at = await open("beside");
    await at.run("mkdir in && cd in && V='a\nb' && export W=\"it's\"", options);
    const meet = (own: string, other: string) =>
      at.run(`touch ${own}; until [ -e ${other} ]; do sleep 0.02; done; pwd; echo "$W"; cd ..; W=${own}`, options);
    const all = await Promise.all([meet("1", "2"), meet("2", "3"), meet("3", "1")]);
    assert.deepEqual(
      all.map(({ output, end, isNewShell }) => [output, end, isNewShell]),
      all.map(() => [`${at.folder}/in\nit's\n`, { kind: "exit", code: 0 }, false]),
    );
    const first = at.run("until [ -e ended ]; do sleep 0.02; done; cd /; V=changed", options);
    const others = Array.from({ length: 4 }, (_, n) =>
      at.run(`${n === 0 ? "touch ended; " : ""}pwd; echo "$V"`, options),
    );
    const seen = (await Promise.all([first, ...others])).slice(1).map(({ output }) => output);
    assert.deepEqual(
      seen,
      others.map(() => `${at.folder}\na\nb\n`),
      "as it was before, however late they begin",
    );
    await at.run(`cd ${at.folder}`, options);
    const after = await at.run('pwd; echo "$W$V"', options);
    assert.equal(after.output, `${at.folder}\n1changed\n`, "the first one was the session's");
    const stop = new AbortController();
    const stopped = [
      at.run(`sleep 44.${own}`, options),
      at.run(`sleep 45.${own}`, { ...options, signal: stop.signal }),
    ];
    stop.abort();
    assert.deepEqual((await stopped[1])?.end, { kind: "aborted" });
    await opened().close("telegram:beside");
    assert.notEqual((await stopped[0])?.end.kind, "exit");
    for (const seconds of ["44", "45"]) await noneRuns(await open("beside"), seconds);
  });
}
