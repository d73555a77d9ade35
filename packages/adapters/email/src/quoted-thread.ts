export interface Author {
  readonly name: string;
  readonly address: string;
}

/** What the head of a mail tells of the thread that its text may quote. */
export interface QuotedThread {
  readonly subject: string;
  /** It names a mail that it answers, whoever wrote that. */
  readonly isAnswer: boolean;
  /** One of the mails before it is ours. */
  readonly isOurs: boolean;
  /** Our own address. */
  readonly address: string;
  readonly author?: Author;
}
