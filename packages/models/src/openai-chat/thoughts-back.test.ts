import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AssistantMessage, ModelMessage } from "@talaria/agent";
import { type DialectRequest, type WireAnswer, wireCalls, words } from "@talaria/testkit";
import { content, delta, ended } from "../dialect/cases/cases.fixture.ts";
import { dialectCases, startDialectPeer } from "../dialects.fixture.ts";
import { answerOf, request } from "../model.fixture.ts";
import { habitsOf } from "./chat-habits.ts";
import { toChatRequest } from "./chat-request.ts";

const [chat] = dialectCases;
if (chat === undefined) throw new Error("Chat Completions come first");
const model = "deepseek-reasoner";

type Message = Readonly<Record<string, unknown>>;

function messagesOf({ body }: DialectRequest): readonly Message[] {
  return body.messages as readonly Message[];
}

function raw(...said: readonly object[]): WireAnswer {
  const pieces = [...said, ...ended()].map((each) =>
    typeof each === "string" ? each : `data: ${JSON.stringify(each)}\n\n`,
  );
  return [{ kind: "raw", pieces }];
}

function refused(message: string): WireAnswer {
  const body = { error: { message, type: "invalid_request_error", param: null, code: "invalid_request_error" } };
  return [{ kind: "raw", status: 400, contentType: "application/json", pieces: [JSON.stringify(body)] }];
}

/** As https://api-docs.deepseek.com/guides/thinking_mode says, and its server: every answer of a history with tools has one. */
function deepSeek(answer: () => WireAnswer) {
  return (asked: DialectRequest): WireAnswer => {
    const index = messagesOf(asked).findIndex(
      (message) => message.role === "assistant" && typeof message.reasoning_content !== "string",
    );
    return index < 0
      ? answer()
      : refused(`Missing \`reasoning_content\` field in the assistant message at message index ${index}`);
  };
}

function resultsOf(message: AssistantMessage): readonly ModelMessage[] {
  return message.toolCalls.map(({ callId, name }) => ({ role: "tool", callId, name, content: "x", isError: false }));
}

/** An answer of the model, as it stands in the history of the next request. */
async function answered(peer: { readonly model: Parameters<typeof answerOf>[0] }, messages: readonly ModelMessage[]) {
  const { end } = await answerOf(peer.model, request({ messages }));
  assert.ok(end.type === "done", JSON.stringify(end));
  return end.message;
}

const question: ModelMessage = { role: "user", content: "go" };
const foreign: AssistantMessage = {
  role: "assistant",
  content: "",
  toolCalls: [{ callId: "c9", name: "read", arguments: "{}" }],
};

describe("thoughts that a server wants to see again", () => {
  it("go back with the answer they led to, over turns with and without calls", async () => {
    const rounds: WireAnswer[] = [
      raw(
        delta({ reasoning_content: "I read." }),
        delta({ tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: "{}" } }] }),
      ),
      raw(delta({ reasoning_content: "I say." }), ...content("Done.")),
      words("And that."),
    ];
    await using peer = await startDialectPeer(chat, { respond: deepSeek(() => rounds.shift() ?? []) }, { model });
    const asks = await answered(peer, [question]);
    const first = [question, asks, ...resultsOf(asks)];
    const says = await answered(peer, first);
    await answered(peer, [...first, says, question]);
    const [, , third] = peer.server.requests;
    assert.ok(third);
    const thoughts = messagesOf(third)
      .filter(({ role }) => role === "assistant")
      .map((each) => each.reasoning_content);
    assert.deepEqual(thoughts, ["I read.", "I say."]);
    assert.equal(peer.server.requests.length, 3);
  });

  it("are asked for once more, empty where another model answered, once a server has refused", async () => {
    await using peer = await startDialectPeer(chat, { respond: deepSeek(() => words("ok")) }, { model });
    const messages = [question, foreign, ...resultsOf(foreign)];
    assert.equal((await answered(peer, messages)).content, "ok");
    assert.equal((await answered(peer, messages)).content, "ok");
    assert.equal(peer.server.requests.length, 3, "what it learnt it keeps");
  });

  it("are left out where a server does not take what it sent itself", async () => {
    const strict = (asked: DialectRequest) =>
      messagesOf(asked).some((message) => "reasoning" in message)
        ? refused("Extra inputs are not permitted, field: 'messages[1].reasoning', value: 'hm'")
        : raw(delta({ reasoning: "hm" }), ...content("ok"));
    await using peer = await startDialectPeer(chat, { respond: strict });
    const first = await answered(peer, [question]);
    await answered(peer, [question, first, question]);
    await answered(peer, [question, first, question]);
    assert.equal(peer.server.requests.length, 4);
  });

  it("are not made up for a server that only dislikes the effort", async () => {
    const respond = () => refused("`reasoning_effort` must be one of `none` or `default`: others are not supported");
    await using peer = await startDialectPeer(chat, { respond });
    const { end } = await answerOf(peer.model);
    assert.equal(end.type === "failed" && end.error.kind, "bad_request");
    assert.equal(peer.server.requests.length, 1);
  });

  it("go to the models of DeepSeek and Moonshot with every answer from the start", () => {
    const sent = (baseUrl: string) => {
      const config = { provider: "openai-chat", model: "kimi-k2.6", baseUrl } as const;
      const asked = request({ messages: [question, foreign, ...resultsOf(foreign)] });
      return toChatRequest(asked, config, "not taken").messages[2] as unknown as Message;
    };
    assert.equal(sent("https://api.moonshot.ai/v1").reasoning_content, "");
    assert.equal(sent("https://api.deepseek.com").reasoning_content, "");
    assert.ok(!("reasoning_content" in sent("https://openrouter.ai/api/v1")));
    assert.ok(!("reasoning_content" in sent("https://notdeepseek.com/v1")));
  });

  it("stand before the content again, with their tags, where they came in it", async () => {
    await using peer = await startDialectPeer(chat, { respond: () => raw(...content("<think>\nhm\n</think>\n\nyes")) });
    const first = await answered(peer, [question]);
    assert.equal(first.content, "yes");
    await answered(peer, [question, first, question]);
    const [, second] = peer.server.requests;
    assert.equal(second && messagesOf(second)[2]?.content, "<think>\nhm\n</think>\n\nyes");
  });

  it("are not said twice where details hold them", async () => {
    const details = [{ type: "reasoning.text", text: "hm", index: 0, signature: "sig" }];
    const respond = () => raw(delta({ reasoning: "hm", reasoning_details: details }), ...content("yes"));
    await using peer = await startDialectPeer(chat, { respond });
    const first = await answered(peer, [question]);
    await answered(peer, [question, first, question]);
    const [, second] = peer.server.requests;
    const message = second && messagesOf(second)[2];
    assert.deepEqual(message, { role: "assistant", content: "yes", reasoning_details: details });
  });
});

