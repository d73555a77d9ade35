import { argumentsStep, callTool, cutText, finish, type ModelScript, type ModelStep, nextCallId } from "./script.ts";

/** Tool calls as compatible servers get them wrong. The arguments still belong to the named call. */
export const toolCallQuirk = {
  /** Two calls whose argument deltas alternate. */
  interleaved(first: readonly [string, unknown], second: readonly [string, unknown]): ModelScript {
    const [one, two] = [callTool(...first, { index: 0 }), callTool(...second, { index: 1 })];
    const length = Math.max(one.length, two.length);
    return Array.from({ length }, (_, index) => [one[index], two[index]].filter((step) => step !== undefined)).flat();
  },
  /** No delta carries an `index`. */
  missingIndex: (name: string, args: unknown): ModelScript => callTool(name, args).map(withoutIndex),
  /** Every call comes whole; all have index 0, each its own id. */
  reusedIndex: (...calls: readonly (readonly [string, unknown])[]): ModelScript =>
    calls.map(([name, args]) => wholeCall({ index: 0, id: nextCallId() }, name, JSON.stringify(args))),
  /** The call has no id. */
  missingId: (name: string, args: unknown): ModelScript => [wholeCall({ index: 0 }, name, JSON.stringify(args))],
  /** The id is an empty string. */
  emptyId: (name: string, args: unknown): ModelScript => [wholeCall({ index: 0, id: "" }, name, JSON.stringify(args))],
  /** Every delta repeats id and name. */
  repeatedHead(name: string, args: unknown): ModelScript {
    const id = nextCallId();
    return cutText(JSON.stringify(args), 3).map((piece) => wholeCall({ index: 0, id }, name, piece));
  },
  /** The arguments are not JSON, whatever else they are. */
  brokenArguments: (name: string, text = '{"path": "a'): ModelScript => [
    wholeCall({ index: 0, id: nextCallId() }, name, text),
  ],
  /** `arguments` is an object instead of JSON text. */
  objectArguments: (name: string, args: object): ModelScript => [wholeCall({ index: 0, id: nextCallId() }, name, args)],
  /** `arguments` is an empty string, as for a tool without parameters. */
  emptyArguments: (name: string): ModelScript => [wholeCall({ index: 0, id: nextCallId() }, name, "")],
  /** A complete call, but the finish reason says `stop`. */
  finishedAsStop: (name: string, args: unknown): ModelScript => [...callTool(name, args), ...finish("stop")],
  /** The answer hit its length limit inside the arguments. */
  cutByLength(name: string, args: unknown): ModelScript {
    const text = JSON.stringify(args);
    const head = wholeCall({ index: 0, id: nextCallId() }, name, "");
    return [head, argumentsStep(0, text.slice(0, Math.ceil(text.length / 2))), ...finish("length")];
  },
  /** Finish reason `tool_calls` without any call. */
  announcedButMissing: (): ModelScript => finish("tool_calls"),
};

function wholeCall(head: { readonly index?: number; readonly id?: string }, name: string, args: unknown): ModelStep {
  return { kind: "tool", delta: { ...head, type: "function", function: { name, arguments: args } } };
}

function withoutIndex(step: ModelStep): ModelStep {
  if (step.kind !== "tool") return step;
  const { index: _, ...delta } = step.delta;
  return { ...step, delta };
}
