import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  defineTool,
  type LaterNews,
  type ModelPort,
  runTurn,
  type Tool,
  type ToolResultEntry,
  type TurnDeps,
  type Workspace,
} from "@talaria/agent";
import { brandAs, instantOf, silentLog, systemClock } from "@talaria/protocol";
import { z } from "zod";
import { readFile } from "../files/read-file.ts";
import { startLocalWorkspace } from "../testing/local-workspace.ts";
import { call, contextOf } from "../testing/tool-call.ts";
import { createExecuteCode } from "./execute-code.ts";
import { OutputReader } from "./output-reader.ts";

const signal = new AbortController().signal;

const page = defineTool({
  name: "web_fetch",
  description: "A page.",
  effect: "read",
  permissions: ["net"],
  input: z.strictObject({ url: z.string() }),
  execute: async ({ url }) => ({ content: `page <note> of ${url}`, untrusted: true }),
});

/** Asks for one call, as a model does, in a real turn. */
function askingOnce(input: object): ModelPort {
  let asked = false;
  return {
    async *stream() {
      const toolCalls = asked ? [] : [{ callId: "c1", name: "execute_code", arguments: JSON.stringify(input) }];
      const stop = asked ? "end" : "tool_calls";
      asked = true;
      yield {
        type: "done",
        stop,
        servedBy: "m",
        message: { role: "assistant", content: stop === "end" ? "ok" : "", toolCalls },
      };
    },
  };
}