it("learns that a template opens the thought, and shows no later thought as the answer", async () => {
  const answers = ["I greet.\n</think>\n\nHello!", "I greet again.\n</think>\n\nHello again!", "No thought here."];
  const respond = () => raw(...content(...(answers.shift() ?? "")));
  await using peer = await startDialectPeer(chat, { respond });
  const [first, second, third] = [await answerOf(peer.model), await answerOf(peer.model), await answerOf(peer.model)];
  assert.equal(first.events.filter(({ type }) => type === "restart").length, 1);
  assert.equal(second.text, "Hello again!");
  assert.equal(third.text, "No thought here.");
  assert.equal(third.end.type === "done" && third.end.message.content, "No thought here.");
});

it("reads no calls in the words of a server that finds them itself", async () => {
  const quoted = '<tool_call>{"name": "read", "arguments": {}}</tool_call>';
  const answers: WireAnswer[] = [raw(...content(quoted)), wireCalls(["read", {}]), raw(...content(quoted))];
  await using peer = await startDialectPeer(chat, { respond: () => answers.shift() ?? [] });
  const [before, , after] = [await answerOf(peer.model), await answerOf(peer.model), await answerOf(peer.model)];
  assert.equal(before.end.type === "done" && before.end.stop, "tool_calls");
  assert.deepEqual(after.end.type === "done" && [after.end.message.content, after.end.stop], [quoted, "end"]);
  const baseUrl = "https://openrouter.ai/api/v1";
  assert.equal(habitsOf({ provider: "openai-chat", model: "m", baseUrl }).leavesCallsInText, false);
});

it("reads a call that such a server has missed, in the lines that templates give it", async () => {
  const missed = 'Let me look.\n<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>';
  const answers: WireAnswer[] = [wireCalls(["read", {}]), raw(...content(missed))];
  await using peer = await startDialectPeer(chat, { respond: () => answers.shift() ?? [] }, { model: "small" });
  const [, { end }] = [await answerOf(peer.model), await answerOf(peer.model)];
  assert.deepEqual(end.type === "done" && [end.message.content, end.stop], ["Let me look.\n", "tool_calls"]);
});

it("sends ids that OpenAI takes, the same ones in every request, and those of Kimi as they are", () => {
  const long = "chatcmpl-tool-0123456789abcdef0123456789abcdef";
  const ids = [long, `${long}x`, "functions.read:0", "toolu_01A", ""];
  const history = ids.flatMap((callId): readonly ModelMessage[] => [
    { role: "assistant", content: "", toolCalls: [{ callId, name: "read", arguments: "{}" }] },
    { role: "tool", callId, name: "read", content: "x", isError: false },
  ]);
  const sent = (model: string, messages: readonly ModelMessage[]) => {
    const body = toChatRequest(request({ messages }), { provider: "openai-chat", model }, "not taken");
    const wire = body.messages as unknown as readonly {
      tool_calls?: readonly { id: string }[];
      tool_call_id?: string;
    }[];
    return wire.flatMap(({ tool_calls, tool_call_id }) => tool_calls?.map(({ id }) => id) ?? tool_call_id ?? []);
  };
  const calls = sent("gpt-4.1", history).filter((_, index) => index % 2 === 0);
  assert.equal(new Set(calls).size, ids.length);
  assert.ok(
    calls.every((id) => id.length <= 40 && /^[A-Za-z0-9_-]+$/.test(id)),
    calls.join(" "),
  );
  assert.deepEqual(
    sent("gpt-4.1", history).filter((_, index) => index % 2 === 1),
    calls,
    "results have their calls' ids",
  );
  assert.deepEqual(sent("gpt-4.1", history.slice(0, 4)), sent("gpt-4.1", history).slice(0, 4));
  assert.equal(calls[3], "toolu_01A");
  assert.equal(sent("moonshotai/kimi-k2.6", history)[4], "functions.read:0");
});

it("leaves out a tool choice that a server does not take, and the calls that come then", async () => {
  const respond = (asked: DialectRequest): WireAnswer =>
    asked.body.tool_choice === undefined
      ? [...words("So."), ...wireCalls(["read", {}])]
      : refused("Thinking mode does not support this tool_choice");
  await using peer = await startDialectPeer(chat, { respond });
  const { end } = await answerOf(peer.model, request({ toolChoice: "none" }));
  assert.ok(end.type === "done");
  assert.deepEqual([end.message, end.stop], [{ role: "assistant", content: "So.", toolCalls: [] }, "end"]);
  assert.equal(peer.server.requests.length, 2);
});
