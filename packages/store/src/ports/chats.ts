import type {
  AccountId,
  Choice,
  Conversation,
  ConversationId,
  Instant,
  MediaRef,
  ProcessId,
  SessionKey,
  ThreadId,
  TurnId,
} from "@talaria/protocol";
import type { AskedOutcome } from "./outbox.ts";
import type { EndedSession } from "./rights.ts";

export interface ChatKey {
  readonly accountId: AccountId;
  readonly conversationId: ConversationId;
}

/** One conversation in a list. */
export interface Chat extends ChatKey {
  readonly platform: string;
  readonly kind: Conversation["kind"];
  /** What an operator called it. */
  readonly title?: string;
  /** What it is called on its platform: a group's title, a person's name. */
  readonly knownAs?: string;
  /** The beginning of the first message that is still kept. Only of the console's own. */
  readonly beginning?: string;
  /** The beginning of the newest line, or of the one that was found. Markdown of strangers. */
  readonly preview: string;
  readonly previewFrom?: "person" | "agent";
  readonly lastAt: Instant;
  /** Lines of the agent since the newest that was read or that a person wrote since, 100 at most. */
  readonly unread: number;
  /** A turn is open. */
  readonly isRunning: boolean;
  /** Questions that nobody has answered. */
  readonly waiting: number;
}

export interface ChatQuery {
  /** Absent: of every account. */
  readonly accountId?: AccountId;
  /** At most 100. */
  readonly limit: number;
  /** The `next` of the page before. */
  readonly before?: string;
  /** Words that all have to begin words of its name, or of one line. */
  readonly words?: string;
}

export interface ChatPage {
  /** The latest first. */
  readonly chats: readonly Chat[];
  /** Absent: these are the last. */
  readonly next?: string;
  /** The search was cut short: some may be missing. */
  readonly isPartial?: true;
}

export interface ChatFile {
  readonly ref: MediaRef;
  readonly name: string;
  readonly mimeType: string;
  readonly byteLength?: number;
}

/** One line of a conversation as people saw it. */
export interface ChatLine {
  readonly id: string;
  readonly from: "person" | "agent";
  readonly displayName: string;
  readonly markdown: string;
  readonly at: Instant;
  readonly threadId?: ThreadId;
  /** What came with it, by the refs of the store; what a person sent and was not fetched, or is not kept any more, by those of its platform. */
  readonly files?: readonly ChatFile[];
  readonly turnId?: TurnId;
  /** How the turn behind a line of the agent ended. */
  readonly outcome?: "completed" | "failed" | "aborted";
  /** Why a turn failed whose answer this is, and whether it is the one that a retry would take now. */
  readonly failure?: { readonly code: string; readonly canRetry: boolean };
  /** The buttons below a line of the agent. */
  readonly choices?: readonly Choice[];
  /** How the calls stand that it asks about. */
  readonly outcomes?: readonly AskedOutcome[];
  /** A person typed a command, or pressed a button: then `markdown` is what was written on it, and `of` the line that has it. */
  readonly did?: "command" | "press";
  readonly of?: string;
}

export interface ChatHistory {
  /** Oldest first. */
  readonly lines: readonly ChatLine[];
  /** Goes on with older ones. Absent: these are the first. */
  readonly next?: string;
}

/** An answer that is not whole yet. */
export interface RunningReply {
  readonly turnId: TurnId;
  readonly startedAt: Instant;
  /** As it was a second ago, or a little more. */
  readonly text: string;
  /** It only waits for people. */
  readonly isAsking: boolean;
  /** The newest call that has no result, in words. */
  readonly doing?: string;
}

/** Conversations as people read them: lists, searches, history, and what they do to one. */
export interface ChatStore {
  /** Throws `invalid_request` for a place that is none. A search takes two seconds at most. */
  list(query: ChatQuery): Promise<ChatPage>;
  /** The newest `limit` lines before a place: an instant, or the `next` of another page. Throws `invalid_request` for a place that is none. */
  history(key: ChatKey, limit: number, before?: string): Promise<ChatHistory>;
  /** A file of any of its lines, by its ref. */
  file(key: ChatKey, ref: string): Promise<ChatFile | undefined>;
  /** Of the turn that began last. Undefined: no turn is open. */
  running(key: ChatKey): Promise<RunningReply | undefined>;
  /** The turn that a retry would take now. */
  retriable(sessionKey: SessionKey): Promise<TurnId | undefined>;
  /** `""` takes the name away. Undefined: there is no such conversation. */
  name(key: ChatKey, title: string): Promise<{ readonly isNamed: boolean } | undefined>;
  /** Counts what was said in that millisecond or before as read. Undefined: there is no such conversation. */
  read(key: ChatKey, upTo: Instant): Promise<{ readonly unread: number } | undefined>;
  /** Hides what was said until now, ends what is under way, and removes what nothing uses any more. */
  forget(
    key: ChatKey & { readonly sessionKey: SessionKey; readonly why: string },
    signal: AbortSignal,
  ): Promise<{ readonly holder?: ProcessId; readonly ended: readonly Required<EndedSession>[] }>;
  /** Lists and searches know what is in the inbox and the outbox after this; `list` does as much itself as takes half a second. */
  catchUp(signal: AbortSignal): Promise<void>;
}
