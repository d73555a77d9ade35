/** One thing that only the operator knows. */
export interface SetupQuestion {
  /** The key of the account's entry; dots lead into mappings. */
  readonly key: string;
  readonly text: string;
  /** Not shown while it is typed, and kept in a file of its own. */
  readonly secret?: true;
  /** Taken when nothing is typed; a missing one makes the question mandatory, an empty one leaves the key out. */
  readonly preset?: string | (() => string);
  /** How the answer stands in the file; a text unless told otherwise. A list is typed with spaces or commas. */
  readonly form?: "number" | "list";
}

/** What `talaria setup` says and asks. The whole story is in the platform's `GUIDE.md`. */
export interface SetupGuide {
  /** Where the answers are found, one step per line. */
  readonly steps: readonly string[];
  readonly questions: readonly SetupQuestion[];
  /** What an account that is set up now has beside the answers, such as what a platform has changed for new ones. */
  readonly settings?: Readonly<Record<string, boolean | string>>;
  /** What a person does to prove the way there and back. `<account>` stands for the account's name. */
  readonly greet: string;
}