async function resultOf(input: object, more: Partial<TurnDeps> = {}, files: Readonly<Record<string, string>> = {}) {
  await using workspace = await startLocalWorkspace();
  for (const [name, text] of Object.entries(files)) await writeFile(join(workspace.folder, name), text);
  const tools = [createExecuteCode(), readFile, page].map(
    (tool): Tool => ({
      ...tool,
      execute: (given, context) => tool.execute(given, { ...context, workspace }),
    }),
  );
  const turn = runTurn(
    {
      turnId: brandAs("t"),
      sessionKey: brandAs("s"),
      system: "",
      shared: false,
      history: [],
      journal: [
        {
          kind: "user",
          eventId: brandAs("e"),
          sender: { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform" },
          markdown: "go",
          attachments: [],
          at: instantOf(0),
        },
      ],
      tools,
      conversation: { accountId: brandAs("a"), platform: "web", conversationId: brandAs("c"), kind: "direct" },
      maxSteps: 5,
      maxOutputChars: 10_000,
      maxToolOutputChars: 20_000,
      windowTokens: 5_000,
      answerTokens: 4_000,
    },
    { model: askingOnce(input), signal, steering: async () => [], clock: systemClock, log: silentLog, ...more },
  );
  let result: ToolResultEntry | undefined;
  for (let step = await turn.next(); !step.done; step = await turn.next()) {
    const entries = step.value.type === "journal" ? step.value.entries : [];
    result ??= entries.find((entry): entry is ToolResultEntry => entry.kind === "tool.result");
  }
  assert.ok(result);
  return { ...result, left: await readdir(workspace.folder) };
}

describe("execute_code", () => {
  it("runs Python that calls tools and works with their results, and leaves nothing behind", async () => {
    const code =
      'text = call("read_file", path="a.txt")\nprint(text.count("x"))\ntry:\n    call("read_file", path="no")\nexcept ToolError as e:\n    print("failed", "not exist" in str(e))';
    const { content, isError, untrusted, left } = await resultOf(
      { language: "python", code },
      {},
      { "a.txt": "x\nx\n" },
    );
    assert.match(content, /^3\nfailed True\n\[exit code 0, after [\d.]+ s; it called read_file 2 times\]$/);
    assert.deepEqual([isError, untrusted, left], [false, undefined, ["a.txt"]]);
  });

  it("runs Node.js with calls side by side, and marks what strangers' words went into", async () => {
    const code =
      'const all = await Promise.all([1, 2].map((n) => call("web_fetch", { url: "u" + n })));\nconsole.log(all.join("|"));';
    const { content, untrusted } = await resultOf({ language: "node", code });
    assert.match(content, /^<untrusted>\npage &lt;note> of u1\|page &lt;note> of u2\n\[exit code 0/);
    assert.equal(untrusted, true);
  });

  it("gives code the rights of the model and no more, also by what it has read", async () => {
    const code =
      'for url in ("a", "b"):\n    try:\n        print(call("web_fetch", url=url)[:4])\n    except ToolError as e:\n        print(e)\nfor name in ("execute_code", "terminal"):\n    try:\n        call(name)\n    except ToolError as e:\n        print(str(e)[:40])';
    const authorise: TurnDeps["authorise"] = ({ tool, journal }) => {
      const isTainted = journal.some((entry) => entry.kind === "tool.result" && entry.untrusted === true);
      if (tool.name !== "web_fetch" || !isTainted) return { decision: "allow" };
      return { decision: "ask", rule: "r", shown: "?", approver: "owner", expiresAt: instantOf(1) };
    };
    const { content } = await resultOf({ language: "python", code }, { authorise });
    assert.match(content, /\n?page\nError: not run\. Somebody would have to approve/);
    assert.match(content, /Error: code may not call execute_code; i\nError: code may not call terminal; it ma\n/);
  });

  it("lets all that it prints, but for its calls, lie in a file when that is much", async () => {
    const code = 'print("x" * 30_000)\ntext = call("read_file", path="a.txt")\nprint("end")';
    const { content, left } = await resultOf({ language: "python", code }, {}, { "a.txt": "x\n" });
    assert.match(content, /end\n\[exit code 0, [^\n]*; it called read_file; all of it is in .output\/1.log\]$/);
    assert.deepEqual(left, [".output", "a.txt"]);
  });

  it("lets code go that makes no calls, and clears up at its end", async () => {
    const of = (code: string) =>
      createExecuteCode().canBeLetGo?.(createExecuteCode().input.parse({ language: "python", code }));
    assert.deepEqual([of("print(1)"), of('call("read_file", path="a")')], [true, false]);
    await using workspace = await startLocalWorkspace();
    const leaving = new AbortController();
    const news: LaterNews[] = [];
    const code =
      "import os, time, builtins\nprint('begun', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.05)\ntry: getattr(builtins, 'ca' + 'll')('read_file')\nexcept ToolError as e: print(e)\nprint('ended')";
    const begun = Promise.withResolvers<void>();
    const exec: Workspace["exec"] = (command, { whole, ...options }) => {
      if (typeof whole !== "function") return workspace.exec(command, options);
      const seen = (text: string) => {
        if (text.includes("begun")) begun.resolve();
        return whole(text);
      };
      return workspace.exec(command, { ...options, whole: seen });
    };
    const context = contextOf({
      ...{ workspace: { ...workspace, exec }, letGo: leaving.signal },
      tellLater: (one: LaterNews) => void news.push(one),
      call: async () => assert.fail("no calls"),
    });
    const running = call(createExecuteCode(), { language: "python", code }, context);
    await begun.promise;
    leaving.abort();
    const { content, later } = await running;
    assert.match(content, /^begun\n\[goes on in the background, after .*\n\[still running after .* as p1\./);
    assert.equal(later?.waitsFor, "process");
    await workspace.write("go", Buffer.from(""));
    await news[0]?.ended;
    assert.match(
      news[0]?.content() ?? "",
      /^p1 {2}exit code 0 [\s\S]*\nbegun\n[\s\S]*Error: not run: the code goes on in the background[\s\S]*\nended$/,
    );
    // A folder that goes away while it is listed is to be listed again.
    const names = async () => (await workspace.list(".", 20).catch(() => undefined))?.map(({ name }) => name);
    while ((await names())?.some((name) => name.startsWith(".calls")) ?? true) await systemClock.sleep(20);
  });

  it("ends calls at fifty, and code at its time", async () => {
    const many =
      'n = 0\ntry:\n    while True:\n        call("web_fetch", url="u")\n        n += 1\nexcept ToolError as e:\n    print(n, e)';
    assert.match(
      (await resultOf({ language: "python", code: many })).content,
      /50 Error: not run. Code makes at most 50 calls/,
    );
    const slow = await resultOf({
      language: "python",
      code: "import time\nprint('begun')\ntime.sleep(60)",
      timeoutSeconds: 1,
    });
    assert.match(slow.content, /^begun\n\[killed with all it had started: its time was up/);
  });
});

describe("the reader of what code prints", () => {
  it("finds requests however the text is cut, and keeps beginning and end of the rest", () => {
    const text = `one\n\n\nMARK 1\ntwo MARK 9\n${"x".repeat(30_000)}\nMARK 22\nend`;
    for (const size of [1, 3, 7, 1_000, 100_000]) {
      const numbers: number[] = [];
      const reader = new OutputReader("MARK", (number) => numbers.push(number));
      for (let at = 0; at < text.length; at += size) reader.add(text.slice(at, at + size));
      const kept = reader.end();
      assert.deepEqual(numbers, [1, 22]);
      assert.match(kept.text, /^one\n\ntwo MARK 9\nx+\n\[\d+ characters left out\]\nx+\nend$/);
      assert.ok(kept.text.length < 16_100);
    }
  });
});
