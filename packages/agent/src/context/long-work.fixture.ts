import { createHash } from "node:crypto";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import type { ModelEvent, ModelPort, ModelRequest, ToolCall } from "../model.ts";
import { done } from "../turn.fixture.ts";

const tokenizer = new Tiktoken(o200k);
const counted = new Map<string, number>();

/** What a real vocabulary makes of a text. The same texts come again with every request. */
function countTokens(text: string): number {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = tokenizer.encode(text, "all").length;
  counted.set(text, tokens);
  return tokens;
}

/** What a server counts of a request: each text by itself, and a few tokens around each message. */
export function tokensOfRequest({ system, tools, messages }: ModelRequest): number {
  return messages.reduce(
    (sum, message) => {
      const calls = message.role === "assistant" ? message.toolCalls : [];
      const texts = [message.content, ...calls.flatMap(({ name, arguments: given }) => [name, given])];
      return sum + 6 + texts.reduce((tokens, text) => tokens + countTokens(text), 0);
    },
    countTokens(system) + countTokens(JSON.stringify(tools)),
  );
}

export interface StrictServer extends ModelPort {
  readonly requests: ModelRequest[];
  /** How many requests were refused. */
  refused: number;
  /** Tokens of all requests that were taken. */
  tokens: number;
}

export interface ServerSettings {
  /** Counts what it takes. Default: true. */
  readonly isHonest?: boolean;
  /** Refuses the n-th request, from 1 on, however short it is. */
  readonly refuses?: (n: number) => boolean;
}

/**
 * A model behind a server that refuses whatever does not fit into its window, with room for an answer, and counts what it takes. It
 * makes one call for each step of `plan`, by what it has been shown: `next` says which step that is.
 */
export function strictServer(
  windowTokens: number,
  answer: (request: ModelRequest) => { readonly text: string; readonly calls: readonly ToolCall[] },
  { isHonest = true, refuses = () => false }: ServerSettings = {},
): StrictServer {
  let asked = 0;
  const server: StrictServer = {
    requests: [],
    refused: 0,
    tokens: 0,
    async *stream(request): AsyncGenerator<ModelEvent> {
      const inputTokens = tokensOfRequest(request);
      asked += 1;
      if (inputTokens + 200 > windowTokens || refuses(asked)) {
        server.refused += 1;
        const error = {
          kind: "context_full",
          message: `maximum context length is ${windowTokens}`,
          visible: false,
        } as const;
        yield { type: "failed", error };
        return;
      }
      server.requests.push(request);
      server.tokens += inputTokens;
      const { text, calls } = answer(request);
      const outputTokens = countTokens(text) + calls.reduce((sum, call) => sum + countTokens(call.arguments), 0);
      const end = done(text, calls, calls.length === 0 ? "end" : "tool_calls");
      const usage = { inputTokens, cachedTokens: 0, outputTokens, reasoningTokens: 0 };
      yield isHonest && end.type === "done" ? { ...end, usage } : end;
    },
  };
  return server;
}

/** Material as tools bring it: the same number gives the same text. */
export function material(step: number, chars: number): string {
  const kinds = [csv, hex, log, json, code];
  const make = kinds[step % kinds.length] ?? csv;
  let text = "";
  for (let line = 0; text.length < chars; line += 1) text += `${make(step, line)}\n`;
  return text.slice(0, chars);
}

function number(step: number, line: number, n: number): number {
  return createHash("sha256").update(`${step} ${line} ${n}`).digest().readUInt32BE(0);
}

function csv(step: number, line: number): string {
  return Array.from({ length: 8 }, (_, n) => (number(step, line, n) / 1e5).toFixed(3)).join(",");
}

function hex(step: number, line: number): string {
  return createHash("sha512").update(`${step} ${line}`).digest("hex");
}

function log(step: number, line: number): string {
  const at = new Date(1_790_000_000_000 + line * 1_234).toISOString();
  return `${at} [INFO] worker-${step} id=${hex(step, line).slice(0, 12)} GET /v1/items/${number(step, line, 0)} 200 ${line % 900}ms`;
}

function json(step: number, line: number): string {
  return JSON.stringify({ id: hex(step, line).slice(0, 32), step, line, ok: true, value: number(step, line, 1) / 1e9 });
}

function code(step: number, line: number): string {
  return `  const value${line} = await readValue(${step}, { name: "item ${line}", limit: ${line % 100} }); // kept for later`;
}
