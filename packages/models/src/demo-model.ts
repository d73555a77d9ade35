import type { ModelDone, ModelEvent, ModelMessage, ModelPort, ModelRequest, ToolCall } from "@talaria/agent";
import type { DemoConfig, ModelDeps } from "./model-config.ts";
import { selfTestCommands } from "./self-test.ts";

const servedBy = "demo";
const defaultWordMs = 15;

const introduction =
  "I am Talaria's offline demo model: I only repeat what I hear, and nothing leaves this machine. " +
  "For a real model, run `talaria setup model` where I run: it needs no restart. With OPENAI_API_KEY in the environment, the next start uses OpenAI.";

/** Which words make the demo use which tool. */
const questions = [
  { tool: "current_time", asks: /\b(what|which|current|tell)\b.{0,40}\b(time|date|day)\b/i },
  {
    tool: "conversation_info",
    asks: /\bwho\b.{0,40}\b(here|talking|speaking|am i)\b|\b(what|which) (platform|chat|conversation)\b/i,
  },
] as const;

/**
 * Answers offline and the same way each time, word by word, and says plainly what it is. Uses the tools
 * `current_time` and `conversation_info`, when they are there, for questions about the time and about who is here, and
 * `terminal` for the commands of `talaria verify`.
 */
export function createDemoModel({ wordMs = defaultWordMs }: DemoConfig, { clock }: ModelDeps): ModelPort {
  return {
    async *stream(request, signal) {
      const calls = callsFor(request);
      if (calls.length > 0) {
        yield done("", calls);
        return;
      }
      const text = answerTo(request);
      for (const word of text.match(/\s*\S+/g) ?? []) {
        await clock.sleep(wordMs, signal).catch(() => undefined);
        if (signal.aborted) {
          yield { type: "failed", error: { kind: "aborted", message: "the answer was stopped", visible: true } };
          return;
        }
        yield { type: "delta", text: word };
      }
      yield done(text, []);
    },
  };
}

function callsFor({ messages, tools }: ModelRequest): readonly ToolCall[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [];
  const said = wordsOf(last.content);
  const asked = questions.filter(({ asks }) => asks.test(said)).map(({ tool }) => ({ name: tool, input: {} }));
  const commands = selfTestCommands(said).map((command) => ({ name: "terminal", input: { command } }));
  return [...asked, ...commands]
    .filter((call) => tools.some(({ name }) => name === call.name))
    .map(({ name, input }, position) => ({
      callId: `demo_${messages.length}_${position + 1}`,
      name,
      arguments: JSON.stringify(input),
    }));
}

function answerTo({ messages }: ModelRequest): string {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(lastUser + 1).filter((message) => message.role === "tool");
  const isFirst = !messages.some((message) => message.role === "assistant" && message.content !== "");
  const answer = results.length > 0 ? results.map(({ content }) => content).join("\n\n") : echoOf(messages[lastUser]);
  return isFirst ? `${introduction}\n\n${answer}` : `(offline demo) ${answer}`;
}

function echoOf(message: ModelMessage | undefined): string {
  const said = message === undefined ? "" : wordsOf(message.content);
  return said === "" ? "You said nothing that I can read." : `You said: ${said}`;
}

/** What people wrote, without the blocks it came in. */
function wordsOf(content: string): string {
  return content
    .replace(/<quoted[^>]*>[\s\S]*?<\/quoted>|<note>[\s\S]*?<\/note>|<attachment[^>]*>|<\/?message[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

function done(content: string, toolCalls: readonly ToolCall[]): ModelDone & ModelEvent {
  const stop = toolCalls.length > 0 ? "tool_calls" : "end";
  return { type: "done", message: { role: "assistant", content, toolCalls }, stop, servedBy };
}
