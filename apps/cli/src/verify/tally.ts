import type { Line } from "./web-chat.ts";

/** What became of the messages of one or more conversations. */
export interface Tally {
  /** Messages that the gateway has taken. */
  readonly sent: number;
  /** Those whose turn ended with a text in the conversation. One answer may stand for several of them. */
  readonly answered: number;
  readonly lost: number;
  /** Messages or answers that are there more than once. */
  readonly duplicated: number;
  /** Messages or answers that stand before an earlier one. */
  readonly reordered: number;
  /** Answers that only say that something went wrong. */
  readonly notices: number;
}

/** Compares what was sent, as event ids in order, with the history of its conversation. Texts do not matter. */
export function tallyOf(sent: readonly string[], history: readonly Line[]): Tally {
  const people = history.filter(({ from }) => from === "person");
  const answers = history.filter(({ from, turnId }) => from === "agent" && turnId !== undefined);
  const answeredTurns = new Set(answers.map(({ turnId }) => turnId));
  const turnOf = new Map(people.map(({ id, turnId }) => [id, turnId]));
  const answered = sent.filter((id) => turnOf.has(id) && answeredTurns.has(turnOf.get(id))).length;
  const turns = [...new Set(sent.map((id) => turnOf.get(id)))];
  return {
    sent: sent.length,
    answered,
    lost: sent.length - answered,
    duplicated: repeated(people.map(({ id }) => id)) + repeated(answers.map(({ turnId }) => turnId)),
    reordered:
      descents(people.map(({ id }) => sent.indexOf(id))) + descents(answers.map(({ turnId }) => turns.indexOf(turnId))),
    notices: answers.filter(({ outcome }) => outcome === "failed").length,
  };
}

export function totalOf(tallies: readonly Tally[]): Tally {
  const sum = (key: keyof Tally) => tallies.reduce((total, tally) => total + tally[key], 0);
  return {
    sent: sum("sent"),
    answered: sum("answered"),
    lost: sum("lost"),
    duplicated: sum("duplicated"),
    reordered: sum("reordered"),
    notices: sum("notices"),
  };
}

function repeated(items: readonly unknown[]): number {
  return items.length - new Set(items).size;
}

/** How often a place is followed by a smaller one. */
function descents(places: readonly number[]): number {
  return places.filter((place, index) => place < (places[index - 1] ?? -1)).length;
}
