import type { Asker, EventId, Sender } from "@talaria/protocol";
import { z } from "zod";
import type { Verdict } from "./authorise.ts";
import type { CallSettledEntry, ToolWaitingEntry } from "./journal.ts";
import { type ModelStop, mostArgumentChars, type ToolCall, tooLongArguments } from "./model.ts";
import { unansweredResult, unknownResult } from "./render.ts";
import { type Tool, toolSpecs } from "./tool.ts";

const mostInputChars = 4_000;

/** A call that may run, what its caller reads instead, or what it waits for. */
export type CheckedCall =
  | { readonly status: "ready"; readonly call: ToolCall; readonly tool: Tool; readonly input: unknown }
  /** `forbidden`: the settlement that had approved it. */
  | { readonly status: "refused"; readonly call: ToolCall; readonly reason: string; readonly forbidden?: EventId }
  | { readonly status: "settled"; readonly call: ToolCall; readonly settled: CallSettledEntry }
  | {
      readonly status: "waits";
      readonly call: ToolCall;
      readonly tool: Tool;
      readonly input: unknown;
      readonly waiting: ToolWaitingEntry;
    };

export interface CallCircumstances {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Those of them that the model reads of in its request. Default: all. */
  readonly shownTools?: ReadonlySet<string>;
  readonly requesters: readonly Sender[];
  /** Why the answer with this call ended. */
  readonly stop: ModelStop;
  /** The journal says that the call was started before. */
  readonly wasStarted: boolean;
  /** It had asked people something then, and nobody had answered. */
  readonly isUnanswered?: boolean;
  /** It waited, and this is how that ended. */
  readonly settled?: CallSettledEntry | undefined;
  /** `askers`: for whom a call that was settled goes on. Undefined: for everyone who asks in this turn. */
  readonly authorise: (tool: Tool, call: ToolCall, input: unknown, askers: readonly Asker[] | undefined) => Verdict;
}

/** Decides whether a call may run. Pure: touches nothing outside. */
export function checkCall(call: ToolCall, circumstances: CallCircumstances): CheckedCall {
  const { tools, requesters, stop, wasStarted, settled, authorise } = circumstances;
  const refuse = (reason: string) => ({ status: "refused", call, reason }) as const;
  if (settled !== undefined && settled.settlement !== "approved") return { status: "settled", call, settled };
  const tool = tools.get(call.name);
  if (wasStarted && tool?.effect !== "read")
    return refuse(circumstances.isUnanswered === true ? unansweredResult : unknownResult);
  if (stop === "max_tokens") {
    return refuse("Error: not run, because the answer was cut off at the length limit. Make a smaller call.");
  }
  if (tool === undefined) {
    return refuse(`Error: there is no tool called "${call.name}". ${namesOf(circumstances)}`);
  }
  if (call.arguments === tooLongArguments) {
    return refuse(
      `Error: not run, because its arguments have more than ${mostArgumentChars} characters. Make smaller calls.`,
    );
  }
  if (tool.effect === "write" && requesters.some((sender) => sender.assurance === "claimed")) {
    return refuse(
      "Error: refused. Somebody who asks here is not verified, and this tool changes things. " +
        "Do not try again; say that a verified person has to ask.",
    );
  }
  const parsed = parseInput(tool, call.arguments);
  if (parsed.status === "bad")
    return refuse(`Error: the arguments are not valid.\n${parsed.problem}${unreadInput(tool, circumstances)}`);
  const verdict = wasStarted ? approved : authorise(tool, call, parsed.input, settled?.askers);
  if (settled !== undefined && verdict.decision !== "deny") return { status: "ready", call, tool, input: parsed.input };
  switch (verdict.decision) {
    case "allow":
      return { status: "ready", call, tool, input: parsed.input };
    case "deny":
      if (settled === undefined) return refuse(`Error: not allowed. ${verdict.reason}`);
      return { ...refuse(`Error: not allowed. ${forbiddenSince}${verdict.reason}`), forbidden: settled.id };
    case "ask":
      return { status: "waits", call, tool, input: parsed.input, waiting: askFor(call, verdict) };
    default:
      return verdict satisfies never;
  }
}

function namesOf({ tools, shownTools }: Pick<CallCircumstances, "tools" | "shownTools">): string {
  const names = [...(shownTools ?? tools.keys())].sort();
  return `There is: ${names.join(", ")}${tools.has("find_tools") ? "; find_tools knows the others" : ""}`;
}

/** Whoever guesses has not read how it is called. */
function unreadInput(tool: Tool, { shownTools }: Pick<CallCircumstances, "shownTools">): string {
  const [spec] = shownTools === undefined || shownTools.has(tool.name) ? [] : toolSpecs([tool]);
  return spec === undefined ? "" : `\nIts input: ${JSON.stringify(spec.parameters).slice(0, mostInputChars)}`;
}

/** An agreement never lifts what the policy has forbidden meanwhile. */
const forbiddenSince = "Somebody approved this call, but it is forbidden by now: it did not run. Tell them so. ";

/** It was decided before. */
const approved: Verdict = { decision: "allow" };

function askFor({ callId, name }: ToolCall, verdict: Extract<Verdict, { decision: "ask" }>): ToolWaitingEntry {
  const { shown, words, expiresAt, approver, rule, offer } = verdict;
  const waiting = {
    kind: "tool.waiting",
    callId,
    name,
    waitsFor: "approval",
    shown,
    expiresAt,
    approver,
    rule,
  } as const;
  return { ...waiting, ...(words && { words }), ...(offer && { offer }) };
}

type Parsed = { readonly status: "ok"; readonly input: unknown } | { readonly status: "bad"; readonly problem: string };

function parseInput(tool: Tool, text: string): Parsed {
  const json = parseJson(text.trim() === "" ? "{}" : text);
  if (json.status === "bad") return json;
  if (json.input === null || typeof json.input !== "object" || Array.isArray(json.input)) {
    return { status: "bad", problem: "Expected one JSON object." };
  }
  const checked = tool.input.safeParse(json.input);
  return checked.success
    ? { status: "ok", input: checked.data }
    : { status: "bad", problem: z.prettifyError(checked.error) };
}

function parseJson(text: string): Parsed {
  try {
    return { status: "ok", input: JSON.parse(text) };
  } catch (error) {
    return { status: "bad", problem: `No valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
