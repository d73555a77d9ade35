import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, instantOf, type TurnId } from "@talaria/protocol";
import { z } from "zod";
import { chooseTools } from "./choose-tools.ts";
import {
  type AskedCall,
  defineTool,
  type ModelRequest,
  type Tool,
  type TranscriptEntry,
  transcriptEntrySchema,
  type Verdict,
} from "./index.ts";
import { madeCall, meantCall } from "./meant-call.ts";
import { rankTools } from "./rank-tools.ts";
import {
  calls,
  kindsOf,
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

function onDemand(name: string, description = name, effect: Tool["effect"] = "read"): Tool {
  return defineTool({
    name,
    description,
    effect,
    permissions: [],
    onDemand: true,
    input: z.strictObject({ title: z.string() }),
    execute: async ({ title }, { callId }) => ({ content: `${name} ${title} ${callId}` }),
  });
}

const look = tool("look", "read", () => "seen");
const many = Array.from({ length: 40 }, (_, number) =>
  onDemand(`mcp_shop_tool_${number}`, "Does something in the shop."),
);
const issue = onDemand("mcp_tracker_create_issue", "Makes a new entry in the tracker.", "write");
const tools = [look, ...many, issue];
const toolTokens = 500;

const viaCall = (name: string, input: unknown) => ["call_tool", JSON.stringify({ name, input })] as const;
const namesIn = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name);

describe("many tools", () => {
  it("are found instead of shown, where they take more than the limit", async () => {
    const asked = async (limit: number | undefined) => {
      const model = scriptedModel(says("Hi."));
      await play(turnInput({ tools, ...(limit !== undefined && { toolTokens: limit }) }), turnDeps(model));
      return namesIn(model.requests[0]);
    };
    assert.equal((await asked(undefined))?.length, tools.length);
    assert.equal((await asked(1_000_000))?.length, tools.length);
    assert.deepEqual(await asked(toolTokens), ["call_tool", "find_tools", "look"]);
  });

  it("are never hidden where none is on demand", () => {
    assert.deepEqual(chooseTools([look], [], 0).shown, [look]);
  });

  it("are found by words, with schemas, and listed by name without any", async () => {
    const model = scriptedModel(
      calls(["find_tools", '{"query":"create issue"}'], ["find_tools", "{}"], ["find_tools", '{"query":"zebra"}']),
      says("Found."),
    );
    const { journal } = await play(turnInput({ tools, toolTokens }), turnDeps(model));
    const [found = "", all = "", none = ""] = resultsOf(journal);
    const [, first = ""] = found.split("\n\n");
    assert.deepEqual(JSON.parse(first), {
      name: issue.name,
      description: issue.description,
      input: {
        type: "object",
        properties: { title: { type: "string" } },
        required: ["title"],
      },
    });
    assert.match(all, /^41 tools: mcp_shop_tool_0, .*mcp_tracker_create_issue$/);
    assert.match(none, /^No tool matches these words. There are 41: /);
  });
});

