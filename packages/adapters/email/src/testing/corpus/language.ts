/** What mail programs write in one language around a mail of somebody's. */
export interface Language {
  readonly code: string;
  /** What the sender writes this time. */
  readonly own: readonly [string, string];
  /** What was written before. */
  readonly old: readonly [string, string];
  /** The line above a quote; `{who}` is its author. */
  readonly gmail: string;
  readonly apple: string;
  /** Outlook's labels of author, moment, recipient, subject. */
  readonly head: readonly [string, string, string, string];
  readonly sent: string;
  readonly prefix: { readonly answer: string; readonly forward: string };
  readonly mobile: string;
  /** What stands above a mail that is passed on, in Apple Mail and between dashes in Thunderbird. */
  readonly forward: { readonly apple: string; readonly rule: string };
}
