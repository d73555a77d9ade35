import type { ToolCall } from "./model.ts";
import { nearTool } from "./near-name.ts";
import type { Tool } from "./tool.ts";

/**
 * The call that the model means: of the tool whose name it has nearly hit, such as `ReadFile`, `functions.read_file` or `reed_file`, and of the
 * one that it names to `call_tool`. Everything that follows, from policy to traces, knows no other.
 */
export function meantCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): ToolCall {
  if (tools.has(call.name)) return indexedCall(call, tools);
  const wanted = nameKey(call.name);
  const same = wanted === "" ? [] : [...tools.keys()].filter((name) => nameKey(name) === wanted);
  const input = objectIn(call.arguments.trim() === "" ? "{}" : call.arguments) ?? {};
  const found = same.length > 0 ? same[0] : nearTool(wanted, input, tools, nameKey);
  return found === undefined || same.length > 1 ? call : indexedCall({ ...call, name: found }, tools);
}

/** The same for names that differ in case and signs, or in a prefix that models have learnt elsewhere. */
function nameKey(name: string): string {
  return name
    .slice(0, 200)
    .replace(/^(functions?|tools?|default_api)[.:/]/i, "")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/**
 * The call that the model means by one of `call_tool`: that of the named tool, with its input. One that names no tool of the turn stays
 * what it is, and fails as such.
 */
function indexedCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): ToolCall {
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
