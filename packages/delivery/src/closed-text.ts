import type { Adapter } from "@talaria/adapter";
import { cooperatively, takeChunk } from "@talaria/markdown";
import type { Choice } from "@talaria/protocol";
import type { AskedOutcome, ShownQuestion } from "@talaria/store";
import { notices } from "./notices.ts";
import { rulerFor } from "./parts.ts";

/** What was asked, and below how it ended. A question that fills its message loses its end. */
export async function closedText(
  question: ShownQuestion,
  adapter: Adapter,
  isShort: boolean,
  pause: () => Promise<void>,
): Promise<string> {
  const { maxTextLength } = adapter.capabilities;
  const words = closedWords(question.outcomes) ?? "";
  const whole = `${question.markdown}\n\n${words}`;
  const limit = isShort ? Math.floor(maxTextLength / 2) : maxTextLength;
  if ((await cooperatively(rulerFor(adapter, limit).share(whole), pause)) <= 1) return whole;
  const left = Math.max(1, limit - (adapter.measure?.(`…\n\n${words}`) ?? words.length + 3));
  const { chunk } = await cooperatively(takeChunk(question.markdown, rulerFor(adapter, left)), pause);
  return `${chunk} …\n\n${words}`;
}

/** How a question ended, as people read it. Undefined while all of it waits. */
export function closedWords(outcomes: readonly AskedOutcome[]): string | undefined {
  const lines = outcomes.flatMap((outcome) => {
    const words = wordsOf(outcome);
    if (words === undefined) return [];
    return outcomes.length === 1 ? [words] : [`\`${outcome.id}\`: ${words}`];
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** The buttons that still decide something. */
export function waitingChoices({ choices, outcomes }: ShownQuestion): readonly Choice[] {
  const waiting = outcomes.filter(({ settlement }) => settlement === undefined).map(({ id }) => id);
  return choices.filter(({ id }) => waiting.includes(id.split("-")[1] ?? ""));
}

function wordsOf({ settlement, by, choice, scope }: AskedOutcome): string | undefined {
  switch (settlement) {
    case undefined:
      return undefined;
    case "approved":
      return notices.approvedBy(by, scope);
    case "denied":
      return notices.deniedBy(by);
    case "answered":
      return notices.answeredBy(by, choice);
    case "expired":
      return notices.expired;
    case "cancelled":
      return notices.cancelled;
    default:
      return settlement satisfies never;
  }
}
