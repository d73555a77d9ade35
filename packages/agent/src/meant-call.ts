import type { ToolCall } from "./model.ts";
import type { Tool } from "./tool.ts";

/**
 * The call that the model means by one of `call_tool`: that of the named tool, with its input. Everything that follows, from policy to
 * traces, knows no other. A call that names no tool of the turn stays what it is, and fails as such.
 */
export function meantCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): ToolCall {
  if (call.name !== "call_tool" || !tools.has("call_tool")) return call;
  const asked = objectIn(call.arguments);
  if (asked === undefined || typeof asked.name !== "string" || asked.name === "call_tool") return call;
  const { name, input = {}, ...rest } = asked;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  if (!tools.has(name) || !isObject || Object.keys(rest).length > 0) return call;
  return { callId: call.callId, name, arguments: JSON.stringify(input), via: "call_tool" };
}

/** The call as the model has made it, for its own eyes: the other way round. */
export function madeCall(call: ToolCall): ToolCall {
  if (call.via === undefined) return call;
  const input = objectIn(call.arguments) ?? {};
  return { callId: call.callId, name: call.via, arguments: JSON.stringify({ name: call.name, input }) };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
