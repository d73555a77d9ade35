import { type ModelRequest, type ModelScript, type Respond, say, textOf } from "@talaria/testkit";

/** What people write in these tests: a name that nothing else contains, so that an answer shows what it answers. */
const name = /\bq\d+\b/g;

let last = 0;

/** A new question. */
export function question(): string {
  last += 1;
  return `q${last}`;
}

/** The questions that texts mention, in their order. */
export function questionsIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.match(name) ?? []);
}

/** Makes one answer of the model out of the ordinary one. */
export type Plan = (answer: ModelScript) => ModelScript;

/** Answers every question since the last answer by its name; plans come first, one per request. */
export class Answers {
  readonly #plans = new Map<string, Plan[]>();

  plan(asked: string, ...plans: readonly Plan[]): void {
    this.#plans.set(asked, [...plans]);
  }

  readonly respond: Respond = (request) => {
    const asked = openQuestions(request);
    const answer = say(`answer to ${asked.join(" and ")}`);
    const planned = asked.map((each) => this.#plans.get(each) ?? []).find(({ length }) => length > 0);
    return planned?.shift()?.(answer) ?? answer;
  };
}

/** What the user said after the last finished answer. */
export function openQuestions({ messages }: ModelRequest): readonly string[] {
  const answered = messages.findLastIndex(({ role, tool_calls }) => role === "assistant" && tool_calls === undefined);
  const open = messages.slice(answered + 1).filter(({ role }) => role === "user");
  return questionsIn(open.map(textOf));
}
