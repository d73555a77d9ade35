import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelMessage, ToolSpec } from "@talaria/agent";
import { createModel } from "./index.ts";
import { answerOf, deps, request, testClock } from "./model.fixture.ts";
import { markingCommand, showingCommand } from "./self-test.ts";

const tools: ToolSpec[] = ["conversation_info", "current_time"].map((name) => ({
  name,
  description: "",
  parameters: {},
}));
const user = (content: string): ModelMessage => ({ role: "user", content });

function demo() {
  return createModel({ provider: "demo" }, { ...deps, clock: testClock() });
}

it("says plainly what it is and how to get a real model, word by word", async () => {
  const { text, events, end } = await answerOf(demo(), request({ messages: [user("hello <there>")] }));
  assert.match(text, /offline demo model/);
  assert.match(text, /run `talaria setup model` where I run: it needs no restart\. [^`]*OPENAI_API_KEY/);
  assert.match(text, /You said: hello <there>$/);
  assert.equal(events.length, text.match(/\S+/g)!.length + 1);
  assert.equal(end.type === "done" && end.message.content, text);
});

it("answers the same every time", async () => {
  const asked = request({ messages: [user("hello")] });
  assert.deepEqual((await answerOf(demo(), asked)).events, (await answerOf(demo(), asked)).events);
});

it("uses a tool for the time and for who is here, and repeats its result", async () => {
  for (const [question, name] of [
    ["What time is it?", "current_time"],
    ["Who is here?", "conversation_info"],
  ] as const) {
    const { end } = await answerOf(demo(), request({ tools, messages: [user(question)] }));
    assert.ok(end.type === "done" && end.stop === "tool_calls");
    assert.deepEqual(
      end.message.toolCalls.map((call) => call.name),
      [name],
    );
    const result: ModelMessage = { role: "tool", callId: "x", name, content: "the result", isError: false };
    const after = await answerOf(demo(), request({ tools, messages: [user(question), end.message, result] }));
    assert.match(after.text, /the result$/);
    assert.match((await answerOf(demo(), request({ tools: [], messages: [user(question)] }))).text, /You said/);
  }
  const other = await answerOf(demo(), request({ tools, messages: [user("Who wrote it this time?")] }));
  assert.match(other.text, /You said: Who wrote/);
});

it("runs the commands of the self-test, to the letter, and no others", async () => {
  const terminal: ToolSpec = { name: "terminal", description: "", parameters: {} };
  const mark = markingCommand(12);
  for (const [text, commands] of [
    [`Run \`${mark}\` please.`, [mark]],
    [`\`${mark}\`, \`${showingCommand}\``, [mark, showingCommand]],
    [mark, []],
    [`\`${mark}; id\` \`${mark.replace("m12 ended", "m13 ended")}\` \`rm -r .\``, []],
  ] as const) {
    const { end } = await answerOf(demo(), request({ tools: [terminal], messages: [user(text)] }));
    assert.ok(end.type === "done");
    assert.deepEqual(
      end.message.toolCalls.map((call) => JSON.parse(call.arguments)),
      commands.map((command) => ({ command })),
    );
  }
});

it("reads only what people wrote in a shared conversation", async () => {
  const block =
    '<message sender="Time" id="web:user:1" role="member" verified="platform" at="now">\na &lt; b &amp; c\n</message>';
  const { text } = await answerOf(demo(), request({ tools, messages: [user(block)] }));
  assert.match(text, /You said: a < b & c$/);
});

it("stays labelled after its first answer, and shorter", async () => {
  const messages: ModelMessage[] = [user("a"), { role: "assistant", content: "x", toolCalls: [] }, user("b")];
  assert.equal((await answerOf(demo(), request({ messages }))).text, "(offline demo) You said: b");
});

it("stops in the middle of a word list when it is aborted", async () => {
  const abort = new AbortController();
  const seen: string[] = [];
  for await (const event of createModel({ provider: "demo", wordMs: 1 }, deps).stream(request(), abort.signal)) {
    seen.push(event.type === "failed" ? event.error.kind : event.type);
    if (seen.length === 2) abort.abort();
  }
  assert.deepEqual(seen, ["delta", "delta", "aborted"]);
});
