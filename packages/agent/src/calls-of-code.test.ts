import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { defineTool, type ToolContext } from "./tool.ts";
import {
  calls,
  person,
  play,
  resultsOf,
  said,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

/** A tool that runs code, played by a function that makes the calls. */
function code(run: (context: ToolContext) => Promise<string>) {
  return defineTool({
    name: "code",
    description: "code",
    effect: "read",
    permissions: ["exec"],
    input: z.strictObject({}),
    execute: async (_input, context) => ({ content: await run(context) }),
  });
}

async function made(run: (context: ToolContext) => Promise<string>, journal = [said("go")]) {
  const log: string[] = [];
  const seen = (name: string) => async (context: ToolContext) => {
    log.push(`${name} begins`);
    await new Promise(setImmediate);
    log.push(`${name} ends`);
    return `${context.callId} ${context.idempotencyKey} ${context.call === undefined}`;
  };
  const tools = [code(run), tool("look", "read", seen("look")), tool("write", "write", seen("write"))];
  const played = await play(turnInput({ tools, journal }), turnDeps(scriptedModel(calls("code"), says("ok"))));
  const [content = ""] = resultsOf(played.journal);
  return { content, log, kinds: played.journal.map(({ kind }) => kind) };
}

describe("calls that code makes", () => {
  it("run one after the other, each with a name of its own, and make none themselves", async () => {
    const { content, log, kinds } = await made(async ({ call, callId }) => {
      const ends = await Promise.all([call?.("look", {}), call?.("write", { n: 1 })]);
      return JSON.stringify(ends.map((end) => end?.content.replaceAll(callId, "ID")));
    });
    assert.equal(content, '["ID/1 turn-1:ID/1 true","ID/2 turn-1:ID/2 true"]');
    assert.deepEqual(log, ["look begins", "look ends", "write begins", "write ends"]);
    assert.deepEqual(kinds, ["user", "assistant", "tool.started", "tool.result", "assistant"]);
  });

  it("are checked as the model's own", async () => {
    const ask = async ({ call }: ToolContext) => {
      const ends = [await call?.("nothing", {}), await call?.("look", { n: "x" }), await call?.("write", {})];
      return ends.map((end) => `${end?.isError} ${end?.content.slice(0, 32)}`).join("\n");
    };
    const { content, log } = await made(ask, [said("go", person("9", "claimed"))]);
    assert.match(
      content,
      /^true Error: there is no tool called .*\ntrue Error: the arguments are not va.*\ntrue Error: refused\. Somebody/,
    );
    assert.deepEqual(log, []);
  });
});
