import type { Conversation } from "./conversation.ts";
import type { AccountId, MessageId, TurnId } from "./ids.ts";
import type { SessionKey } from "./session-key.ts";

interface FrameBase {
  readonly accountId: AccountId;
  readonly sessionKey: SessionKey;
  readonly turnId: TurnId;
  /** The lease's fence under which it was written. A reader drops frames of a smaller fence than it has seen. */
  readonly fence: number;
  /** Starts at 0 with `started` and grows by one. A jump means that frames were lost. */
  readonly n: number;
}

/**
 * One step of a reply on its way from the worker to the gateway. Expendable: any frame may be lost; what was lost is
 * read from the turn's partial reply, and the final text always comes from the outbox.
 */
export type StreamFrame =
  | (FrameBase & {
      readonly type: "started";
      /** Where the reply goes. */
      readonly conversation: Conversation;
      readonly replyTo?: MessageId;
    })
  /** `text` continues the reply at `offset` UTF-16 units. A smaller offset than shown so far replaces the tail. */
  | (FrameBase & { readonly type: "delta"; readonly offset: number; readonly text: string })
  /** What the turn does now, as a few words for people. */
  | (FrameBase & { readonly type: "status"; readonly label: string })
  /** `suspended`: the turn waits for somebody and goes on later. `label`: that it does, as a few words for people. */
  | (FrameBase & {
      readonly type: "ended";
      readonly status: "completed" | "failed" | "aborted" | "suspended";
      readonly label?: string;
    });
