import type { ToolCallDelta } from "./script.ts";

/** Joins the deltas of each call. A delta with a new id or a name starts a call; others continue it by index. */
export function mergeToolCalls(deltas: readonly ToolCallDelta[]) {
  const calls: { id: string | undefined; index: number; name: string; arguments: unknown }[] = [];
  for (const { index = 0, id, function: part } of deltas) {
    const known = calls.findLast((call) => call.index === index && (id === undefined || call.id === id));
    const call = known ?? { id, index, name: part?.name ?? "", arguments: "" };
    if (known === undefined) calls.push(call);
    const more = part?.arguments ?? "";
    call.arguments = typeof more === "string" && typeof call.arguments === "string" ? call.arguments + more : more;
  }
  return calls.map((call) => ({
    ...(call.id !== undefined && { id: call.id }),
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
}
