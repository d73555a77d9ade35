import type { AccountId, Sender, UserId } from "@talaria/protocol";

/** How somebody stands who is in no list of the configuration and has asked to talk to the agent. */
export const standings = ["waiting", "approved", "ignored", "blocked", "removed"] as const;

export type Standing = (typeof standings)[number];

export interface PersonDecision extends Welcomes {
  readonly id: string;
  /** Nothing happens to somebody who stands otherwise by now. */
  readonly from: readonly Standing[];
  /** `forgotten`: they may ask anew. */
  readonly to: Exclude<Standing, "waiting"> | "forgotten";
  readonly by?: Sender;
}

/** Somebody who is let in, or blocked, by their id on an account. */
export interface AddedPerson extends Welcomes {
  readonly accountId: AccountId;
  readonly userId: UserId;
  /** What they called themselves where they have written. */
  readonly displayName?: string;
  /** Absent: `approved`. */
  readonly to?: "approved" | "blocked";
  readonly by?: Sender;
}

export interface Welcomes {
  /** What somebody reads who is let in, where they asked; `answering`, where their words are answered now. */
  readonly welcome: Welcome;
  readonly answering: Welcome;
}

/** Markdown, by whether all that they sent was kept, all but files, or not all of their words either. */
export type Welcome = Readonly<Record<"all" | "files" | "words", string>>;
