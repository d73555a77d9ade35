import { type ChatActivity, type ChatState, type Draft, draftLifetimeMs } from "./chat-state.ts";
import { type SeenMessage, toSeenMessage } from "./seen-message.ts";
import { describeChat, type MessageTest, waitForMessage } from "./wait-for-message.ts";

/** What people see of a chat. */
export class ChatView {
  readonly state: ChatState;
  readonly #now: () => number;

  constructor(now: () => number, state: ChatState) {
    this.#now = now;
    this.state = state;
  }

  get id(): number {
    return this.state.id;
  }

  /** Every remembered message, deleted ones with their mark, oldest first. */
  messages(): SeenMessage[] {
    return [...this.state.messages.values()].map(toSeenMessage);
  }

  /** Messages of bots that people see now, oldest first. */
  botMessages(): SeenMessage[] {
    return this.messages().filter((message) => message.byBot && !message.deleted && !message.isService);
  }

  /** One message, deleted or not. */
  message(id: number): SeenMessage | undefined {
    const message = this.state.messages.get(id);
    return message && toSeenMessage(message);
  }

  /** Drafts shown so far, oldest first, at most 2,000. */
  drafts(): readonly Draft[] {
    return this.state.drafts;
  }

  /** The draft people see at the moment. */
  visibleDraft(): Draft | undefined {
    const draft = this.state.shownDraft;
    return draft && this.#now() - draft.at < draftLifetimeMs ? draft : undefined;
  }

  /** Chat actions such as `typing`, oldest first, at most 2,000. */
  activities(): readonly ChatActivity[] {
    return this.state.activities;
  }

  /** Calls `listener` with each message a bot sends, edits or deletes here. Returns how to stop. */
  onBotMessage(listener: (message: SeenMessage, change: "sent" | "edited" | "deleted") => void): () => void {
    return this.state.watch((change) => {
      if (change.type !== "sent" && change.type !== "edited" && change.type !== "deleted") return;
      if (change.message.from.is_bot) listener(toSeenMessage(change.message), change.type);
    });
  }

  /**
   * The first visible message of a bot that passes the test, now or later, also after an edit. A string means "contains it".
   * Rejects after `timeoutMs` with what is in the chat.
   */
  waitForBotMessage(test: MessageTest = () => true, timeoutMs = 120_000): Promise<SeenMessage> {
    return waitForMessage(this, test, timeoutMs);
  }

  /** The chat as text, for failure messages. */
  describe(): string {
    return describeChat(this);
  }
}
