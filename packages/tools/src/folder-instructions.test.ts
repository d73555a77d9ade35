import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import {
  instructionsBlock,
  type ModelEvent,
  runTurn,
  type ToolResultEntry,
  type TranscriptEntry,
  type TurnInput,
} from "@talaria/agent";
import { brandAs, instantOf, silentLog, systemClock } from "@talaria/protocol";
import { createExecuteCode } from "./code/execute-code.ts";
import { fileTools } from "./files/index.ts";
import { terminalTools } from "./terminal/index.ts";
import { startLocalWorkspace } from "./testing/local-workspace.ts";

type Call = readonly [name: string, input: object];

const asked: TranscriptEntry = {
  kind: "user",
  eventId: brandAs("e1"),
  sender: { userId: brandAs("42"), role: "person", displayName: "Ada", assurance: "platform" },
  markdown: "work",
  attachments: [],
  at: instantOf(0),
};

/** Turns of one session, with real tools on a real folder. */
async function session() {
  const workspace = await startLocalWorkspace();
  const history: TranscriptEntry[] = [];
  let turns = 0;
  return {
    history,
    write: async (files: Readonly<Record<string, string>>) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(workspace.folder, path)), { recursive: true });
        await writeFile(join(workspace.folder, path), text);
      }
    },
    link: (to: string, path: string) => symlink(to, join(workspace.folder, path)),
    /** The results of the calls, each of one answer of the model, in one turn. */
    turn: async (calls: readonly (readonly Call[])[], more: Partial<TurnInput> = {}) => {
      turns += 1;
      const entries = await play(workspace, calls, { history: [...history], turnId: brandAs(`t${turns}`), ...more });
      history.push(...entries);
      return entries.filter((entry) => entry.kind === "tool.result");
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

async function play(
  workspace: Awaited<ReturnType<typeof startLocalWorkspace>>,
  calls: readonly (readonly Call[])[],
  more: Partial<TurnInput>,
): Promise<readonly TranscriptEntry[]> {
  let answered = 0;
  const journal: TranscriptEntry[] = [asked];
  const model = {
    async *stream(): AsyncGenerator<ModelEvent> {
      const now = calls[answered] ?? [];
      answered += 1;
      const toolCalls = now.map(([name, input], index) => {
        return { callId: `${String(more.turnId)}-${answered}-${index}`, name, arguments: JSON.stringify(input) };
      });
      const content = now.length === 0 ? "Done." : "";
      const stop = now.length === 0 ? "end" : "tool_calls";
      yield { type: "done", message: { role: "assistant", content, toolCalls }, stop, servedBy: "scripted" };
    },
  };
  const turn = runTurn(
    {
      turnId: brandAs("t"),
      sessionKey: brandAs("s"),
      system: "",
      shared: false,
      history: [],
      journal,
      tools: [...fileTools, ...terminalTools, createExecuteCode()],
      conversation: { accountId: brandAs("w"), platform: "web", conversationId: brandAs("c"), kind: "direct" },
      maxSteps: 20,
      maxOutputChars: 10_000,
      maxToolOutputChars: 5_000,
      windowTokens: 100_000,
      answerTokens: 8_000,
      showsInstructions: true,
      ...more,
    },
    {
      model,
      signal: new AbortController().signal,
      steering: async () => [],
      openWorkspace: async () => workspace,
      clock: systemClock,
      log: silentLog,
    },
  );
  for (;;) {
    const { done, value } = await turn.next();
    if (done) return [...journal, ...value.final];
    if (value.type === "journal") journal.push(...value.entries);
  }
}

const block = (path: string, text: string) =>
  instructionsBlock({ path, bytes: Buffer.from(text), size: Buffer.byteLength(text) }) ?? "";
const pathsIn = ({ content }: ToolResultEntry) =>
  [...content.matchAll(/<workspace_instructions path="([^"]+)">/g)].map(([, path]) => path);
const read = (path: string): Call => ["read_file", { path }];
const run = (command: string): Call => ["terminal", { command }];

describe("what folders say to agents", () => {
  it("comes once with the first result that touches their folder, outer folders first, and taints", async () => {
    await using here = await session();
    await here.write({
      "AGENTS.md": "use tabs",
      "repo/CLAUDE.md": "use make",
      "repo/src/AGENTS.md": "no globals",
      "repo/src/a.ts": "a",
      "repo/b.ts": "b",
      "other/AGENTS.md": "unread",
    });
    const results = await here.turn([[read("repo/src/a.ts")], [read("repo/b.ts")], [read("repo/src/a.ts")]]);
    assert.deepEqual(results.map(pathsIn), [["AGENTS.md", "repo/CLAUDE.md", "repo/src/AGENTS.md"], [], []]);
    const [first] = results;
    assert.ok(first?.content.endsWith(block("repo/src/AGENTS.md", "no globals")));
    assert.match(first?.content ?? "", /^repo\/src\/a.ts, lines[\s\S]*\n\n\[The workspace has files that say/);
    assert.deepEqual(
      results.map(({ untrusted }) => untrusted),
      [true, undefined, undefined],
    );
    assert.deepEqual((await here.turn([[read("repo/src/a.ts")]])).map(pathsIn), [[]]);
  });

  it("comes with a command, by the folder that it leaves the shell in, also of one just cloned", async () => {
    await using here = await session();
    const results = await here.turn([
      [run("mkdir -p repo/deep && echo 'use make' > repo/AGENTS.md")],
      [run("cd repo/deep && false")],
      [run("pwd")],
    ]);
    assert.deepEqual(results.map(pathsIn), [[], ["repo/AGENTS.md"], []]);
  });

  it("comes with what code and searches touch, and with a folder that is listed", async () => {
    await using here = await session();
    await here.write({ "a/AGENTS.md": "a", "b/AGENTS.md": "b", "c/AGENTS.md": "c", "a/x.txt": "x" });
    const results = await here.turn([
      [["execute_code", { language: "node", code: 'await call("read_file", { path: "a/x.txt" })' }]],
      [["search_files", { path: "b", pattern: "x" }]],
      [read("c")],
    ]);
    assert.deepEqual(results.map(pathsIn), [["a/AGENTS.md"], ["b/AGENTS.md"], ["c/AGENTS.md"]]);
  });

  it("comes again once it was changed, or is not shown any more, and not while the prompt has it", async () => {
    await using here = await session();
    await here.write({ "AGENTS.md": "use tabs", x: "x" });
    const system = `You are Talaria.\n\n${block("AGENTS.md", "use tabs")}`;
    assert.deepEqual((await here.turn([[read("x")]], { system })).map(pathsIn), [[]]);
    assert.deepEqual((await here.turn([[read("x")]])).map(pathsIn), [["AGENTS.md"]]);
    assert.deepEqual((await here.turn([[read("x")]])).map(pathsIn), [[]]);
    await here.write({ "AGENTS.md": "use spaces" });
    assert.deepEqual((await here.turn([[read("x")]])).map(pathsIn), [["AGENTS.md"]]);
    assert.deepEqual((await here.turn([[read("x")]], { history: [] })).map(pathsIn), [["AGENTS.md"]]);
  });

  it("comes once when two calls of one answer touch a folder", async () => {
    await using here = await session();
    await here.write({ "a/AGENTS.md": "a", "a/x": "x", "a/y": "y" });
    const results = await here.turn([[read("a/x"), read("a/y")]]);
    assert.equal(results.flatMap(pathsIn).length, 1);
  });

  it("is not told to whoever wrote it here, and failures bring nothing", async () => {
    await using here = await session();
    const results = await here.turn([
      [["write_file", { path: "AGENTS.md", content: "use tabs\n" }]],
      [read("no-such-file.txt")],
      [read("AGENTS.md")],
    ]);
    assert.deepEqual(results.map(pathsIn), [[], [], []]);
    assert.deepEqual(
      results.map(({ untrusted }) => untrusted),
      [undefined, undefined, undefined],
    );
  });

  it("is not looked for in hidden folders, in what is installed, and outside, also through a link", async () => {
    await using here = await session();
    await here.write({
      ".git/AGENTS.md": "a",
      ".git/x": "x",
      "node_modules/p/AGENTS.md": "b",
      "node_modules/p/x": "x",
    });
    await here.link("/etc/hostname", "AGENTS.md");
    const results = await here.turn([
      [read(".git/x")],
      [read("node_modules/p/x")],
      [run("cd /tmp && PWD=/etc/../../AGENTS.md")],
      [run("PWD=$'/x\\n3\\n'")],
    ]);
    assert.deepEqual(results.map(pathsIn), [[], [], [], []]);
  });

  it("comes with later results where one would get too much", async () => {
    await using here = await session();
    const long = (name: string) => `${name} some words here\n`.repeat(600);
    await here.write({ "AGENTS.md": long("a"), "b/AGENTS.md": long("b"), "b/c/AGENTS.md": long("c"), "b/c/x": "x" });
    const results = await here.turn([[read("b/c/x")], [read("b/c/x")], [read("b/c/x")], [read("b/c/x")]]);
    assert.deepEqual(results.map(pathsIn), [["AGENTS.md"], ["b/AGENTS.md"], ["b/c/AGENTS.md"], []]);
    assert.ok(results.every(({ content }) => content.length < 9_500));
  });

  it("is not read where the operator has switched it off", async () => {
    await using here = await session();
    await here.write({ "AGENTS.md": "use tabs", x: "x" });
    assert.deepEqual((await here.turn([[read("x")]], { showsInstructions: false })).map(pathsIn), [[]]);
  });
});