describe("a call of a found tool", () => {
  it("is that tool's for policy, journal and result, and the model reads what it wrote", async () => {
    const asked: AskedCall[] = [];
    const authorise = (one: AskedCall): Verdict => {
      asked.push(one);
      return { decision: "allow" };
    };
    const model = scriptedModel(calls(viaCall(issue.name, { title: "b" })), says("Done."));
    const { journal } = await play(turnInput({ tools, toolTokens }), turnDeps(model, { authorise }));
    assert.deepEqual(
      asked.map(({ tool: one, call, input }) => [one, call.name, call.arguments, input]),
      [[issue, issue.name, '{"title":"b"}', { title: "b" }]],
    );
    assert.deepEqual(kindsOf(journal).slice(1, 4), [
      "assistant",
      `tool.started ${issue.name}`,
      `tool.result ${issue.name}`,
    ]);
    const callId = asked[0]?.call.callId;
    assert.deepEqual(resultsOf(journal), [`${issue.name} b ${callId}`]);
    assert.deepEqual(model.requests[1]?.messages.slice(1), [
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { callId, name: "call_tool", arguments: JSON.stringify({ name: issue.name, input: { title: "b" } }) },
        ],
      },
      { role: "tool", callId, name: "call_tool", content: `${issue.name} b ${callId}`, isError: false },
    ]);
    for (const entry of journal) assert.deepEqual(transcriptEntrySchema.parse(entry), entry, "it survives the store");
  });

  it("waits for an approval under its own name, and runs with what was approved", async () => {
    const expiresAt = instantOf(1_790_000_000_000);
    const authorise = ({ call }: AskedCall): Verdict => {
      const shown = `${call.name} ${call.arguments}`;
      return { decision: "ask", rule: "r", shown, approver: "owner", expiresAt };
    };
    const model = scriptedModel(calls(viaCall(issue.name, { title: "b" })), says("Done."));
    const input = turnInput({ tools, toolTokens });
    const { journal, outcome } = await play(input, turnDeps(model, { authorise }));
    assert.equal(outcome.status, "suspended");
    const waiting = journal.find((entry) => entry.kind === "tool.waiting");
    assert.deepEqual([waiting?.name, waiting?.shown], [issue.name, `${issue.name} {"title":"b"}`]);
    const answer = journal.find((entry) => entry.kind === "assistant");
    const settled: TranscriptEntry = {
      kind: "call.settled",
      id: brandAs("settled-1"),
      at: expiresAt,
      turnId: input.turnId,
      callId: waiting?.callId ?? "",
      name: issue.name,
      arguments: answer?.toolCalls[0]?.arguments ?? "",
      settlement: "approved",
      waitsFor: "approval",
      askers: [],
    };
    const resumed = await play({ ...input, journal: [...journal, settled] }, turnDeps(model, { authorise }));
    assert.deepEqual(resultsOf(resumed.journal), [`${issue.name} b ${waiting?.callId}`]);
  });

  it("is refused to somebody who is not verified, and never repeated after a crash, as its own would be", async () => {
    const stranger = [said("do it", person("9", "claimed"))];
    const model = scriptedModel(calls(viaCall(issue.name, { title: "b" })), says("No."));
    const refused = await play(turnInput({ tools, toolTokens, journal: stranger }), turnDeps(model));
    assert.match(resultsOf(refused.journal)[0] ?? "", /^Error: refused\. Somebody who asks here is not verified/);
    const calling = scriptedModel(calls(viaCall(issue.name, { title: "b" })), says("Done."));
    const { journal } = await play(turnInput({ tools, toolTokens }), turnDeps(calling));
    const started = journal.slice(0, journal.findIndex(({ kind }) => kind === "tool.started") + 1);
    const again = await play(turnInput({ tools, toolTokens, journal: started }), turnDeps(scriptedModel(says("Hm."))));
    assert.match(resultsOf(again.journal)[0] ?? "", /^UNKNOWN/);
  });

  it("fails with words that help where it names nothing, or its input is wrong", async () => {
    const model = scriptedModel(
      calls(
        viaCall("mcp_tracker_close", {}),
        viaCall(issue.name, { titel: "b" }),
        ["call_tool", '{"name":"look"'],
        viaCall("call_tool", { name: "look" }),
        viaCall(issue.name, "text"),
        ["mcp_other", "{}"],
      ),
      says("Hm."),
    );
    const { journal } = await play(turnInput({ tools, toolTokens }), turnDeps(model));
    const [unknown, wrong, broken, itself, text, direct] = resultsOf(journal);
    assert.match(unknown ?? "", /there is no tool called "mcp_tracker_close".*find_tools/);
    assert.match(wrong ?? "", /arguments are not valid[\s\S]*titel/);
    assert.match(broken ?? "", /No valid JSON/);
    assert.match(itself ?? "", /there is no tool called "call_tool" to be called/);
    assert.match(text ?? "", /arguments are not valid[\s\S]*input/);
    assert.equal(
      direct,
      'Error: there is no tool called "mcp_other". There is: call_tool, find_tools, look; find_tools knows the others',
    );
  });

  it("is written back as it was made, and nothing else is changed", () => {
    const callable = new Map(chooseTools(tools, [], 0).callable.map((one) => [one.name, one]));
    const call = {
      callId: "c",
      name: "call_tool",
      arguments: JSON.stringify({ name: issue.name, input: { a: [1, "ä"] } }),
    };
    assert.deepEqual(meantCall(call, callable), {
      callId: "c",
      name: issue.name,
      arguments: '{"a":[1,"ä"]}',
      via: "call_tool",
    });
    assert.deepEqual(madeCall(meantCall(call, callable)), call);
    for (const other of [
      { ...call, name: "look" },
      { ...call, arguments: '{"name":"x"}' },
      { ...call, arguments: "null" },
    ]) {
      assert.equal(meantCall(other, callable), other);
      assert.equal(madeCall(other), other);
    }
    assert.equal(
      meantCall(call, new Map(tools.map((one) => [one.name, one]))),
      call,
      "without the index it is a name like others",
    );
  });
});

it("requests go on as they began while found tools come, go, and are called", async () => {
  const requests: ModelRequest[] = [];
  let history: readonly TranscriptEntry[] = [];
  for (let turn = 1; turn <= 12; turn += 1) {
    const here = turn % 3 === 0 ? [look, issue] : [look, issue, ...many.slice(turn)];
    const model = scriptedModel(
      calls(["find_tools", '{"query":"issue"}'], viaCall(issue.name, { title: `${turn}` })),
      says(`Answer ${turn}.`),
    );
    const turnId = brandAs<TurnId>(`turn-${turn}`);
    const input = turnInput({ turnId, history, journal: [said(`question ${turn}`)], tools: here, toolTokens });
    const played = await play(input, turnDeps(model));
    requests.push(...model.requests);
    history = [...history, ...played.journal];
  }
  const bytes = requests.map(({ tools: shown, system, messages }) =>
    JSON.stringify([shown, system, ...messages]).slice(0, -1),
  );
  assert.equal(bytes.length, 24);
  for (const [index, text] of bytes.entries()) assert.ok(text.startsWith(bytes[index - 1] ?? ""), `request ${index}`);
});

describe("the ranking of tools", () => {
  const named = (query: string) =>
    rankTools(query, [
      onDemand("createIssue", "Makes an entry."),
      onDemand("list_issues", "Lists entries of the tracker."),
      onDemand("weather", "Tells the weather, and creates nothing."),
      onDemand("messen", "Misst eine Größe."),
    ]).map(({ name }) => name);

  it("prefers words of the name, rare words, and whole words", () => {
    assert.deepEqual(named("create issue"), ["createIssue", "list_issues", "weather"]);
    assert.deepEqual(named("WEATHER"), ["weather"]);
    assert.deepEqual(named("tracker"), ["list_issues"]);
    assert.deepEqual(named("größe"), ["messen"]);
    assert.deepEqual(named("list_issues"), ["list_issues", "createIssue"]);
    assert.deepEqual(named("the of"), ["list_issues", "weather"]);
    assert.deepEqual(named("!?"), []);
  });
});
