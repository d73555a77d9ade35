/** What an adapter says to people itself, in one language. Plain text. */
export interface PlatformWords {
  readonly buttonNotForYou: string;
  readonly commandNotForYou: string;
  /** Somebody has pressed a button of the same message before. `label`: of that button. */
  answeredAlready(label?: string): string;
  /** Stands above `prompts`. */
  readonly promptsTitle: string;
  /** What a new conversation is offered, at most four: what the button says, and the message that it sends in the person's name. */
  readonly prompts: readonly { readonly title: string; readonly message: string }[];
}
