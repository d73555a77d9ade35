/** A token bucket: `burst` calls at once, then one more each `refillMs`. */
export interface Pace {
  readonly burst: number;
  readonly refillMs: number;
}

/** Plain data, so a process that holds no connection can still read it. */
export interface Capabilities {
  /** Any markdown whose `measure` is at most this must be sendable as one message. */
  readonly maxTextLength: number;
  readonly markup: "rich" | "basic" | "none";
  /** `native`: the adapter has `openReply`. `edit`: post once, then edit that message. `none`: show the whole reply at the end. */
  readonly streaming: "native" | "edit" | "none";
  /** Shortest pause between two updates of the same message. Ignored when streaming is `none`. */
  readonly minUpdateIntervalMs: number;
  /** What the platform bears per conversation; sends and edits draw on the same bucket. */
  readonly conversationPace: Pace;
  /** What the platform bears for the whole account, all conversations together. Without it: no limit. */
  readonly accountPace?: Pace;
  /** The platform drops or answers with the first message when a deliveryKey is sent twice. */
  readonly idempotentSend: boolean;
  readonly edit: boolean;
  readonly delete: boolean;
  readonly react: boolean;
  readonly typing: boolean;
  /** How long one `setTyping` shows. The sender renews it a little earlier. 0 without typing. */
  readonly typingLastsMs: number;
  readonly threads: boolean;
  readonly media: {
    readonly receive: boolean;
    readonly send: boolean;
    /** Largest incoming file. */
    readonly maxReceiveBytes: number;
    /** Largest outgoing file. */
    readonly maxSendBytes: number;
    /** Files of one outgoing message; further ones need another message. */
    readonly maxPerMessage: number;
    /** Like `maxTextLength`, for a message that carries files. */
    readonly maxCaptionLength: number;
  };
  /** Buttons below a message; `max` 0 without. A label is counted in UTF-16 units. */
  readonly choices: { readonly max: number; readonly maxLabelLength: number };
}
