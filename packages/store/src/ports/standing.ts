import type { Sender } from "@talaria/protocol";

/** How somebody stands who is in no list of the configuration and has asked to talk to the agent. */
export const standings = ["waiting", "approved", "ignored", "blocked", "removed"] as const;

export type Standing = (typeof standings)[number];

export interface PersonDecision {
  readonly id: string;
  /** Nothing happens to somebody who stands otherwise by now. */
  readonly from: readonly Standing[];
  /** `forgotten`: they may ask anew. */
  readonly to: Exclude<Standing, "waiting"> | "forgotten";
  readonly by?: Sender;
  /** What somebody reads who is let in, where they asked; `answering`, where their words are answered now. Markdown. */
  readonly welcome: string;
  readonly answering: string;
}
