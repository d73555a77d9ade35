import { GatewayError } from "@talaria/protocol";
import type { LoopbackConfig } from "./config.ts";

/** What the platform sends us, as far as we read it. */
export interface LoopbackUpdate {
  readonly updateId: string;
  readonly conversationId: string;
  readonly messageId: string;
  readonly userId: string;
  readonly userName: string;
  readonly text: string;
  readonly sentAtMs: number;
}

/** The few calls of the platform that we use. All of them throw only GatewayError. Delete those that the platform lacks. */
export interface LoopbackClient {
  /** Which of the two sessions fits: `pull.ts` or `push.ts`. */
  readonly isPulled: boolean;

  /** Pulling: checks the token. The answer is the id of our own account. */
  identify(signal: AbortSignal): Promise<string>;
  /** Pulling: waits for updates that are not acknowledged, oldest first. */
  receive(signal: AbortSignal): Promise<readonly LoopbackUpdate[]>;
  /** Pulling: the platform will not send this update and those before it again. */
  acknowledge(updateId: string, signal: AbortSignal): Promise<void>;

  /** Pushing: opens a connection, logged in. */
  open(signal: AbortSignal): Promise<LoopbackConnection>;

  /** Posts one message. The answer is its id. */
  post(conversationId: string, text: string, signal: AbortSignal): Promise<string>;
}

/** A connection over which the platform sends. */
export interface LoopbackConnection {
  /** The id of our own account. */
  readonly selfId: string;
  /** In the order in which they come. Throws `unavailable` when the connection is lost; ends when the signal it was opened with is aborted. */
  readonly updates: AsyncIterable<LoopbackUpdate>;
  /** Where the platform wants to know that an update arrived. */
  acknowledge?(updateId: string): void;
  /** May be called again. */
  close(): void;
}

export function createLoopbackClient(_config: LoopbackConfig): LoopbackClient {
  throw new GatewayError("client.ts is not written yet", { code: "unsupported" });
}
