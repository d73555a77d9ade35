import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ToolContext, Workspace } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import { createSandbox, type Sandbox } from "@talaria/sandbox";
import { createToolsets } from "@talaria/tools";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";

const place = { conversation: { kind: "direct", platform: "web" }, role: "owner" } as const;

const skip = skipWithoutPeers(process.env.CI);

describe("the tools of files and terminal behind bubblewrap", { skip }, () => {
  let base: string;
  let sandbox: Sandbox;
  let workspace: Workspace;
  const tools = new Map(createToolsets({ workspace: true })(place).map((tool) => [tool.name, tool]));

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "talaria-tools-"));
    await chmod(base, 0o711);
    sandbox = createSandbox({ backend: "sandbox", folder: base }, { clock: systemClock, log: silentLog });
    assert.deepEqual((await sandbox.start()).reasons, []);
    workspace = await sandbox.open("a");
  });
  after(async () => {
    await sandbox?.stop();
    await rm(base, { recursive: true, force: true });
  });

  async function ask(name: string, input: object): Promise<string> {
    const tool = tools.get(name);
    assert.ok(tool, name);
    const call: ToolContext["call"] = async (name, args) => {
      const content = await ask(name, args as object);
      return { kind: "tool.result", callId: "", name, content, isError: false };
    };
    const askers = { requesters: [], roles: new Map() };
    const context = { workspace, call, idempotencyKey: "key", signal: AbortSignal.timeout(60_000), ...askers };
    const answer = await tool.execute(tool.input.parse(input), context as unknown as ToolContext);
    assert.ok("content" in answer);
    return answer.content;
  }

  it("write, read, change and find one file, by either of its paths", async () => {
    assert.match(
      await ask("write_file", { path: "src/a.ts", content: "const one = 1;\nexport { one };\n" }),
      /31 bytes/,
    );
    const absolute = `${workspace.folder}/src/a.ts`;
    assert.match(
      await ask("edit_file", { path: absolute, oldText: "one = 1", newText: "one = 11" }),
      /\+const one = 11;/,
    );
    assert.match(
      await ask("read_file", { path: "src/a.ts" }),
      /lines 1 to 2 \(the last\)[\s\S]* {5}1\tconst one = 11;/,
    );
    assert.equal(await ask("read_file", { path: "src" }), "src is a folder:\na.ts  32 bytes");
    assert.equal(await ask("search_files", { pattern: "= 1+;" }), "./src/a.ts:1:const one = 11;");
    assert.equal(await ask("search_files", { glob: "*.ts" }), "./src/a.ts");
    assert.match(
      await ask("terminal", { command: "cat src/a.ts; wc -l < src/a.ts" }),
      /^const one = 11;\n[^\n]*\n2\n\[exit code 0/,
    );
  });

  it("keep the shell, and look after processes, also those that a command became which took long", async () => {
    await ask("terminal", { command: "cd src && name=Ada" });
    assert.match(
      await ask("terminal", { command: 'echo "$name in $(basename "$PWD")"' }),
      /^Ada in src\n\[exit code 0/,
    );
    const late = await ask("terminal", { command: "sleep 3744", timeoutSeconds: 1 });
    const [, own] = /it goes on in the background as (p\d+)\./.exec(late) ?? [];
    assert.match(
      await ask("terminal", { command: 'echo "$name"; seq 1 20000' }),
      /^Ada\n1\n[\s\S]*all of it is in .output\/1.log/,
    );
    assert.equal(
      await ask("search_files", { pattern: "^1234.$", path: ".output" }).then((text) => text.split("\n").length),
      10,
    );
    assert.match(await ask("process", { action: "kill", id: own }), /ended by signal SIGKILL/);
    const started = await ask("process", { action: "start", command: "read line; echo got $line; exit 4" });
    const id = /^(\S+) /.exec(started)?.[1];
    assert.match(
      await ask("process", { action: "write", id, text: "hello\n", waitSeconds: 30 }),
      /exit code 4[^\n]*\ngot hello$/,
    );
  });

  it("are called by code that runs there", async () => {
    const python =
      'call("write_file", path="b.txt", content="from python")\nprint(call("read_file", path="b.txt")[-11:])';
    assert.match(await ask("execute_code", { language: "python", code: python }), /^from python\n\[exit code 0/);
    const node = 'console.log((await call("search_files", { pattern: "python" })).trim());';
    assert.match(await ask("execute_code", { language: "node", code: node }), /^.\/b.txt:1:from python\n\[exit code 0/);
    assert.equal(await ask("terminal", { command: "ls -A" }).then((text) => text.includes(".calls-")), false);
  });

  it("reach nothing outside of the workspace", async () => {
    for (const path of ["/etc/passwd", "../x", `${base}/../x`]) {
      await assert.rejects(ask("read_file", { path }));
      await assert.rejects(ask("write_file", { path, content: "x" }));
    }
    await ask("terminal", { command: "ln -sf /etc out" });
    await assert.rejects(ask("read_file", { path: "out/passwd" }));
    await assert.rejects(ask("edit_file", { path: "out/passwd", oldText: "root", newText: "x" }));
  });
});
