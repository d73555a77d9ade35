import type { Adapter } from "@talaria/adapter";
import { cooperatively, takeChunk } from "@talaria/markdown";
import { type Choice, callOfChoice } from "@talaria/protocol";
import type { AskedOutcome, ShownQuestion } from "@talaria/store";
import { escaped, inlineCode } from "./as-it-is.ts";
import { rulerFor } from "./parts.ts";
import type { Said } from "./row-words.ts";

/** What was asked, and below how it ended. A question that fills its message loses its end. */
export async function closedText(
  question: ShownQuestion,
  adapter: Adapter,
  isShort: boolean,
  said: Said,
  pause: () => Promise<void>,
): Promise<string> {
  const { maxTextLength } = adapter.capabilities;
  const words = closedWords(question.outcomes, said, question.askedSince) ?? "";
  const whole = `${question.markdown}\n\n${words}`;
  const limit = isShort ? Math.floor(maxTextLength / 2) : maxTextLength;
  if ((await cooperatively(rulerFor(adapter, limit).share(whole), pause)) <= 1) return whole;
  const left = Math.max(1, limit - (adapter.measure?.(`…\n\n${words}`) ?? words.length + 3));
  const { chunk } = await cooperatively(takeChunk(question.markdown, rulerFor(adapter, left)), pause);
  return `${chunk} …\n\n${words}`;
}

/**
 * How a question ended, as people read it; of several, by their places in the list. Undefined while all of it waits. `askedSince`: an
 * owner was asked elsewhere later.
 */
export function closedWords(outcomes: readonly AskedOutcome[], said: Said, askedSince = false): string | undefined {
  const lines = outcomes.flatMap((outcome, index) => {
    const words = wordsOf(outcome, said);
    if (words === undefined) return [];
    return outcomes.length === 1 ? [words] : [`**${index + 1}.** ${words}`];
  });
  const waits = outcomes.some(({ settlement }) => settlement === undefined);
  const all = waits && askedSince ? [...lines, said.askedSince] : lines;
  return all.length === 0 ? undefined : all.join("\n\n");
}

/**
 * The buttons that still decide something: those for all that is listed, while several wait. `byPlace`: people choose by a place in the
 * list, so that none is left out before the last is decided.
 */
export function waitingChoices(
  { choices, outcomes }: Pick<ShownQuestion, "choices" | "outcomes">,
  byPlace = false,
): readonly Choice[] {
  const waiting = outcomes.filter(({ settlement }) => settlement === undefined).map(({ id }) => id);
  if (byPlace) return waiting.length === 0 ? [] : choices;
  return choices.filter(({ id }) => (isForAll(id) ? waiting.length > 1 : waiting.includes(callOfChoice(id) ?? "")));
}

function isForAll(choiceId: string): boolean {
  return choiceId.startsWith("approveall-") || choiceId.startsWith("denyall-");
}

function wordsOf(outcome: AskedOutcome, said: Said): string | undefined {
  const { settlement, by: name, isTakenBack, isByRule, notDone, choice, scope, person, group } = outcome;
  const by = name === undefined || name.trim() === "" ? undefined : inlineCode(name);
  if (person !== undefined) return said.aboutPerson(person, by);
  if (group !== undefined) return said.aboutGroup(group, by);
  switch (settlement) {
    case undefined:
      return undefined;
    case "approved":
      return said.approvedBy(by, scope);
    case "denied":
      if (isByRule) return said.deniedByRule;
      return isTakenBack ? said.takenBackBy(by) : said.deniedBy(by);
    case "answered":
      return said.answeredBy(by, choice === undefined ? undefined : escaped(choice));
    case "expired":
      return said.expired;
    case "cancelled":
      return notDone === undefined ? said.cancelled : said.notDone;
    default:
      return settlement satisfies never;
  }
}
