import type {
  AccountId,
  Choice,
  Conversation,
  ConversationId,
  Instant,
  MediaRef,
  Role,
  Settlement,
  StreamFrame,
  ThreadId,
  TurnId,
} from "@talaria/protocol";

/** One line of a web conversation as people see it. */
export interface WebLine {
  readonly id: string;
  readonly from: "person" | "agent";
  readonly displayName: string;
  readonly markdown: string;
  readonly at: Instant;
  /** What came with it, by the address below which the content is. */
  readonly files?: readonly WebFile[];
  readonly turnId?: TurnId;
  /** How many calls its turn has made, and how many of them failed. */
  readonly steps?: WebStepCount;
  /** How the turn behind an agent's line ended. */
  readonly outcome?: "completed" | "failed" | "aborted";
  /** The buttons below an agent's line. */
  readonly choices?: readonly Choice[];
  /** How the question ended, or what of it: `words` say so, and `choices` are the ids of those that decide nothing any more. */
  readonly closed?: { readonly words: string; readonly choices: readonly string[] };
  /** How the calls stand that the line asks about. */
  readonly question?: WebQuestion;
  /** Why the turn failed whose answer this is, and whether it can be tried again now. */
  readonly failure?: { readonly code: string; readonly canRetry: boolean };
  /** A person typed a command, or pressed a button of the line `of`: then `markdown` is what is written on it. */
  readonly did?: "command" | "press";
  readonly of?: string;
  readonly threadId?: ThreadId;
}

export interface WebQuestion {
  /** `waiting` while a call does. */
  readonly state: "waiting" | "settled";
  readonly calls: readonly {
    readonly id: string;
    readonly state: "waiting" | Settlement;
    /** Who decided; absent where a rule or nobody did. */
    readonly by?: string;
    readonly at?: Instant;
    readonly choice?: string;
    readonly scope?: string;
    readonly expiresAt?: Instant;
  }[];
}

export interface WebHistory {
  /** Oldest first. */
  readonly lines: readonly WebLine[];
  /** What goes on with older ones. */
  readonly next?: string;
}

/** An answer that is not whole yet. */
export interface WebRunning {
  readonly turnId: TurnId;
  readonly startedAt: Instant;
  readonly text: string;
  /** It only waits for people. */
  readonly isAsking: boolean;
  readonly doing?: string;
}

/** Names a conversation: without an account, one of the console's own. */
export interface WebPlace {
  readonly accountId?: AccountId;
  readonly conversationId: ConversationId;
}

/** One conversation in a list, in the words of strangers. */
export interface WebConversation extends Required<WebPlace> {
  readonly platform: string;
  readonly kind: Conversation["kind"];
  readonly title?: string;
  readonly knownAs?: string;
  readonly beginning?: string;
  readonly preview: string;
  readonly previewFrom?: "person" | "agent";
  readonly lastAt: Instant;
  readonly unread: number;
  readonly isRunning: boolean;
  readonly waiting: number;
}

export interface WebConversations {
  readonly chats: readonly WebConversation[];
  readonly next?: string;
  readonly isPartial?: true;
}

export interface WebStepCount {
  readonly count: number;
  readonly failed: number;
}

/** What a turn did: the newest 200 calls, oldest first, each with the beginning of its result; `open` ones have none. */
export interface WebSteps {
  readonly steps: readonly (
    | { readonly label: string; readonly state: "open" }
    | {
        readonly label: string;
        readonly state: "done" | "failed";
        readonly result: string;
        readonly leftOutChars: number;
      }
  )[];
  /** How many calls came before them. */
  readonly earlier: number;
}

export interface WebFile {
  readonly ref: MediaRef;
  readonly name: string;
  readonly mimeType: string;
  readonly byteLength?: number;
}

export type WebSignal =
  /** A piece of a growing reply. Expendable. */
  | { readonly type: "frame"; readonly frame: StreamFrame }
  /** New lines may be in the history. */
  | { readonly type: "sent"; readonly conversationId: ConversationId }
  /** Something has begun, ended or been said in a conversation of another platform. */
  | { readonly type: "elsewhere" };

/** What the web chat needs of the house: its history, and news from whichever process has them. */
export interface WebChannel {
  /** The rights of whoever has the token. */
  readonly role: Role;
  /** The newest conversations, of every account with `all`. Throws `invalid_request` for a `before` that is none. */
  conversations(query: {
    readonly all: boolean;
    readonly limit: number;
    readonly before?: string;
    readonly words?: string;
  }): Promise<WebConversations>;
  /** `""` takes the name away. Undefined: there is no such conversation. */
  name(conversationId: ConversationId, title: string): Promise<{ readonly isNamed: boolean } | undefined>;
  /** Undefined: there is no such conversation. */
  read(conversationId: ConversationId, upTo: Instant): Promise<{ readonly unread: number } | undefined>;
  /** Deletes it, and ends what is under way there. */
  forget(conversationId: ConversationId, signal: AbortSignal): Promise<void>;
  /** The turn that a retry would take now. */
  retriable(conversationId: ConversationId): Promise<TurnId | undefined>;
  /** The newest `limit` lines before an instant or the `next` of another page. Throws `invalid_request` for one that is neither. */
  history(place: WebPlace, limit: number, before?: string): Promise<WebHistory>;
  /** A file of any line that is kept. */
  file(place: WebPlace, ref: string): Promise<WebFile | undefined>;
  /** Undefined: no turn is open. */
  running(place: WebPlace): Promise<WebRunning | undefined>;
  /** Those turns that have called something. */
  stepCounts(turnIds: readonly TurnId[]): Promise<ReadonlyMap<TurnId, WebStepCount>>;
  /** Of a turn that is not this conversation's: nothing. */
  steps(place: WebPlace, turnId: TurnId): Promise<WebSteps>;
  /** Keeps a file as it comes. Throws `too_large` above the configured limits. */
  keep(content: AsyncIterable<Uint8Array>, claimedType: string, signal: AbortSignal): Promise<Omit<WebFile, "name">>;
  /** Tells every gateway that a line was added. Lossy. */
  announce(conversationId: ConversationId): void;
  /** Calls `receive` for every signal until the answer is called. */
  subscribe(receive: (signal: WebSignal) => void): () => void;
}
