/** What a person types when `talaria setup` asks; the answers are the stage's own keys unless `typed` has others. */
export interface SetupCase {
  /** The questions in order, each with its first words and the key it is about. */
  readonly questions: readonly (readonly [question: string, key: string])[];
  /** Keys that only an emulator needs. */
  readonly set: readonly string[];
  readonly secrets: readonly string[];
  readonly typed?: Readonly<Record<string, string>>;
  /** Wrong answers by key: what is typed, and the field and remedy named in response. */
  readonly wrong: readonly (readonly [key: string, typed: string, told: RegExp])[];
  /** Wrong answers that show only when somebody has written and is answered. */
  readonly wrongLater?: SetupCase["wrong"];
  /** Clocks of mail servers differ: what came in the minute before the first start is answered too. */
  readonly looksBack?: true;
}
