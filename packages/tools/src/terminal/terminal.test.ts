import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LaterNews, Tool } from "@talaria/agent";
import { isGatewayError, systemClock } from "@talaria/protocol";
import { searchFiles } from "../files/search-files.ts";
import { startLocalWorkspace } from "../testing/local-workspace.ts";
import { call, contextOf } from "../testing/tool-call.ts";
import { plainOutput } from "./command-report.ts";
import { processTool } from "./process.ts";
import { terminal } from "./terminal.ts";

async function world() {
  const workspace = await startLocalWorkspace();
  const context = contextOf({ workspace });
  return {
    workspace,
    context,
    run: async (command: string, more: object = {}, signal = context.signal) =>
      (await call(terminal, { command, ...more }, { ...context, signal })).content,
    process: async (input: object) => (await call(processTool, input, context)).content,
    waitFor: async (name: string) => {
      while (!(await workspace.list(".", 100)).some((file) => file.name === name)) await systemClock.sleep(20);
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

describe("terminal", () => {
  it("keeps folder and variables from one command to the next, and tells the exit code", async () => {
    await using here = await world();
    assert.match(
      await here.run("mkdir sub && cd sub && x=7"),
      /^\(no output\)\n\[exit code 0, after \d+\.\d s\]\n\[a new shell/,
    );
    const second = await here.run('echo "$x in $(basename "$PWD")"; echo oh >&2; false');
    assert.match(second, /^7 in sub\noh\n\[exit code 1, after \d+\.\d s\]$/);
  });

  it("lets a command go on when its time is up, and kills it when the turn is stopped", async () => {
    await using here = await world();
    await here.run("mkdir sub && cd sub && x=7");
    const first = await here.run("echo begun; until [ -e go ]; do sleep 0.05; done; echo ended", {
      timeoutSeconds: 1,
    });
    assert.match(first, /^begun\n\[still running after \d\.\d s: it goes on in the background as p1\./);
    assert.doesNotMatch(await here.run('[ "$x" = 7 ] && touch go'), /new shell/);
    const later = await here.process({ action: "output", id: "p1", waitSeconds: 30 });
    assert.match(later, /^p1 {2}exit code 0 [\s\S]*\nbegun\nended$/);
    const stop = new AbortController();
    const second = here.run("echo begun; sleep 987", {}, stop.signal);
    stop.abort();
    assert.match(await second, /killed with all it had started: the call was stopped/);
    assert.match(await here.run("true"), /a new shell/);
  });

  it("lets a command go when somebody has written, tells its end once, and ends it with its turn", async () => {
    await using here = await world();
    const news: LaterNews[] = [];
    const letGoOnce = async (tool: Tool, input: object) => {
      const leaving = new AbortController();
      const context = { ...here.context, letGo: leaving.signal, tellLater: (one: LaterNews) => void news.push(one) };
      const result = call(tool, input, context);
      await here.waitFor("begun");
      leaving.abort();
      return await result;
    };
    const build = "touch begun; echo 40 %; until [ -e go ]; do sleep 0.05; done; echo built";
    const first = await letGoOnce(terminal, { command: build });
    assert.match(
      first.content,
      /^40 %\n\[still running after \d+\.\d s: somebody has written, so it goes on .* as p1\. /,
    );
    assert.deepEqual([first.later?.waitsFor, first.did?.[0]?.kind], ["process", "ran"]);
    const waits = await letGoOnce(processTool, { action: "output", id: "p1", waitSeconds: 60 });
    assert.match(waits.content, /^p1 {2}running[\s\S]*\n40 %$/);
    await here.run("rm begun; touch go");
    await news[0]?.ended;
    assert.match(news[0]?.content() ?? "", /^p1 {2}exit code 0 [\s\S]*\n40 %\nbuilt$/);
    await letGoOnce(terminal, { command: "touch begun; sleep 987" });
    await news[1]?.stop?.();
    assert.match(await here.process({ action: "list" }), /\np2 {2}ended by signal SIGKILL/);
    assert.equal(news.length, 2);
  });

  it("keeps commands in line that another may build on, and runs others at the same time", async () => {
    const of = (command: string) => terminal.leavesNothing?.(terminal.input.parse({ command }));
    assert.deepEqual([of("sleep 2"), of("cd sub")], [true, false]);
    await using here = await world();
    const meet = (own: string, other: string) =>
      here.run(`touch ${own}; until [ -e ${other} ]; do sleep 0.02; done; echo ${own}`);
    const both = await Promise.all([meet("a", "b"), meet("b", "a")]);
    assert.match(both.join(), /^a\n\[exit code 0[\s\S]*,b\n\[exit code 0/);
  });

  it("shows beginning and end of much output, without colours", async () => {
    await using here = await world();
    const content = await here.run("printf '\\033[31mred\\033[0m'; seq 1 20000");
    assert.match(content, /^red1\n2\n/);
    assert.match(
      content,
      /20000\n\[exit code 0[^\n]*\n\[a new shell[^\n]*\n\[\d+ characters from the middle of the output are left out; all of it is in .output\/1.log\]$/,
    );
    assert.ok(content.length < 17_000);
    const found = await call(searchFiles, { pattern: "^1000\\d$", path: ".output/1.log" }, here.context);
    assert.equal(found.content.split("\n").length, 10);
    assert.equal((await call(searchFiles, { pattern: "^10001$" }, here.context)).content, "Nothing found.");
    const printed = await here.process({ action: "start", command: "seq 1 9000", waitSeconds: 30 });
    assert.match(printed, /\n\[\d+ characters came before; all of it is in .output\/2.log\]\n/);
    assert.equal(plainOutput("10%\r50%\r100%\nok\u001b]0;title\u0007\r\n"), "100%\nok");
  });

  it("says so where there is no workspace", async () => {
    await assert.rejects(call(terminal, { command: "true" }, contextOf()), (error) =>
      isGatewayError(error, "unsupported"),
    );
  });
});

describe("process", () => {
  it("starts, lists, feeds, reads and kills", async () => {
    await using here = await world();
    assert.match(await here.process({ action: "list" }), /no processes/);
    assert.match(await here.process({ action: "start", command: "cat" }), /^p1 {2}running {2}cat\n\(no output\)$/);
    await here.process({ action: "write", id: "p1", text: "hello\n" });
    const done = await here.process({ action: "start", command: "echo out; exit 3", waitSeconds: 30 });
    assert.equal(done, "p2  exit code 3  echo out; exit 3\nout");
    assert.match(await here.process({ action: "output", id: "p1", waitSeconds: 1 }), /\nhello$/);
    assert.match(await here.process({ action: "kill", id: "p1" }), /^p1 {2}ended by signal SIGKILL/);
    await assert.rejects(here.process({ action: "write", id: "p1", text: "x" }), /p1 has ended/);
    assert.match(await here.process({ action: "list" }), /^p1 {2}ended.*\np2 {2}exit code 3/);
  });

  it("names what is missing and what is there", async () => {
    await using here = await world();
    await assert.rejects(here.process({ action: "start" }), /start needs command/);
    await assert.rejects(here.process({ action: "kill" }), /kill needs id/);
    await assert.rejects(here.process({ action: "output", id: "p9" }), /no process has the id "p9"; there are none/);
    for (let number = 0; number < 3; number += 1) await here.process({ action: "start", command: "sleep 987" });
    await assert.rejects(here.process({ action: "start", command: "true" }), /3 background processes run already/);
  });

  it("tells how a process ended, unless the model has ended it or read of it", async () => {
    await using here = await world();
    const news: LaterNews[] = [];
    const context = contextOf({ workspace: here.workspace, tellLater: (one) => news.push(one) });
    const start = (command: string, more: object = {}) =>
      call(processTool, { action: "start", command, tell: true, ...more }, context);
    const began = await start("read line; echo said $line; exit 4");
    assert.match(began.content, /^p1 {2}running[\s\S]*\[You will be told when it ends\.\]$/);
    assert.deepEqual(
      [began.later?.waitsFor, began.later?.shown],
      ["process", "p1  running  read line; echo said $line; exit 4"],
    );
    await here.process({ action: "write", id: "p1", text: "hello\n" });
    await start("sleep 987");
    await here.process({ action: "kill", id: "p2" });
    await Promise.all(news.map(({ ended }) => ended));
    assert.deepEqual(news[1]?.content(), undefined);
    assert.match(news[0]?.content() ?? "", /^p1 {2}exit code 4 .*\nsaid hello$/);
    const done = await start("true", { waitSeconds: 30 });
    assert.deepEqual([done.later, news.length], [undefined, 2]);
    await assert.rejects(here.process({ action: "start", command: "true", tell: true }), /leave out tell/);
  });

  it("reads and feeds different processes side by side, and starts alone", () => {
    const of = (input: object) => processTool.resources?.(processTool.input.parse(input));
    assert.deepEqual(of({ action: "kill", id: "p1" }), ["process:p1"]);
    assert.equal(of({ action: "start", command: "x" }), undefined);
  });
});
