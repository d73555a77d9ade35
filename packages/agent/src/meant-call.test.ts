import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { defineTool } from "./index.ts";
import { meantCall } from "./meant-call.ts";
import { calls, play, resultsOf, says, scriptedModel, tool, turnDeps, turnInput } from "./turn.fixture.ts";

const tools = new Map(
  ["read_file", "web_fetch", "mcp_a_b", "mcp_ab"].map((name) => [name, tool(name, "read", () => "x")]),
);

function meant(name: string): string {
  return meantCall({ callId: "c", name, arguments: "{}" }, tools).name;
}

describe("a tool's name that is nearly right", () => {
  for (const name of [
    ...["ReadFile", "readFile", "read-file", "READ_FILE", "functions.read_file", "default_api:read_file"],
    ...["read_files", "raed_file", "reed_file", "functions.readfile2"],
  ])
    it(`is repaired: ${name}`, () => assert.equal(meant(name), "read_file"));

  for (const name of [
    "",
    "read",
    "raed",
    "heed_file",
    "functions.",
    "mcpab",
    "mcp.ab",
    "__proto__",
    "x".repeat(100_000),
  ])
    it(`is left alone where it names none, or two: ${name.slice(0, 20)}`, () => assert.equal(meant(name), name));

  it("is never taken for another where it is right", () => assert.equal(meant("mcp_ab"), "mcp_ab"));
});

describe("another agent's name for a tool", () => {
  const ofType = (name: string, input: z.ZodObject, isForeign = false) => {
    const made = defineTool({
      ...{ name, description: name, effect: "write", permissions: [] },
      input,
      execute: async () => ({ content: "" }),
    });
    return [name, isForeign ? { ...made, isForeign: true as const } : made] as const;
  };
  const text = z.string();
  const offered = new Map([
    ofType("terminal", z.strictObject({ command: text, timeoutSeconds: z.int().default(60) })),
    ofType("read_file", z.strictObject({ path: text })),
    ofType("write_file", z.strictObject({ path: text, content: text })),
    ofType("search_files", z.strictObject({ pattern: text.optional(), path: text.default(".") })),
    ofType("mcp_github_issue", z.looseObject({}), true),
  ]);
  const meantBy = (name: string, input: unknown, tools = offered) =>
    meantCall({ callId: "c", name, arguments: JSON.stringify(input) }, tools).name;

  for (const name of [
    ...["terminl", "terminals", "Termianl", "run_terminal", "run_terminal_cmd", "Bash", "shell", "execute_command"],
    ...["run_command", "functions.execute_bash", "run_shell_command", "run_in_terminal"],
  ])
    it(`is the command tool's: ${name}`, () => {
      assert.equal(meantBy(name, { command: "ls" }), "terminal");
      assert.equal(meantBy(name, { cmd: "ls" }), name, "not with other arguments");
      assert.equal(meantBy(name, { command: "ls" }, new Map()), name, "not where it is not offered");
    });

  it("is a file tool's where the arguments are its own", () => {
    assert.equal(meantBy("Read", { path: "a" }), "read_file");
    assert.equal(meantBy("Read", { file_path: "a" }), "Read");
    assert.equal(meantBy("write_to_file", { path: "a", content: "b" }), "write_file");
    assert.equal(meantBy("Write", { path: "a" }), "Write");
    assert.equal(meantBy("Grep", { pattern: "a", glob: "*.ts" }), "search_files");
    assert.equal(meantBy("Grep", {}), "Grep");
  });

  it("is left alone where the same arguments mean something else", () => {
    for (const name of ["Glob", "Edit", "apply_patch", "constructor", "__proto__"])
      assert.equal(meantBy(name, { pattern: "*.ts", path: ".", command: "ls" }), name);
  });

  it("is never one of a server's tools, nor one of two", () => {
    assert.equal(meantBy("mcp_gitlab_issue", {}), "mcp_gitlab_issue");
    const two = new Map([ofType("terminal_a", z.strictObject({})), ofType("terminal_b", z.strictObject({}))]);
    assert.equal(meantBy("terminal_c", {}, two), "terminal_c");
  });

  it("is no reason for the policy to look away", async () => {
    const asked: string[] = [];
    const deps = turnDeps(scriptedModel(calls(["bash", '{"command":"ls"}']), says("Done.")), {
      authorise: ({ tool: { name }, call }) => {
        asked.push(name, call.name);
        return { decision: "deny", rule: "test", reason: "no commands here" };
      },
    });
    const { journal } = await play(turnInput({ tools: [...offered.values()] }), deps);
    assert.deepEqual(asked, ["terminal", "terminal"]);
    assert.match(resultsOf(journal)[0] ?? "", /no commands here/);
  });
});
