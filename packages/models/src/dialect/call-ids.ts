import { createHash } from "node:crypto";
import type { ModelMessage } from "@talaria/agent";

/**
 * The messages with ids that a provider takes: in its form, and none twice in a conversation. Ids are unique within a turn
 * only, and those of other providers may come to the same in this one's form. Earlier ids do not depend on later messages,
 * so the start of a conversation stays the same.
 */
export function withWireIds(
  messages: readonly ModelMessage[],
  toWireId: (callId: string) => string,
): readonly ModelMessage[] {
  const taken = new Set<string>();
  let answered = new Map<string, string>();
  const free = (callId: string): string => {
    let id = toWireId(callId);
    for (let number = 2; taken.has(id); number += 1) id = toWireId(`${callId}_${number}`);
    taken.add(id);
    return id;
  };
  return messages.map((message): ModelMessage => {
    if (message.role === "user") return message;
    if (message.role === "tool")
      return { ...message, callId: answered.get(message.callId) ?? toWireId(message.callId) };
    const toolCalls = message.toolCalls.map((call) => ({ ...call, callId: free(call.callId) }));
    answered = new Map(message.toolCalls.map(({ callId }, index) => [callId, toolCalls[index]?.callId ?? callId]));
    return { ...message, toolCalls };
  });
}

const longestId = 64;

/** Letters, digits, `_` and `-`, at most 64. The end counts most: what tells ids apart stands there. */
export function plainId(callId: string): string {
  return callId.replace(/[^A-Za-z0-9_-]/g, "_").slice(-longestId) || "call";
}

/** What OpenAI takes in Chat Completions: `string too long. Expected a string with maximum length 40`, agno-agi/agno#5382. */
const longestChatId = 40;

/** The same for Chat Completions, at most 40. Those of a longer one are told apart by its digest. */
export function chatId(callId: string): string {
  const plain = callId.replace(/[^A-Za-z0-9_-]/g, "_") || "call";
  if (plain.length <= longestChatId) return plain;
  return `call_${createHash("sha256").update(callId).digest("hex").slice(0, 24)}`;
}

/** Kimi's own ids, `functions.read:0`, are words of its prompt: changed, it makes no further calls (MoonshotAI/kimi-code#2503). */
export function kimiId(callId: string): string {
  return /^functions\.[A-Za-z0-9_-]{1,64}:\d{1,4}$/.test(callId) ? callId : chatId(callId);
}
