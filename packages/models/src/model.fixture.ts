import type { ModelEvent, ModelPort, ModelRequest, ToolSpec } from "@talaria/agent";
import { brandAs, type Clock, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { type ModelScript, type ModelServerOptions, startModelServer } from "@talaria/testkit";
import { createModel } from "./index.ts";
import type { OpenAiChatConfig } from "./model-config.ts";

export const apiKey = "sk-proj-0123456789abcdef";
export const deps = { clock: systemClock, log: silentLog };

export const readTool: ToolSpec = {
  name: "read",
  description: "Reads",
  parameters: { type: "object", properties: {} },
};

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You are Talaria.",
    messages: [{ role: "user", content: "hello" }],
    tools: [readTool],
    cacheKey: brandAs<SessionKey>("session"),
    ...more,
  };
}

/** A chat model in front of a fake server. */
export async function startPeer(options: ModelServerOptions = {}, config: Partial<OpenAiChatConfig> = {}) {
  const server = await startModelServer(options);
  const model = createModel(
    { provider: "openai-chat", baseUrl: server.baseUrl, apiKey, model: "test-model", ...config },
    deps,
  );
  return { server, model, [Symbol.asyncDispose]: () => server.stop() };
}

export async function eventsOf(model: ModelPort, asked = request(), signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, signal)) events.push(event);
  return events;
}

/** The end of an answer, and the text that was streamed before it. */
export async function answerOf(model: ModelPort, asked?: ModelRequest, signal?: AbortSignal) {
  const events = await eventsOf(model, asked, signal);
  const text = events.map((event) => (event.type === "delta" ? event.text : "")).join("");
  const ends = events.filter((event) => event.type === "done" || event.type === "failed");
  const [end] = ends;
  if (end === undefined || ends.length > 1 || end !== events.at(-1))
    throw new Error("a stream has one end, and it is last");
  return { text, end, events };
}

/** Time that only sleeping moves. */
export function testClock(): Clock & { nowMs: number } {
  const clock = {
    nowMs: 1_000_000,
    now: () => clock.nowMs,
    elapsed: () => clock.nowMs,
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      clock.nowMs += ms;
    },
  };
  return clock;
}

/** A model of the port's own making that counts how often it is asked. */
export function cannedModel(answer: (round: number) => readonly ModelEvent[]): ModelPort & { asked: number } {
  const model = {
    asked: 0,
    async *stream() {
      model.asked += 1;
      yield* answer(model.asked);
    },
  };
  return model;
}

/** The failure of a chat model whose server answers so. */
export async function failureOf(script: ModelScript) {
  await using peer = await startPeer({ respond: () => script });
  const { end } = await answerOf(peer.model);
  if (end.type !== "failed") throw new Error("it answers");
  return end.error;
}

/** An error as OpenAI sends it. */
export function openAiError(message: string, more: object = {}) {
  return { error: { message, type: "invalid_request_error", param: null, code: null, ...more } };
}
