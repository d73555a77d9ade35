import type { Platform } from "@talaria/protocol";

/** The people of every stage. Ada has the direct conversation; all three are in the group. */
export type Person = "ada" | "bob" | "cleo";

export interface SaidWith {
  /** Addresses the agent as people do on this platform: a mention. Direct conversations need none. */
  readonly mention?: boolean;
  /** A picture that comes with the text. */
  readonly picture?: Uint8Array;
  /** A text file that comes with the text. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
  /** The message that it answers, by what `say` gave. Where people can't answer a message, it is an ordinary one. */
  readonly replyTo?: string;
  /** Who sees it beside the agent, where that is no matter of the place: mail. */
  readonly seenBy?: readonly Person[];
  /** The text is somebody else's message, which is passed on from elsewhere. */
  readonly isForward?: boolean;
}

/** One message of the agent, as people see it at the moment of looking. */
export interface SeenAnswer {
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** What the buttons below it say. */
  readonly buttons?: readonly string[];
}

export interface Place {
  /** Returns the id of the message. */
  say(person: Person, text: string, options?: SaidWith): Promise<string>;
  /** The agent's messages, oldest first; drafts and deleted ones left out. */
  answers(): readonly SeenAnswer[];
  /** What people see now, the unfinished included. */
  glance(): string;
}

/** A platform's emulator as a person uses it: the same acts and views for every platform. */
export interface PlatformStage extends AsyncDisposable {
  readonly platform: Platform;
  /** The account's entry of the configuration: everybody may write. */
  readonly account: Readonly<Record<string, unknown>>;
  readonly direct: Place;
  /** Undefined where an agent can't be in a group. */
  readonly group?: Place;
  /** A direct conversation with somebody new of this name, a word; whoever `say` names, they speak there. */
  meet(name: string): Place;
  /** How the platform shows what is being written to one person; mail and WhatsApp don't. */
  readonly progress: "none" | "draft" | "message";
  /** Whether people and the agent can send files. */
  readonly files: boolean;
  /** Length of a text that fills more than half of a message and fits into it, in characters. Undefined where any answer is one message. */
  readonly longText?: number;
  /** The same delivery, sent twice, appears once. */
  readonly neverDoubles: boolean;
  /** Tells the platform where the gateway listens, for those that call it. */
  reachedAt(gatewayUrl: string): Promise<void>;
  /** The agent's next new message with these words is posted, and its sender never learns so. Resolves once it is. */
  loseNextAnswer(words: string): Promise<void>;
}

/** A condition for a fault, and when it was met. */
export function noticing<Call>(fits: (call: Call) => boolean): {
  readonly when: (call: Call) => boolean;
  readonly met: Promise<void>;
} {
  const { promise: met, resolve } = Promise.withResolvers<void>();
  const when = (call: Call) => {
    const isMet = fits(call);
    if (isMet) resolve();
    return isMet;
  };
  return { when, met };
}
