import type { CheckedCall } from "./check-call.ts";
import type { ToolStartedEntry } from "./journal.ts";
import { shownWork } from "./shown-work.ts";
import { storable } from "./text.ts";
import type { TurnEvent } from "./turn-event.ts";
import type { WorkWords } from "./work-words.ts";

/** Of the words for what runs, which people read on one line. */
const doingChars = 80;

/** What runs now, in words for people. */
export function* runningNow(running: ReadonlySet<CheckedCall>, words: WorkWords): Generator<TurnEvent, void> {
  const [first, ...others] = [...running].filter(isReady);
  if (first === undefined) return;
  const doing = doingOf(first, words) ?? words.using(first.tool.name);
  yield { type: "status", label: others.length === 0 ? doing : words.andMore(doing, others.length) };
}

type ReadyCall = Extract<CheckedCall, { readonly status: "ready" }>;

function doingOf({ tool, input }: ReadyCall, words: WorkWords): string | undefined {
  const doing = tool.doing?.(input, words);
  return doing === undefined ? undefined : shownWork(doing, doingChars);
}

export function isReady(checked: CheckedCall): checked is ReadyCall {
  return checked.status === "ready";
}

/** With the words that people read of it. */
export function startOf(ready: ReadyCall, words: WorkWords): ToolStartedEntry {
  const { callId, name } = ready.call;
  const doing = doingOf(ready, words);
  return { kind: "tool.started", callId, name, ...(doing === undefined ? {} : { doing: storable(doing) }) };
}
