import { isOpenAi } from "../connect.ts";
import { serviceOf } from "../families.ts";
import type { OpenAiChatConfig } from "../model-config.ts";

/** What is known of a server, from its address or from what it refused; kept while the process lives. */
export interface ChatHabits {
  /**
   * How thoughts go back: under the name they came with; with every answer, an empty one where there was none; or not at all.
   */
  thoughts: "as they came" | "always" | "never";
  /** Takes `tool_choice`. */
  takesToolChoice: boolean;
  /** Opens a thought in its template, so that only the closing tag arrives. */
  beginsInThought: boolean;
  /** Thoughts may stand in the content. */
  readonly hasInlineTags: boolean;
  /** Is not known to find all calls itself: they may stand in the content. */
  readonly leavesCallsInText: boolean;
  /** Has found calls itself. What looks like one in the content may be quoted, unless it stands as templates of models have it. */
  missesCalls: boolean;
}

export function habitsOf({ baseUrl }: OpenAiChatConfig): ChatHabits {
  const { wantsThoughts, findsCalls } = serviceOf(baseUrl);
  return {
    thoughts: wantsThoughts ? "always" : "as they came",
    takesToolChoice: true,
    beginsInThought: false,
    hasInlineTags: !isOpenAi(baseUrl),
    leavesCallsInText: !findsCalls,
    missesCalls: false,
  };
}

const aboutThoughts = /(?<![a-z_])reasoning(_content|_details|_text|_opaque)?(?![a-z_])/i;
const missing = /missing|must be (passed|provided|included)|is required/i;
const unwelcome = /not permitted|not allowed|not supported|unsupported|unexpected|unrecognized|unknown/i;

/**
 * Learns from a refusal how the server wants it; says whether the request is worth another try. Others serve models of DeepSeek
 * and Moonshot too, and some refuse the thoughts that they send: Mistral, Cerebras (QwenLM/qwen-code#11045), OpenCode
 * (earendil-works/pi#4514). DeepSeek's thinking mode takes no `tool_choice`: mozilla-ai/any-llm#1384.
 */
export function learnsFrom(error: unknown, habits: ChatHabits): boolean {
  const { status, message } = error as { readonly status?: unknown; readonly message?: unknown };
  if ((status !== 400 && status !== 422) || typeof message !== "string") return false;
  if (/tool[_ ]choice/i.test(message) && habits.takesToolChoice) {
    habits.takesToolChoice = false;
    return true;
  }
  if (!aboutThoughts.test(message)) return false;
  const wanted = missing.test(message) ? "always" : unwelcome.test(message) ? "never" : undefined;
  if (wanted === undefined || wanted === habits.thoughts) return false;
  habits.thoughts = wanted;
  return true;
}
