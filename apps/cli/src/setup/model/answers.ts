import type { SetupQuestion } from "@talaria/adapter";
import type { KnownProvider, OfferedModel } from "@talaria/models";
import type { Interview } from "../interview.ts";

/** What may be asked again, in the order in which it is asked. */
const keys = ["provider", "baseUrl", "apiKey", "model"] as const;
export type AnswerKey = (typeof keys)[number];

/**
 * Something is wrong that a person can mend. `about`: what has to be asked again, or nothing but the last questions; without it, what
 * to change is asked, too.
 */
export class Mistake extends Error {
  readonly about: AnswerKey | "facts" | undefined;

  constructor(message: string, about?: AnswerKey | "facts") {
    super(message);
    this.about = about;
  }
}

/** Where a server was found to answer, and what it offers. */
export interface Place {
  /** Undefined: the dialect's own. */
  readonly baseUrl: string | undefined;
  /** Where it may be instead, while nobody has seen it answer. */
  readonly others: readonly string[];
  /** Undefined where nothing lists them. */
  readonly offer: readonly OfferedModel[] | undefined;
}

interface AskedKey extends SetupQuestion {
  readonly key: AnswerKey;
  readonly nothing?: string;
}

/** The answers so far. What was wrong is asked again, with what was typed as the preset; all others stand. */
export class Answers {
  readonly interview: Interview;
  provider: KnownProvider | undefined;
  place: Place | undefined;
  /** The model that has called a tool and answered. */
  proven: string | undefined;
  readonly #given: Map<string, string>;
  readonly #answers = new Map<AnswerKey, string>();
  readonly #former = new Map<AnswerKey, string>();

  constructor(interview: Interview, given: ReadonlyMap<string, string>) {
    this.interview = interview;
    this.#given = new Map(given);
  }

  /** What stands for this key, or was given with the command. */
  known(key: AnswerKey): string | undefined {
    return this.#answers.get(key) ?? this.#given.get(key);
  }

  /** What was typed for it before it was found to be wrong. */
  former(key: AnswerKey): string | undefined {
    return this.#former.get(key);
  }

  note(key: AnswerKey, answer: string): string {
    this.#answers.set(key, answer);
    return answer;
  }

  /** Asks unless it is known. A secret that was typed before is kept when nothing is typed, and never shown. `nothing`: what Enter means before. */
  async answer({ nothing, ...question }: AskedKey): Promise<string | undefined> {
    const known = this.known(question.key);
    if (known !== undefined) return known || undefined;
    const former = this.former(question.key);
    const kept = former !== undefined && question.secret === true;
    const means = kept ? " (Enter keeps the one you gave)" : nothing === undefined ? "" : ` (Enter: ${nothing})`;
    const asked = {
      ...question,
      text: `${question.text}${means}`,
      ...(kept && { preset: "" }),
      ...(former !== undefined && !kept && { preset: former }),
    };
    const answer = (await this.interview.answer(asked)) ?? (kept ? former : undefined);
    this.note(question.key, answer ?? "");
    return answer;
  }

  /** A key that is wrong, and with a provider all that is its own. */
  forget(key: AnswerKey | "nothing"): void {
    if (key === "nothing") return;
    this.proven = undefined;
    const wrong = key === "provider" ? keys : [key];
    for (const each of wrong) {
      const answer = this.known(each);
      if (answer && key !== "provider") this.#former.set(each, answer);
      if (key === "provider") this.#former.delete(each);
      this.#answers.delete(each);
      this.#given.delete(each);
    }
    if (key === "provider") this.provider = undefined;
    if (key !== "model") this.place = undefined;
  }
}
