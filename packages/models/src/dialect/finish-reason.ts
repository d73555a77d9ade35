import type { AssistantMessage, ModelFailureKind, ModelStop } from "@talaria/agent";

/** How an answer ended: as a whole one, at its output limit, declined, or not at all, for a reason that is a failure. */
export type Ending = "whole" | "cut" | "refused" | { readonly failed: ModelFailureKind };

/**
 * What the words say that servers end an answer with, in lower case. Others count as a whole answer: servers have many for
 * that, and calls decide more than they do.
 *
 * - `length`, `content_filter`: OpenAI; `max_tokens`, `refusal`, `model_context_window_exceeded`: `StopReason` of
 *   @anthropic-ai/sdk 1.11.0; `model_length`, `error`: Mistral; `max_output_tokens`: the Responses API.
 * - `sensitive`, `network_error`, `model_context_window_exceeded`: the reference of Z.ai's chat completions.
 * - `insufficient_system_resource`: DeepSeek's reference, "interrupted due to insufficient resource of the inference system".
 * - `abort`: vLLM and SGLang, when the server itself gave the answer up. `cancelled`, `failed`, `incomplete`:
 *   `ResponseStatus` of openai 7.55.0.
 * - `malformed_function_call`, alone or behind `function_call_filter:`: Google; nothing of such a call arrives.
 */
const endings: Readonly<Record<string, Ending>> = {
  length: "cut",
  max_tokens: "cut",
  max_output_tokens: "cut",
  incomplete: "cut",
  model_length: "cut",
  content_filter: "refused",
  "content-filter": "refused",
  refusal: "refused",
  safety: "refused",
  sensitive: "refused",
  model_context_window_exceeded: { failed: "context_full" },
  network_error: { failed: "network" },
  error: { failed: "server_error" },
  failed: { failed: "server_error" },
  abort: { failed: "server_error" },
  aborted: { failed: "server_error" },
  cancelled: { failed: "server_error" },
  insufficient_system_resource: { failed: "overloaded" },
  malformed_function_call: { failed: "server_error" },
  "function_call_filter: malformed_function_call": { failed: "server_error" },
};

export function endingOf(reason: string): Ending {
  const word = reason.toLowerCase();
  return Object.hasOwn(endings, word) ? (endings[word] ?? "whole") : "whole";
}

/** Of two reasons for one answer the earlier counts, unless it says nothing but that the answer is whole. */
export function weightier(earlier: string | undefined, later: string): string {
  return earlier === undefined || endingOf(earlier) === "whole" ? later : earlier;
}

/** Calls decide more than the server's word, except that an answer that was cut or filtered is never whole. */
export function stopOf(ending: Exclude<Ending, object>, hasCalls: boolean): ModelStop {
  if (ending === "cut" || (ending === "refused" && hasCalls)) return "max_tokens";
  if (ending === "refused") return "refusal";
  return hasCalls ? "tool_calls" : "end";
}

/** There is an answer: words, or calls of which nothing is missing. */
export function hasSaid({ content, toolCalls }: AssistantMessage): boolean {
  const areWhole = toolCalls.every((call) => call.name !== "" && isJson(call.arguments));
  return areWhole && (content.trim() !== "" || toolCalls.length > 0);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
