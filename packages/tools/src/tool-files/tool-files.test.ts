import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { call, contextOf } from "../testing/tool-call.ts";
import { createToolFiles, type ToolFiles } from "./create-tool-files.ts";

const none: ReadonlySet<string> = new Set();
let folder = "";
let files: ToolFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tool-files-"));
  files = createToolFiles({ folder, clock: systemClock, log: silentLog, patienceMs: 600_000 });
});

afterEach(async () => {
  await files.stop();
  assert.deepEqual(await processes(), [], "nothing is left running");
  await rm(folder, { recursive: true });
});

let changes = 0;

/** Writes a file, with a time of its own: the clock of the file system may stand still between two writes. */
async function put(name: string, text: string): Promise<void> {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), text);
  changes += 1;
  await utimes(join(folder, name), 1_700_000_000, 1_700_000_000 + changes);
}

function toolText(name: string, run: string, more = ""): string {
  return `export default { name: "${name}", description: "It is ${name}.", input: { type: "object" }, effect: "read", ${more}
  async run(input: any, context: any): Promise<unknown> { ${run} } };`;
}

async function named(name: string) {
  const tool = (await files.tools(none)).find((one) => one.name === name);
  assert.ok(tool, `${name} is there: ${JSON.stringify(files.problems)}`);
  return tool;
}

/** Processes of this machine that were started for the folder. */
async function processes(): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((id) => /^\d+$/.test(id));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "latin1").catch(() => "")));
  return lines.filter((line) => line.includes(`--allow-fs-read=${folder}/`));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 6_000; !(await isSo()); left -= 1) {
    assert.ok(left > 0, "it never was so");
    await systemClock.sleep(20);
  }
}

describe("a tool file", () => {
  it("is a tool: with zod, other files of its folder, and what TypeScript erases", async () => {
    await put("lib/double.ts", "export const double = (n: number): number => n * 2;");
    await put(
      "twice.ts",
      `import { z } from "zod"; import { double } from "./lib/double.ts";
       interface Input { n: number; unit: string }
       export default { name: "twice", description: "Doubles.", effect: "read",
         input: z.object({ n: z.number().refine((n) => n !== 13, "no luck"), unit: z.string().default("m") }),
         run: ({ n, unit }: Input) => double(n) + unit };`,
    );
    const tool = await named("twice");
    assert.deepEqual([tool.effect, tool.permissions, tool.description], ["read", [], "Doubles."]);
    assert.equal((await call(tool, { n: 21 }, contextOf())).content, "42m");
    assert.equal(tool.input.safeParse({ n: "21" }).success, false);
    await assert.rejects(call(tool, { n: 13 }, contextOf()), /the arguments are not valid.*no luck/s);
  });

  it("gives text, a result, or anything else as JSON, and fails with what it throws", async () => {
    await put("forms.ts", toolText("forms", "if (input.fail) throw new Error('went wrong'); return input.give;"));
    const forms = await named("forms");
    assert.equal((await call(forms, { give: { a: [1] } }, contextOf())).content, '{"a":[1]}');
    const told = await call(forms, { give: { content: "x", untrusted: true } }, contextOf());
    assert.deepEqual(told, { content: "x", untrusted: true });
    assert.equal((await call(forms, {}, contextOf())).content, "Done.");
    await assert.rejects(call(forms, { fail: true }, contextOf()), /^GatewayError: went wrong$/);
  });

  it("hears that its call was stopped, and shows how far it is", async () => {
    const wait = "await new Promise((done) => context.signal.addEventListener('abort', done)); ";
    await put("slow.ts", toolText("slow", `context.progress('begun'); ${wait} throw new Error('heard it');`));
    const stop = new AbortController();
    const running = call(await named("slow"), {}, contextOf({ signal: stop.signal, progress: () => stop.abort() }));
    await assert.rejects(running, /heard it/);
  });
});

