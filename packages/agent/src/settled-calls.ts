import type { CallSettledEntry, ToolResultEntry, ToolWaitingEntry } from "./journal.ts";
import type { ToolCall } from "./model.ts";
import { senderName } from "./names.ts";
import { toolResult } from "./tool-result.ts";
import { escapedText, plainText, untrustedBlock } from "./untrusted-text.ts";

/** What the model reads of a call that waits when it goes on without the answer. */
export function waitingText({ shown }: Pick<ToolWaitingEntry, "shown">): string {
  return `WAITING: ${shown}\nThe answer comes later by itself. Go on without it, and do not make the call again.`;
}

/** What the model reads of a call that was settled without running. Undefined: it runs now. */
function settledText({ settlement, by, content, waitsFor }: CallSettledEntry): string | undefined {
  const reason = content === undefined ? "" : ` ${sentence(plainText(content))}`;
  switch (settlement) {
    case "approved":
      return undefined;
    case "denied":
      if (by?.role === "system")
        return `DENIED by the operator's rules, which have changed since.${reason} Tell people so, and do not try it again.`;
      return `DENIED by ${by === undefined ? "somebody who may decide" : senderName(by)}.${reason} Do not try it again unless they ask for it.`;
    case "expired":
      if (waitsFor === "process") return "It has run for so long that its end is not told any more.";
      return "EXPIRED: nobody has decided in time, so it was not done. Do not try it again unless somebody asks for it.";
    case "cancelled":
      return "Cancelled: it was not done.";
    case "answered":
      return content ?? "";
    default:
      return settlement satisfies never;
  }
}

function sentence(text: string): string {
  return /(?:^|[.!?…])$/.test(text.trim()) ? text : `${text}.`;
}

/** The result of a call that was settled without running now. `fit` makes its text short enough. */
export function settledResult(
  call: ToolCall,
  settled: CallSettledEntry,
  fit: (text: string) => string,
): ToolResultEntry {
  const isAnswered = settled.settlement === "answered";
  const result = toolResult(call, fit(settledText(settled) ?? ""), !isAnswered);
  return isAnswered ? { ...result, ...settled.brought } : result;
}

/**
 * How the model reads the result of a call for which it did not wait. The note is ours; what a tool brought, or somebody filled
 * in, stands behind it as what it is: no words of ours, and none of the people who ask.
 */
export function lateNote(settled: CallSettledEntry, { content, untrusted }: ToolResultEntry): string {
  const { name, waitsFor, settlement, by, content: reason, brought } = settled;
  const call = escapedText(`${name}(${settled.arguments})`);
  if (settlement === "answered" && brought !== undefined)
    return `<note>The call ${call}, which went on beside your answers, has ended, with this result:</note>\n${untrusted ? content : untrustedBlock(content)}`;
  if (settlement === "answered" && waitsFor === "process")
    return `<note>The call ${call}, which went on after its result, has ended, with this news:</note>\n${untrusted ? content : untrustedBlock(content)}`;
  const opening = `The call ${call}, which waited for: ${waitsFor},`;
  if (settlement !== "approved" && settlement !== "answered")
    return `<note>${opening} has its answer: ${escapedText(content)}</note>`;
  const approved = ` was approved by ${by === undefined ? "somebody" : senderName(by)}${reason === undefined ? "" : ` (${reason})`}`;
  const decided = settlement === "approved" ? `${approved}, and this is its result` : " has its answer";
  return `<note>${opening}${escapedText(decided)}:</note>\n${untrusted ? content : untrustedBlock(content)}`;
}
