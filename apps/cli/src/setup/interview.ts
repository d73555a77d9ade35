import type { SetupQuestion } from "@talaria/adapter";

/** One of several things, by its number, its name or a part of it. */
export interface Choice {
  readonly text: string;
  readonly options: readonly ChoiceOption[];
  /** The value that is taken when nothing is typed. */
  readonly preset?: string | undefined;
  /** What is none of the options is taken as it was typed. */
  readonly isOpen?: boolean;
  /** Other words for the options. Undefined when it is none. */
  readonly meant?: (typed: string) => string | undefined;
}

export interface ChoiceOption {
  readonly value: string;
  readonly label?: string;
  /** Stands behind it. */
  readonly hint?: string;
}

/** Questions to whoever sets something up. Ctrl-C ends the process at once, and nothing is written then. */
export interface Interview extends Disposable {
  /** The answers come from a person, who can be asked again. */
  readonly isInteractive: boolean;
  /** Undefined: nothing was typed and nothing has to be. Throws when the input ends. */
  answer(question: SetupQuestion): Promise<string | undefined>;
  /** `preset` is the answer when nothing is typed. */
  confirm(text: string, preset: "yes" | "no"): Promise<boolean>;
  /** The value of an option, or what was typed for an open choice. Throws for what is none where nobody can be asked again. */
  choose(choice: Choice): Promise<string>;
}