describe("a broken tool file", () => {
  it("is reported and skipped, and the others work", async () => {
    await put("good.ts", toolText("good", "return 'fine'"));
    await put("syntax.ts", "export default {");
    await put("empty.ts", "export const nothing = 1;");
    await put("throws.ts", "throw new Error('at import');");
    await put("exits.ts", "process.exit(3);");
    await put("other.ts", toolText("another", ""));
    await put("unknown.ts", toolText("unknown", "", "efect: 1,"));
    await put("writes.ts", toolText("writes", "", 'handles: { files: "write" },'));
    await put("address.ts", toolText("address", "", 'handles: { fetch: ["https://a.example/v1"] },'));
    await put("schema.ts", toolText("schema", "", "input: { type: 'string' },"));
    await put("enum.ts", "enum A { B }; export default A;");
    await put("no good name.ts", "");
    await put("notes.md", "no tool");
    await put("types.d.ts", "no tool");
    await put("good.test.ts", "no tool");
    assert.deepEqual(
      (await files.tools(none)).map(({ name }) => name),
      ["good"],
    );
    const reasons = new Map(files.problems.map(({ file, problem }) => [file, problem]));
    const expected: Readonly<Record<string, RegExp>> = {
      "syntax.ts": /Expected|Unexpected/,
      "empty.ts": /no `export default/,
      "throws.ts": /^at import$/,
      "exits.ts": /exit code 3/,
      "other.ts": /name: expected "other"/,
      "unknown.ts": /efect/,
      "writes.ts": /needs `effect: "write"`/,
      "address.ts": /a path ends with \//,
      "schema.ts": /input/,
      "enum.ts": /enum/,
      "no good name.ts": /its name can't be a tool's/,
    };
    assert.deepEqual([...reasons.keys()].sort(), Object.keys(expected).sort());
    for (const [file, text] of Object.entries(expected)) assert.match(reasons.get(file) ?? "", text, file);
    assert.equal((await call(await named("good"), {}, contextOf())).content, "fine");
  });

  it("is one whose name another tool has", async () => {
    await put("terminal.ts", toolText("terminal", "return 'mine'"));
    assert.deepEqual(await files.tools(new Set(["terminal"])), []);
    assert.match(files.problems[0]?.problem ?? "", /another tool is called so/);
  });
});

describe("a tool file that changes", () => {
  it("is another tool in the next list, and leaves a list that was given as it is", async () => {
    await put("lib/word.ts", "export const word = 'old';");
    const text = (description: string) =>
      `import { word } from "./lib/word.ts";\n${toolText("word", "return word").replace("It is word.", description)}`;
    await put("word.ts", text("First."));
    const first = await named("word");
    assert.equal(await named("word"), first, "unchanged, it is the very same");
    assert.equal((await call(first, {}, contextOf())).content, "old");
    await put("lib/word.ts", "export const word = 'new';");
    assert.equal((await call(first, {}, contextOf())).content, "old");
    assert.equal((await call(await named("word"), {}, contextOf())).content, "new");
    await put("word.ts", text("Second."));
    const second = await named("word");
    assert.equal(second.description, "Second.");
    assert.equal((await call(second, {}, contextOf())).content, "new");
    await assert.rejects(call(first, {}, contextOf()), /the file of this tool has changed.*Nothing was done/);
    await put("word.ts", "broken (");
    assert.deepEqual(await files.tools(none), []);
    await put("word.ts", text("Third."));
    assert.equal((await named("word")).description, "Third.");
    await rm(join(folder, "word.ts"));
    assert.deepEqual([await files.tools(none), files.problems], [[], []]);
  });
});

describe("the process of a tool file", () => {
  it("has next to no environment, and neither files, programs, nor the network of its own", async () => {
    const trials = [
      "(await import('node:fs')).readFileSync('/etc/passwd')",
      "(await import('node:child_process')).spawnSync('id')",
      "(await import('node:net')).connect(1)",
      "await import('/etc/passwd')",
      "process.getBuiltinModule('fs').readFileSync('/etc/passwd')",
      "await fetch('http://127.0.0.1:1')",
      "process.kill(process.ppid, 0)",
      "context.files.read('a')",
      "await context.fetch('https://a.example/')",
    ];
    const tried = trials.map(
      (trial) => `try { ${trial}; got.push(${JSON.stringify(trial)}); } catch (error) { why.push(error.message); }`,
    );
    await put(
      "try.ts",
      toolText(
        "try",
        `const got: string[] = [], why: string[] = []; ${tried.join("\n")}; return { got, why, env: Object.keys(process.env).filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)) };`,
      ),
    );
    const { got, why, env } = JSON.parse((await call(await named("try"), {}, contextOf())).content) as Record<
      string,
      string[]
    >;
    assert.deepEqual(got, []);
    assert.deepEqual(env?.sort(), ["LANG", "PATH"]);
    assert.match(why?.at(-1) ?? "", /context.fetch is not declared: add `handles: \{ fetch/);
  });

  it("is begun anew after it has crashed, and others don't notice", async () => {
    await put("calm.ts", toolText("calm", "return 'calm'"));
    await put(
      "wild.ts",
      toolText(
        "wild",
        "if (input.how === 'later') setTimeout(() => { throw new Error('boom'); }); else if (input.how === 'exit') process.exit(0); else return 'alive'; await new Promise(() => {});",
        'effect: "write",',
      ),
    );
    const [calm, wild] = [await named("calm"), await named("wild")];
    await assert.rejects(
      call(wild, { how: "later" }, contextOf()),
      /its process crashed: boom. It may have taken effect/,
    );
    await assert.rejects(call(wild, { how: "exit" }, contextOf()), /ended with exit code 0/);
    assert.equal((await call(wild, {}, contextOf())).content, "alive");
    assert.equal((await call(calm, {}, contextOf())).content, "calm");
  });

  it("is ended when it takes too much memory", async () => {
    await put(
      "heap.ts",
      toolText("heap", "const all: unknown[] = []; for (;;) all.push(new Array(100_000).fill(all.length));"),
    );
    await assert.rejects(call(await named("heap"), {}, contextOf()), /ran out of memory|exit code/);
    await put(
      "bytes.ts",
      toolText("bytes", "const all: unknown[] = []; for (;;) all.push(Buffer.alloc(50_000_000, 1));"),
    );
    await assert.rejects(call(await named("bytes"), {}, contextOf()), /memory|exit code|allocation/i);
  });

  it("is ended when it floods, or answers with too much", async () => {
    await put(
      "flood.ts",
      toolText("flood", "for (;;) { context.progress('more'); await new Promise((next) => setImmediate(next)); }"),
    );
    await assert.rejects(call(await named("flood"), {}, contextOf()), /more than 20000 lines without a result/);
    await put("long.ts", toolText("long", "return 'x'.repeat(2_000_000)"));
    await assert.rejects(call(await named("long"), {}, contextOf()), /more than 1000000 characters/);
    await put(
      "chatty.ts",
      toolText("chatty", "for (let n = 0; n < 20_000; n += 1) console.log('printed'); return 'fine'"),
    );
    assert.equal((await call(await named("chatty"), {}, contextOf())).content, "fine");
  });

  it("is ended when a stopped call does not end, also in an endless loop", async () => {
    await put("loop.ts", toolText("loop", "if (input.go) for (;;) {} return 'here'"));
    const loop = await named("loop");
    const stop = new AbortController();
    const running = call(loop, { go: true }, contextOf({ signal: stop.signal }));
    await until(async () => (await processes()).length > 0);
    stop.abort();
    await assert.rejects(running, /did not end a call that was stopped/);
    assert.equal((await call(loop, {}, contextOf())).content, "here");
  });

  it("ends when nobody calls it", async () => {
    await files.stop();
    files = createToolFiles({ folder, clock: systemClock, log: silentLog, patienceMs: 600_000, idleMs: 50 });
    await put("rare.ts", toolText("rare", "return 'rare'"));
    const rare = await named("rare");
    assert.equal((await call(rare, {}, contextOf())).content, "rare");
    await until(async () => (await processes()).length === 0);
    assert.equal((await call(rare, {}, contextOf())).content, "rare");
  });
});

it("nothing of a tool file outlives a worker that is killed", async () => {
  await put("loop.ts", toolText("loop", "console.error('begun'); for (;;) {}"));
  const program = join(import.meta.dirname, "..", "testing", "tool-files-process.ts");
  const worker = spawn(process.execPath, [program, folder, "loop"], { stdio: ["ignore", "pipe", "inherit"] });
  const [first] = (await Promise.race([once(worker.stdout, "data"), once(worker, "exit")])) as [unknown];
  assert.equal(String(first), "begun\n");
  assert.ok((await processes()).length > 0);
  worker.kill("SIGKILL");
  await until(async () => (await processes()).length === 0);
});
