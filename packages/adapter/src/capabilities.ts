import type { MessageCapabilities } from "@talaria/protocol";

/** A token bucket: `burst` calls at once, then one more each `refillMs`. */
export interface Pace {
  readonly burst: number;
  readonly refillMs: number;
}

/** What may differ between the conversations of one account. What is absent, the platform cannot do there. */
export interface ConversationCapabilities {
  /** Rate limit per conversation; sends and edits share one bucket. */
  readonly conversationPace: Pace;
  /**
   * A growing reply has a form of its own: the adapter has `openReply`. Goes before `edit`; without either, people see
   * the reply when it is whole.
   */
  readonly view?: {
    readonly minIntervalMs: number;
    /** What a view has shown stays: it takes more text, and never other text. */
    readonly appends?: true;
  };
  /** A sent message can be changed, so a growing reply is one message that is edited. The adapter has `edit`. */
  readonly edit?: { readonly minIntervalMs: number };
  /** The adapter has `setTyping`; one call shows for so long. The sender renews it a little earlier. `words`: people see what is done. */
  readonly typing?: { readonly lastsMs: number; readonly words?: true };
}

/**
 * What an account's platform can do, as plain data. An absent object means that it cannot: there are no zeros. A yes or
 * no that is also an optional method of `Adapter` stands nowhere else: `delete`, `react`, `findSent`.
 */
export interface Capabilities extends MessageCapabilities, ConversationCapabilities {
  /** Rate limit for the whole account, all conversations together. Without it: no limit. */
  readonly accountPace?: Pace;
  /** The platform drops or answers with the first message when a deliveryKey is sent twice. Then `findSent` is of no use. */
  readonly idempotentSend: boolean;
  /**
   * A message can be shown to one person of a group alone. Nothing finds, changes or deletes it afterwards, so one whose outcome
   * is unknown is not sent again. It carries no files.
   */
  readonly privateTo?: true;
  /**
   * What a thread of a group is. `talks`: one exchange among those who take part, as on Slack: who writes there talks to them.
   * `rooms`: a place of its own with many exchanges, as Telegram's topics. Absent: there are none.
   */
  readonly threads?: "talks" | "rooms";
  /**
   * People's apps cut a longer text into several messages of at most so many UTF-16 units, one right after the other. Absent:
   * they don't. What looks like a part waits a moment for the next one.
   */
  readonly cutsTextAt?: number;
  /** People can't answer one message: whatever they write answers what stands there last. */
  readonly noReplies?: true;
  /** People can send files. The adapter has `openMedia`, which refuses larger ones. */
  readonly receive?: { readonly maxBytes: number };
}
